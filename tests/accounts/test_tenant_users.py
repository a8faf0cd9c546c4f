"""The product's backend creates, changes and deletes users by their external ids."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from accounts.environment import Environment, environment_on
from accounts.test_issuers import Product, issuer
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Forbidden, Invalid, NotFound, Unauthenticated
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.errors import UsernameTaken
from sobremesa.domains.accounts.user_batches import AT_ONCE, Line, Result
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.table import Table, measure

ACME, OTHER = Tenant("acme"), Tenant("other")
KEY = Actor(tenant=ACME, key_id=KeyId("k"), scopes=frozenset({"users:write"}))


async def put(env: Environment, external_id: str = "42", **fields: Any) -> User:
    return (await env.accounts.upsert_user(KEY, ACME, external_id, UserFields(**fields))).user


async def audited(env: Environment) -> list[tuple[str, str | None, dict[str, Any]]]:
    page = await Audit(env.table, env.clock, env.ids).list_entries(tenant_scope(ACME), since=env.clock.now())
    return [(entry.action, entry.target, entry.details) for entry in reversed(page.items)]


async def test_upsert_creates_and_then_changes_what_is_given(env: Environment) -> None:
    created = await env.accounts.upsert_user(
        KEY,
        ACME,
        "42",
        UserFields(
            username="ana", display_name="Ana Maria", email="Ana@Shop.example", avatar_url="/v1/attachments/1",
            data={"plan": "pro", "seats": 3}, locale="pt-BR", time_zone="America/Sao_Paulo",
        ),
    )  # fmt: skip
    user = created.user
    assert (created.is_new, user.external_id, user.tenant, user.username) == (True, "42", ACME, "ana")
    assert (user.email, user.contact_email, user.data) == (None, "ana@shop.example", {"plan": "pro", "seats": 3})
    assert await env.accounts.get_tenant_user(KEY, ACME, "42") == user

    env.clock.move(seconds=5)
    changed = await env.accounts.upsert_user(KEY, ACME, "42", UserFields(display_name="Ana M.", email=None))
    assert (changed.is_new, changed.user.user_id, changed.user.display_name) == (False, user.user_id, "Ana M.")
    assert (changed.user.contact_email, changed.user.locale, changed.user.username) == (None, "pt-BR", "ana")
    assert changed.user.updated_at > user.updated_at

    assert await audited(env) == [
        ("user.create", user.user_id, {"externalId": "42"}),
        ("user.update", user.user_id, {"externalId": "42", "fields": "display_name contact_email"}),
    ]


async def test_repeated_upsert_of_the_same_fields_writes_nothing(env: Environment) -> None:
    fields: dict[str, Any] = {
        "username": "ana",
        "display_name": "Ana",
        "data": {"n": 1.5, "deep": {"x": [1, None, True]}},
    }
    user = await put(env, **fields)
    env.clock.move(seconds=5)
    assert await put(env, **fields) == user
    assert len(await audited(env)) == 1


async def test_upserts_stay_within_their_budgets(embedded_env: Environment) -> None:
    """A read and a transaction of five rows to create; two reads and no write if nothing changes."""
    fields = UserFields(username="ana", display_name="Ana")
    with measure() as created:
        await embedded_env.accounts.upsert_user(KEY, ACME, "42", fields)
    with measure() as repeated:
        await embedded_env.accounts.upsert_user(KEY, ACME, "42", fields)
    with measure() as found:
        await embedded_env.accounts.find_by_external_ids(ACME, ["42", "43"])
    assert (created.calls, created.write) == (2, 8)
    assert (repeated.calls, repeated.write) == (2, 0)
    assert found.calls == 1


async def test_username_is_derived_and_made_unique(env: Environment) -> None:
    first = await put(env, "1", display_name="Ana María")
    second = await put(env, "2", display_name="Ana María")
    third = await put(env, "user-3")
    assert (first.username, third.username) == ("Ana_María", "user-3")
    assert second.username.startswith("Ana_María-")
    with pytest.raises(UsernameTaken):
        await put(env, "4", username="ANA_maría")
    with pytest.raises(UsernameTaken):
        await put(env, "3x", display_name="x", username="user-3")
    renamed = await put(env, "1", username="ana")
    assert renamed.username == "ana"
    assert await env.accounts.find_by_usernames(["ana", "Ana_María"], ACME) == {"ana": first.user_id}


async def test_external_ids_are_found_in_their_tenant_only(env: Environment) -> None:
    ours = await put(env, "42")
    key = Actor(tenant=OTHER, key_id=KeyId("o"), scopes=frozenset({"users:write"}))
    theirs = (await env.accounts.upsert_user(key, OTHER, "42", UserFields())).user
    assert ours.user_id != theirs.user_id
    assert await env.accounts.find_by_external_ids(ACME, ["42", "7", "a#b", ""]) == {"42": ours.user_id}
    assert await env.accounts.find_by_external_ids(OTHER, ["42"]) == {"42": theirs.user_id}
    for verb in (env.accounts.get_tenant_user, env.accounts.delete_user, env.accounts.disable_user,
                 env.accounts.enable_user, env.accounts.revoke_tokens):  # fmt: skip
        with pytest.raises(NotFound):
            await verb(key, ACME, "42")
        with pytest.raises(NotFound):
            await verb(KEY, ACME, "43")
    with pytest.raises(NotFound):
        await env.accounts.upsert_user(key, ACME, "42", UserFields())


async def test_scopes_are_required(embedded_env: Environment) -> None:
    env = embedded_env
    await put(env)
    reader = Actor(tenant=ACME, key_id=KeyId("r"), scopes=frozenset({"users:read"}))
    nothing = Actor(tenant=ACME, key_id=KeyId("n"), scopes=frozenset({"inbox:publish"}))
    await env.accounts.get_tenant_user(reader, ACME, "42")
    with pytest.raises(Forbidden):
        await env.accounts.get_tenant_user(nothing, ACME, "42")
    for verb in (env.accounts.delete_user, env.accounts.disable_user, env.accounts.revoke_tokens):
        with pytest.raises(Forbidden):
            await verb(reader, ACME, "42")
    with pytest.raises(Forbidden):
        await env.accounts.upsert_user(reader, ACME, "42", UserFields())


@pytest.mark.parametrize("external_id", ["", "a#b", "$x", "*", "a\nb", "e\u0301", "x" * 129])
async def test_invalid_external_id_is_refused(embedded_env: Environment, external_id: str) -> None:
    with pytest.raises(Invalid) as refused:
        await put(embedded_env, external_id)
    assert refused.value.data["errors"][0]["pointer"] == "#/externalId"
    await put(embedded_env, "x" * 128)


@pytest.mark.parametrize(
    ("pointer", "fields"),
    [
        ("#/username", {"username": "a b"}),
        ("#/displayName", {"display_name": "a\u202eb"}),
        ("#/email", {"email": "no address"}),
        ("#/avatarUrl", {"avatar_url": "https://example.com/me.png"}),
        ("#/data", {"data": {"x": "y" * 4096}}),
        ("#/locale", {"locale": "Portuguese (Brazil)"}),
        ("#/timeZone", {"time_zone": "Mars/Olympus"}),
        ("#/timeZone", {"time_zone": "../../etc/passwd"}),
    ],
)
async def test_invalid_field_is_refused_by_name(
    embedded_env: Environment, pointer: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(Invalid) as refused:
        await put(embedded_env, **fields)
    assert refused.value.data["errors"][0]["pointer"] == pointer


async def test_contact_address_is_no_login_and_takes_no_address_of_others(env: Environment) -> None:
    default = Actor(key_id=KeyId("d"), scopes=frozenset({"users:write"}))
    fields = UserFields(email="ana@example.com", username="someone")
    await env.accounts.upsert_user(default, default.tenant, "42", fields)
    assert await env.accounts.find_by_email("ana@example.com") is None
    assert (await env.register("ana")).user.email == "ana@example.com"


async def test_parallel_upserts_create_one_user(env: Environment) -> None:
    users = await asyncio.gather(*(put(env, display_name=f"Ana {number}") for number in range(12)))
    assert len({user.user_id for user in users}) == 1
    rows = [row async for row in env.table.scan() if row["entityType"] == User.__name__]
    assert len(rows) == 1


async def test_parallel_upserts_with_the_same_new_name_all_succeed(env: Environment) -> None:
    user = await put(env, username="ana")
    renamed = await asyncio.gather(*(put(env, username="anita") for _ in range(6)))
    assert {(each.user_id, each.username) for each in renamed} == {(user.user_id, "anita")}
    assert await env.accounts.find_by_usernames(["ana", "anita"], ACME) == {"anita": user.user_id}


@pytest.fixture
def product(clock: SetClock) -> Product:
    return Product(clock)


async def test_token_of_an_issuer_belongs_to_the_user_of_the_backend(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        user = await put(env, "42", username="ana")
        actor = await env.authenticate(product.token("42"))
        assert (actor.user_id, actor.username) == (user.user_id, "ana")
        # And the other way round: the first token creates a user that the backend finds.
        bea = await env.authenticate(product.token("43"))
        assert (await env.accounts.get_tenant_user(KEY, ACME, "43")).user_id == bea.user_id
        assert (await put(env, "43", display_name="Bea")).user_id == bea.user_id


async def test_first_token_and_upsert_at_once_create_one_user(table: Table, clock: SetClock, product: Product) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        other = env.other_node(issuers=[issuer(tenant="acme")])
        for number in range(10):
            token = product.token(str(number))
            actor, first, second, again = await asyncio.gather(
                env.authenticate(token),
                put(other, str(number), display_name="Ana"),
                put(env, str(number)),
                other.authenticate(token),
            )
            assert {actor.user_id, first.user_id, second.user_id, again.user_id} == {actor.user_id}


async def test_two_issuers_of_a_tenant_share_the_external_ids(table: Table, clock: SetClock, product: Product) -> None:
    second = issuer(issuer="https://second.example.com", tenant="acme")
    async with environment_on(table, clock, issuers=[issuer(tenant="acme"), second]) as env:
        one = await env.authenticate(product.token("42"))
        two = await env.authenticate(product.token("42", iss="https://second.example.com"))
        assert one.user_id == two.user_id
        await env.accounts.delete_user(KEY, ACME, "42")
        for token in (product.token("42"), product.token("42", iss="https://second.example.com")):
            with pytest.raises(Unauthenticated):
                await env.authenticate(token)


async def test_subject_is_not_mapped_if_the_issuer_is_set_so_or_it_is_no_external_id(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme", map_subject=False)]) as env:
        user = await put(env, "42")
        assert (await env.authenticate(product.token("42"))).user_id != user.user_id
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        actor = await env.authenticate(product.token("auth0#7"))
        assert (await env.accounts.get_me(actor)).external_id is None


async def test_user_of_an_earlier_version_gets_an_external_id_with_the_next_token(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme", map_subject=False)]) as before:
        user_id = (await before.authenticate(product.token("42"))).user_id
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        assert await env.accounts.find_by_external_ids(ACME, ["42"]) == {}
        assert (await env.authenticate(product.token("42"))).user_id == user_id
        assert await env.accounts.find_by_external_ids(ACME, ["42"]) == {"42": user_id}


async def test_token_with_another_tenant_is_refused(table: Table, clock: SetClock, product: Product) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant_claim="org")]) as env:
        await env.authenticate(product.token("42", org="acme"))
        with pytest.raises(Unauthenticated):
            await env.authenticate(product.token("42", org="other"))
        assert await env.accounts.find_by_external_ids(OTHER, ["42"]) == {}


async def test_old_token_does_not_create_a_deleted_user_again_but_the_backend_may(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        user = await put(env, "42", username="ana", display_name="Ana", email="ana@shop.example", data={"a": 1})
        old = product.token("42", iat=clock.now_seconds())
        await env.authenticate(old)
        await env.accounts.delete_user(KEY, ACME, "42")
        tombstone = await table.get(User.key(user_id=user.user_id))
        assert tombstone is not None
        assert (tombstone.display_name, tombstone.contact_email, tombstone.data) == (None, None, None)
        assert (tombstone.external_id, tombstone.username) == (None, "deleted user")
        clock.move(seconds=5)
        for _ in range(2):
            with pytest.raises(Unauthenticated):
                await env.authenticate(old)
            with pytest.raises(NotFound):
                await env.accounts.get_tenant_user(KEY, ACME, "42")
            await env.accounts.finish_deletion(user.user_id)

        anew = await put(env, "42", username="ana")
        assert anew.user_id != user.user_id
        with pytest.raises(Unauthenticated):
            await env.authenticate(old)
        clock.move(seconds=5)
        fresh = product.token("42", iat=clock.now_seconds())
        assert (await env.authenticate(fresh)).user_id == anew.user_id
        assert [action for action, *_ in await audited(env)] == ["user.create", "user.delete", "user.create"]


def line(number: int, external_id: str, **fields: Any) -> Line:
    return Line(number, external_id, UserFields(**fields))


async def batch(env: Environment, lines: list[Line]) -> list[Result]:
    return [result async for result in env.accounts.upsert_users(KEY, ACME, lines)]


async def test_batch_answers_in_order_and_goes_on_after_a_bad_line(env: Environment) -> None:
    await put(env, "0", username="ana")
    count = 2 * AT_ONCE + 3
    lines = [line(number, str(number), username=f"user{number}") for number in range(count)]
    lines[3] = line(3, "3", username="ANA", display_name="taken until the first line has renamed that user")
    lines[5] = line(5, "5#", username="fine")
    lines[6] = line(6, "2", display_name="again")
    lines[7] = Line(7, None, Invalid())

    results = await batch(env, lines)

    assert [result.line.number for result in results] == list(range(count))
    refused = {result.line.number: result.outcome for result in results if isinstance(result.outcome, Exception)}
    assert set(refused) <= {3, 5, 7}
    assert {5, 7} <= set(refused)
    assert (await env.accounts.get_tenant_user(KEY, ACME, "2")).display_name == "again"
    _, (action, target, details) = await audited(env)
    assert (action, target) == ("user.batch", None)
    assert sum(map(int, details.values())) == count
    assert int(details["failed"]) == len(refused)


async def test_lines_with_the_same_external_id_are_applied_in_order(env: Environment) -> None:
    results = await batch(env, [line(number, "42", display_name=f"Ana {number}") for number in range(6)])
    assert len({result.outcome.user.user_id for result in results}) == 1  # type: ignore[union-attr]
    assert (await env.accounts.get_tenant_user(KEY, ACME, "42")).display_name == "Ana 5"
    with pytest.raises(NotFound):
        await anext(env.accounts.upsert_users(KEY, OTHER, [line(1, "1")]))
