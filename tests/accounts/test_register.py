"""Registration: one user per address and per name, also under concurrency."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from accounts.environment import PASSWORD, Environment, environment_on
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Invalid
from sobremesa.domains.accounts.entities import EmailClaim, User, UsernameClaim
from sobremesa.domains.accounts.errors import EmailTaken, RegistrationClosed, UsernameTaken
from sobremesa.domains.accounts.names import derive_username
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.table import Table


async def test_new_user_is_signed_in(env: Environment) -> None:
    signed_in = await env.register("ana", device="phone")

    actor = await env.authenticate(signed_in.access_token)
    assert (actor.username, actor.tenant, actor.is_admin) == ("ana", "default", False)
    assert actor.user_id == signed_in.user.user_id
    me = await env.accounts.get_me(actor)
    assert (me.email, me.username, me.created_at) == ("ana@example.com", "ana", me.updated_at)
    [session] = (await env.accounts.list_sessions(actor)).items
    assert (session.device, session.session_id) == ("phone", actor.session_id)


async def test_a_hundred_parallel_registrations_of_one_address_create_one_user(env: Environment) -> None:
    tries = [env.register(f"p{number:03}", email="One@Example.com ") for number in range(100)]
    counted = Counter(type(result) for result in await asyncio.gather(*tries, return_exceptions=True))
    assert counted == {SignedIn: 1, EmailTaken: 99}
    assert len(await _all(env, User)) == len(await _all(env, UsernameClaim)) == 1


async def test_a_hundred_parallel_registrations_of_one_name_create_one_user(env: Environment) -> None:
    tries = [env.register("Ana" if number % 2 else "ANA", email=f"{number}@example.com") for number in range(100)]
    counted = Counter(type(result) for result in await asyncio.gather(*tries, return_exceptions=True))
    assert counted == {SignedIn: 1, UsernameTaken: 99}
    assert len(await _all(env, User)) == len(await _all(env, EmailClaim)) == 1


async def test_transaction_itself_refuses_taken_names(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The early check only saves work: without it the outcome is the same."""

    async def look_away(email: str, username: str) -> None:
        pass

    monkeypatch.setattr(env.accounts._passwords._registration, "_refuse_taken", look_away)
    await env.register("ana")
    with pytest.raises(EmailTaken):
        await env.register("ana")
    with pytest.raises(EmailTaken):
        await env.register("bea", email="ana@example.com")
    with pytest.raises(UsernameTaken):
        await env.register("ANA", email="bea@example.com")
    assert len(await _all(env, User)) == 1


async def test_refused_registration_writes_nothing(env: Environment) -> None:
    await env.register("ana")
    with pytest.raises(UsernameTaken):
        await env.register("ana", email="bea@example.com")
    await env.register("bea")


@pytest.mark.parametrize(
    "email",
    ["", "ana", "@example.com", "ana@", "ana@host", "a b@example.com", "a#b@example.com", "$a@example.com",
     "a@-x.com", "a@x..com", "a\x00@example.com", "a@exa_mple.com", f"{'a' * 65}@example.com", f"a@{'x' * 250}.com"],
)  # fmt: skip
async def test_invalid_address_is_refused(embedded_env: Environment, email: str) -> None:
    with pytest.raises(Invalid) as refused:
        await embedded_env.register("ana", email=email)
    assert refused.value.data["errors"][0]["pointer"] == "#/email"


@pytest.mark.parametrize("email", ["ana+tag@example.com", "ÁNA@Exämple.com", "o'neil@mail.example.co.uk", "a@b.c1"])
async def test_unusual_addresses_are_accepted(embedded_env: Environment, email: str) -> None:
    signed_in = await embedded_env.register("ana", email=f"  {email} ")
    assert signed_in.user.email == email.lower()


@pytest.mark.parametrize(
    "username",
    ["", "a", "a" * 33, "a b", "a#b", "a*", "ana\u200b", "Deleted User", "everyone", "HERE", "me", "System", "ADMIN",
     "\uff41\uff44\uff4d\uff49\uff4e", "\u0301a"],
)  # fmt: skip
async def test_invalid_username_is_refused(embedded_env: Environment, username: str) -> None:
    with pytest.raises(Invalid) as refused:
        await embedded_env.register("ana", username=username)
    assert refused.value.data["errors"][0]["pointer"] == "#/username"


