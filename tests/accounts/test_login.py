"""Login by password, migration of legacy hashes, and the same response for every failure."""

from __future__ import annotations

import asyncio
import time

import bcrypt
import pytest

from accounts.town import PASSWORD, Town, town_on
from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant, SetClock
from sobremesa.core.errors import Busy, TooMany
from sobremesa.domains.accounts.entities import Credential, User, credential_of, user_by_id
from sobremesa.domains.accounts.errors import BadCredentials, EmailTaken
from sobremesa.domains.accounts.known_addresses import MAX_KNOWN
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.http.limits import MemoryLimits
from sobremesa.table import Create, Table, Update, set_to


async def test_user_logs_in_from_a_second_device(town: Town) -> None:
    first = await town.register("ana", device="phone")
    second = await town.accounts.login(email=" ANA@example.com", password=PASSWORD, device="laptop")

    assert second.user == first.user
    assert second.session_id != first.session_id
    actor = await town.authenticate(second.access_token)
    sessions = (await town.accounts.list_sessions(actor)).items
    assert [session.device for session in sessions] == ["phone", "laptop"]


async def test_user_logs_in_with_the_username(town: Town) -> None:
    registered = await town.register("Ana", email="somewhere@example.com")
    for name in ("Ana", "ana", " ANA "):
        assert (await town.accounts.login(email=name, password=PASSWORD)).user == registered.user


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
async def test_every_wrong_login_gets_the_same_response(town: Town, email: str, password: str) -> None:
    await town.register("ana")
    with pytest.raises(BadCredentials) as refused:
        await town.accounts.login(email=email, password=password)
    assert (refused.value.code, str(refused.value)) == ("bad_credentials", BadCredentials.says)


