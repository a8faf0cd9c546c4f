"""Login by password, migration of legacy hashes, and the same response for every failure."""

from __future__ import annotations

import asyncio
import time

import bcrypt
import pytest

from accounts.environment import PASSWORD, Environment, environment_on
from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant, SetClock
from sobremesa.core.errors import Busy, TooMany
from sobremesa.domains.accounts.entities import Credential, User, credential_of, user_by_id
from sobremesa.domains.accounts.errors import BadCredentials, EmailTaken
from sobremesa.domains.accounts.known_addresses import MAX_KNOWN
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.http.limits import MemoryLimits
from sobremesa.table import Create, Table, Update, set_to


async def test_user_logs_in_from_a_second_device(env: Environment) -> None:
    first = await env.register("ana", device="phone")
    second = await env.accounts.login(email=" ANA@example.com", password=PASSWORD, device="laptop")

    assert second.user == first.user
    assert second.session_id != first.session_id
    actor = await env.authenticate(second.access_token)
    sessions = (await env.accounts.list_sessions(actor)).items
    assert [session.device for session in sessions] == ["phone", "laptop"]


async def test_user_logs_in_with_the_username(env: Environment) -> None:
    registered = await env.register("Ana", email="somewhere@example.com")
    for name in ("Ana", "ana", " ANA "):
        assert (await env.accounts.login(email=name, password=PASSWORD)).user == registered.user


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("ana@example.com", "another one"),
        ("ana", "another one"),
        ("nobody@example.com", PASSWORD),
        ("nobody", PASSWORD),
        ("no#name", PASSWORD),
        ("no@address", PASSWORD),
        ("", PASSWORD),
    ],
)
async def test_every_wrong_login_gets_the_same_response(env: Environment, email: str, password: str) -> None:
    await env.register("ana")
    with pytest.raises(BadCredentials) as refused:
        await env.accounts.login(email=email, password=password)
    assert (refused.value.code, str(refused.value)) == ("bad_credentials", BadCredentials.default_detail)