@pytest.mark.parametrize(
    "username",
    [
        "ab",
        "Ana_1.x-y",
        "Ωμέγα",
        "Сергей",
        "\u0421\u0430\u0440\u0430",
        "田中Ken",
        "김mina",
        "ひろカタ",
        "José_2",
        "अनीता",
        "王小明",
        "a" * 32,
        "--",
    ],
)
async def test_usernames_of_many_scripts_are_accepted(embedded_env: Environment, username: str) -> None:
    signed_in = await embedded_env.register("ana", username=username)
    assert signed_in.user.username == username
    assert await embedded_env.accounts.find_by_username(username.upper()) == signed_in.user


@pytest.mark.parametrize(
    "username",
    ["\u0430na", "an\u0430", "p\u0430ypal", "\u03a9mega", "\u0430dm\u0456n1", "ana\u03bf", "\u0430\u03b1", "Анна_Lee",
     "\u05d0na", "m\u0435"],
)  # fmt: skip
async def test_username_of_mixed_scripts_is_refused(embedded_env: Environment, username: str) -> None:
    with pytest.raises(Invalid) as refused:
        await embedded_env.register("ana", username=username)
    assert refused.value.data["errors"][0]["pointer"] == "#/username"


@pytest.mark.parametrize(
    ("latin", "lookalike"),
    [("cocoa", "\u0441\u043e\u0441\u043e\u0430"), ("KATE", "\u041a\u0410\u0422\u0415")],
)
async def test_username_that_looks_like_a_taken_latin_one_is_taken(
    env: Environment, monkeypatch: pytest.MonkeyPatch, latin: str, lookalike: str
) -> None:
    await env.register("ana", username=latin)
    bea = (await env.register("bea")).actor
    with pytest.raises(UsernameTaken):
        await env.register("cleo", username=lookalike)
    with pytest.raises(UsernameTaken):
        await env.accounts.change_profile(bea, username=lookalike)

    async def look_away(*given: object) -> None:
        """Simulate a name that is taken a moment later."""

    monkeypatch.setattr(env.accounts._passwords._registration, "_refuse_taken", look_away)
    with pytest.raises(UsernameTaken):
        await env.register("cleo", username=lookalike)


async def test_username_that_looks_like_a_reserved_one_is_reserved(embedded_env: Environment) -> None:
    with pytest.raises(Invalid, match="reserved"):
        await embedded_env.register("ana", username="\u043c\u0435")  # Cyrillic letters that look like "me"


@pytest.mark.parametrize(
    ("given", "created"),
    [("Анна", "Анна"), ("Анна Lee", "user"), ("ana@example.com", "ana"), ("\u043c\u0435", "user"), ("", "user")],
)
def test_name_from_another_issuer_becomes_a_valid_username(given: str, created: str) -> None:
    assert derive_username(given) == created


@pytest.mark.parametrize("password", ["", "short", "x" * 257])
async def test_a_password_has_8_to_256_characters(embedded_env: Environment, password: str) -> None:
    with pytest.raises(Invalid):
        await embedded_env.register("ana", password=password)


async def test_closed_registration_is_refused(table: Table, clock: SetClock) -> None:
    async with environment_on(table, clock, registration="closed") as env:
        with pytest.raises(RegistrationClosed):
            await env.register("ana")


async def test_users_belong_to_the_tenant_of_the_settings(table: Table, clock: SetClock) -> None:
    async with environment_on(table, clock, tenant="acme") as env:
        assert (await env.actor("ana")).tenant == "acme"


async def test_only_the_credential_contains_the_password_hash(env: Environment) -> None:
    await env.register("ana")
    hashed = [item for item in [row async for row in env.table.scan()] if "$argon2id$" in str(item)]
    assert [item["sk"] for item in hashed] == ["AUTH"]
    assert PASSWORD not in str([row async for row in env.table.scan()])


async def _all(env: Environment, entity: type[User | EmailClaim | UsernameClaim]) -> list[object]:
    return [row async for row in env.table.scan() if row["entityType"] == entity.__name__]