async def test_unknown_address_costs_the_same_work(village: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    await village.register("ana")
    checked: list[str] = []
    verify = Passwords._verify

    def counted(self: Passwords, password: str, hashed: str) -> bool:
        checked.append(hashed.rpartition("$")[0].rpartition("$")[0])
        return verify(self, password, hashed)

    monkeypatch.setattr(Passwords, "_verify", counted)
    for email in ("ana@example.com", "ana", "nobody@example.com", "nobody", "no address", ""):
        with pytest.raises(BadCredentials):
            await village.accounts.login(email=email, password="wrong password")
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


async def test_password_matches_in_every_unicode_composition(village: Town) -> None:
    await village.register("ana", password="caf\u00e9 con leche")
    await village.login("ana", "cafe\u0301 con leche")


@pytest.mark.parametrize("kind", [b"2a", b"2b"])
async def test_legacy_hash_logs_in_once_and_is_replaced(town: Town, kind: bytes) -> None:
    user_id = await _older_person(town, kind=kind)

    with pytest.raises(BadCredentials):
        await town.login("john", "another one")
    signed_in = await town.login("john")

    assert signed_in.user.user_id == user_id
    user = await town.table.get(user_by_id(user_id=user_id))
    credential = await town.table.get(credential_of(user_id=user_id))
    assert user is not None
    assert user.password_hash is None
    assert credential is not None
    assert credential.hash.startswith("$argon2id$")
    await town.login("john")
    with pytest.raises(BadCredentials):
        await town.login("john", "another one")


async def test_ten_parallel_logins_replace_a_legacy_hash_once(town: Town) -> None:
    user_id = await _older_person(town)
    results = await asyncio.gather(*(town.login("john") for _ in range(10)))
    assert {result.user.user_id for result in results} == {user_id}
    for result in results:
        await town.authenticate(result.access_token)


async def test_address_of_a_table_without_claims_is_taken(town: Town) -> None:
    await _older_person(town)
    with pytest.raises(EmailTaken):
        await town.register("other", email="john@example.com")


async def test_bcrypt_uses_72_bytes_and_longer_passwords_still_log_in(village: Town) -> None:
    long = "ü" * 50
    await _older_person(village, password=long)
    await village.login("john", long)


async def test_hash_of_other_costs_is_replaced(town: Town) -> None:
    signed_in = await town.register("ana")
    key = Credential.key(user_id=signed_in.user.user_id)
    costly = Passwords(time_cost=2, memory_kib=16)
    await town.table.write(Update(key, set_to(hash=await costly.hash(PASSWORD))))
    costly.close()

    await town.login("ana")

    credential = await town.table.get(key, consistent=True)
    assert credential is not None
    assert "m=8,t=1" in credential.hash
    await town.login("ana")


async def test_login_with_a_password_that_was_just_changed_is_refused(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check and the session are one transaction: a change in between fails the write."""
    signed_in = await town.register("ana")
    actor = await town.authenticate(signed_in.access_token)
    passwords = town.accounts._passwords
    matches = passwords.matches
    changed = False

    async def change_after_the_check(password: str, hashed: str) -> bool:
        nonlocal changed
        fits = await matches(password, hashed)
        if not changed:
            changed = True
            await town.accounts.change_password(actor, current=PASSWORD, next="a new password")
        return fits

    monkeypatch.setattr(passwords, "matches", change_after_the_check)
    with pytest.raises(BadCredentials):
        await town.login("ana")
    assert len((await town.accounts.list_sessions(actor)).items) == 1


async def test_guesses_at_one_account_are_limited_and_others_are_not(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with town_on(table, clock, limits=limits) as town:
        await town.register("ana")
        await town.register("bea")
        for _ in range(60):
            with pytest.raises(BadCredentials):
                await town.login("ana", "a guess, a guess")
        with pytest.raises(TooMany):
            await town.login("ana")
        await town.login("bea")
        clock.move(seconds=6)
        await town.login("ana")


async def test_guesses_from_elsewhere_do_not_lock_a_user_out(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with town_on(table, clock, limits=limits) as town:
        await town.register("ana", address="home")

        async def log_in(address: str, password: str = PASSWORD, name: str = "ana@example.com") -> None:
            await town.accounts.login(email=name, password=password, address=address)

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
    async with town_on(table, clock, limits=limits) as town:
        ana = (await town.register("ana", address="home")).actor
        await town.accounts.change_password(ana, current=PASSWORD, next="a new password")
        for _ in range(60):
            with pytest.raises(BadCredentials):
                await town.accounts.login(email="ana", password="a guess, a guess", address="elsewhere")
        await town.accounts.login(email="ana", password="a new password", address="home")

        town.accounts.ask_reset("ana@example.com")
        await town.accounts._recovery.close()
        token = town.mailbox.letters[-1].token
        await town.accounts.confirm_reset(token=token, password=PASSWORD, address="hotel")
        await town.accounts.login(email="ana", password=PASSWORD, address="hotel")
        with pytest.raises(TooMany):
            await town.accounts.login(email="ana", password=PASSWORD, address="home")


async def test_newest_addresses_are_known_and_stored_as_hashes(village: Town) -> None:
    ana = await village.register("ana", address="192.0.2.7")
    for number in range(MAX_KNOWN):
        await village.accounts.login(email="ana", password=PASSWORD, address=f"192.0.2.{100 + number}")
    credential = await village.table.get(credential_of(user_id=ana.user.user_id))
    assert credential is not None
    assert len(set(credential.addresses)) == MAX_KNOWN
    assert "192.0.2" not in str(credential)


async def _older_person(town: Town, *, kind: bytes = b"2b", password: str = PASSWORD) -> UserId:
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
    await town.table.write(Create(user))
    return user.user_id


async def test_claim_without_a_user_is_refused_at_login(town: Town) -> None:
    signed_in = await town.register("ana")
    changed = Update(User.key(user_id=signed_in.user.user_id), set_to(deleted_at="2026-01-01T00:00:00.000Z"))
    await town.table.write(changed)
    with pytest.raises(BadCredentials):
        await town.login("ana")