async def test_unknown_address_costs_the_same_work(embedded_env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    await embedded_env.register("ana")
    checked: list[str] = []
    verify = Passwords._verify

    def counted(self: Passwords, password: str, hashed: str) -> bool:
        checked.append(hashed.rpartition("$")[0].rpartition("$")[0])
        return verify(self, password, hashed)

    monkeypatch.setattr(Passwords, "_verify", counted)
    for email in ("ana@example.com", "ana", "nobody@example.com", "nobody", "no address", ""):
        with pytest.raises(BadCredentials):
            await embedded_env.accounts.login(email=email, password="wrong password")
    assert checked == [checked[0]] * 6
    assert checked[0].startswith("$argon2id$v=19$m=8,t=1,p=1")


async def test_hashes_have_the_default_costs() -> None:
    passwords = Passwords()
    hashed = await passwords.hash(PASSWORD)
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.matches(PASSWORD, hashed)
    assert not await passwords.matches(PASSWORD + "x", hashed)
    passwords.close()


async def test_logins_beyond_the_queue_are_refused_as_busy() -> None:
    passwords = Passwords(time_cost=1, memory_kib=8, max_waiting=5)
    results = await asyncio.gather(*(passwords.hash(PASSWORD) for _ in range(20)), return_exceptions=True)
    assert [type(result) for result in results].count(Busy) == 15
    await passwords.hash(PASSWORD)
    passwords.close()


async def test_event_loop_is_not_blocked_by_hashing() -> None:
    passwords = Passwords(time_cost=6)
    hashing = asyncio.create_task(passwords.hash(PASSWORD))
    turns, began = 0, time.monotonic()
    while not hashing.done() and time.monotonic() - began < 10:
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 5
    passwords.close()


async def test_password_matches_in_every_unicode_composition(embedded_env: Environment) -> None:
    await embedded_env.register("ana", password="caf\u00e9 con leche")
    await embedded_env.login("ana", "cafe\u0301 con leche")


@pytest.mark.parametrize("kind", [b"2a", b"2b"])
async def test_legacy_hash_logs_in_once_and_is_replaced(env: Environment, kind: bytes) -> None:
    user_id = await _older_person(env, kind=kind)

    with pytest.raises(BadCredentials):
        await env.login("john", "another one")
    signed_in = await env.login("john")

    assert signed_in.user.user_id == user_id
    user = await env.table.get(user_by_id(user_id=user_id))
    credential = await env.table.get(credential_of(user_id=user_id))
    assert user is not None
    assert user.password_hash is None
    assert credential is not None
    assert credential.hash.startswith("$argon2id$")
    await env.login("john")
    with pytest.raises(BadCredentials):
        await env.login("john", "another one")


async def test_ten_parallel_logins_replace_a_legacy_hash_once(env: Environment) -> None:
    user_id = await _older_person(env)
    results = await asyncio.gather(*(env.login("john") for _ in range(10)))
    assert {result.user.user_id for result in results} == {user_id}
    for result in results:
        await env.authenticate(result.access_token)


async def test_address_of_a_table_without_claims_is_taken(env: Environment) -> None:
    await _older_person(env)
    with pytest.raises(EmailTaken):
        await env.register("other", email="john@example.com")


async def test_bcrypt_uses_72_bytes_and_longer_passwords_still_log_in(embedded_env: Environment) -> None:
    long = "ü" * 50
    await _older_person(embedded_env, password=long)
    await embedded_env.login("john", long)


async def test_hash_of_other_costs_is_replaced(env: Environment) -> None:
    signed_in = await env.register("ana")
    key = Credential.key(user_id=signed_in.user.user_id)
    costly = Passwords(time_cost=2, memory_kib=16)
    await env.table.write(Update(key, set_to(hash=await costly.hash(PASSWORD))))
    costly.close()

    await env.login("ana")

    credential = await env.table.get(key, consistent=True)
    assert credential is not None
    assert "m=8,t=1" in credential.hash
    await env.login("ana")


async def test_login_with_a_password_that_was_just_changed_is_refused(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check and the session are one transaction: a change in between fails the write."""
    signed_in = await env.register("ana")
    actor = await env.authenticate(signed_in.access_token)
    passwords = env.accounts._passwords._passwords
    matches = passwords.matches
    changed = False

    async def change_after_the_check(password: str, hashed: str) -> bool:
        nonlocal changed
        fits = await matches(password, hashed)
        if not changed:
            changed = True
            await env.accounts.change_password(actor, current=PASSWORD, next="a new password")
        return fits

    monkeypatch.setattr(passwords, "matches", change_after_the_check)
    with pytest.raises(BadCredentials):
        await env.login("ana")
    assert len((await env.accounts.list_sessions(actor)).items) == 1


async def test_guesses_at_one_account_are_limited_and_others_are_not(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with environment_on(table, clock, limits=limits) as env:
        await env.register("ana")
        await env.register("bea")
        for _ in range(60):
            with pytest.raises(BadCredentials):
                await env.login("ana", "a guess, a guess")
        with pytest.raises(TooMany):
            await env.login("ana")
        await env.login("bea")
        clock.move(seconds=6)
        await env.login("ana")


async def test_guesses_from_elsewhere_do_not_lock_a_user_out(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with environment_on(table, clock, limits=limits) as env:
        await env.register("ana", address="home")

        async def log_in(address: str, password: str = PASSWORD, name: str = "ana@example.com") -> None:
            await env.accounts.login(email=name, password=password, address=address)

        await log_in("office")
        guesses = [TooMany, BadCredentials]
        for number in range(240):
            with pytest.raises((TooMany, BadCredentials)) as refused:
                await log_in(f"attacker {number % 4}", "a guess, a guess")
            guesses.append(refused.type)

        assert guesses.count(BadCredentials) <= 1 + 60  # all unknown addresses share one budget
        for known in ("home", "office"):
            await log_in(known)
        with pytest.raises(TooMany):
            await log_in("a new place")


async def test_address_is_known_after_a_login_and_after_a_reset(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with environment_on(table, clock, limits=limits) as env:
        ana = (await env.register("ana", address="home")).actor
        await env.accounts.change_password(ana, current=PASSWORD, next="a new password")
        for _ in range(60):
            with pytest.raises(BadCredentials):
                await env.accounts.login(email="ana", password="a guess, a guess", address="elsewhere")
        await env.accounts.login(email="ana", password="a new password", address="home")

        env.accounts.ask_reset("ana@example.com")
        await env.accounts._passwords.recovery.close()
        token = env.mailbox.mails[-1].token
        await env.accounts.confirm_reset(token=token, password=PASSWORD, address="hotel")
        await env.accounts.login(email="ana", password=PASSWORD, address="hotel")
        with pytest.raises(TooMany):
            await env.accounts.login(email="ana", password=PASSWORD, address="home")


async def test_newest_addresses_are_known_and_stored_as_hashes(embedded_env: Environment) -> None:
    ana = await embedded_env.register("ana", address="192.0.2.7")
    for number in range(MAX_KNOWN):
        await embedded_env.accounts.login(email="ana", password=PASSWORD, address=f"192.0.2.{100 + number}")
    credential = await embedded_env.table.get(credential_of(user_id=ana.user.user_id))
    assert credential is not None
    assert len(set(credential.addresses)) == MAX_KNOWN
    assert "192.0.2" not in str(credential)


async def _older_person(env: Environment, *, kind: bytes = b"2b", password: str = PASSWORD) -> UserId:
    """A legacy row: the hash is in the profile, and there are no claims."""
    hashed = bcrypt.hashpw(password.encode()[:72], bcrypt.gensalt(4, kind)).decode()
    user = User(
        user_id=UserId("01JGSXXX..."),
        username="john_doe",
        email="john@example.com",
        password_hash=hashed,
        created_at=Instant("2025-12-27T00:00:00.000Z"),
        updated_at=Instant("2025-12-27T00:00:00.000Z"),
    )
    await env.table.write(Create(user))
    return user.user_id


async def test_claim_without_a_user_is_refused_at_login(env: Environment) -> None:
    signed_in = await env.register("ana")
    changed = Update(User.key(user_id=signed_in.user.user_id), set_to(deleted_at="2026-01-01T00:00:00.000Z"))
    await env.table.write(changed)
    with pytest.raises(BadCredentials):
        await env.login("ana")
