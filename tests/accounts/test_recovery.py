"""Changing and resetting a password."""

from __future__ import annotations

import asyncio

import bcrypt
import pytest

from accounts.town import PASSWORD, Mailbox, Town, town_on
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Invalid, TooMany, Unauthenticated
from sobremesa.domains.accounts.entities import PasswordReset, User, sessions_of
from sobremesa.domains.accounts.errors import (
    BadCredentials,
    BadResetToken,
    MailNotConfigured,
    NoPassword,
    SessionEnded,
    WrongPassword,
)
from sobremesa.domains.accounts.mail import ConsoleMailer
from sobremesa.http.limits import MemoryLimits
from sobremesa.table import Create, Table, measure

NEW = "a new password"


async def test_password_change_ends_all_other_sessions(town: Town) -> None:
    phone = await town.register("ana")
    laptop = await town.login("ana")
    actor = await town.authenticate(phone.access_token)
    await town.authenticate(laptop.access_token)

    await town.accounts.change_password(actor, current=PASSWORD, next=NEW)

    await town.authenticate(phone.access_token)
    await town.accounts.refresh(phone.refresh_token)
    with pytest.raises(Unauthenticated):
        await town.authenticate(laptop.access_token)
    with pytest.raises(SessionEnded):
        await town.accounts.refresh(laptop.refresh_token)
    with pytest.raises(BadCredentials):
        await town.login("ana")
    await town.login("ana", NEW)


async def test_sessions_end_with_the_change_even_if_the_process_is_killed_right_after(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = await town.register("ana")
    laptop = await town.login("ana")

    async def die(*given: object, **options: object) -> None:
        raise ConnectionError("the process died")

    monkeypatch.setattr(town.accounts._sessions, "end_all", die)
    with pytest.raises(ConnectionError):
        await town.accounts.change_password(phone.actor, current=PASSWORD, next=NEW)
    with pytest.raises(SessionEnded):
        await town.accounts.refresh(laptop.refresh_token)
    await town.accounts.refresh(phone.refresh_token)
    with pytest.raises(BadCredentials):
        await town.login("ana")


async def test_more_sessions_than_fit_in_a_transaction_are_ended_too(village: Town) -> None:
    actor = await village.actor("ana")
    for _ in range(120):
        await village.login("ana")
    await village.accounts.change_password(actor, current=PASSWORD, next=NEW)
    left = [session.session_id async for session in village.table.every(sessions_of(user_id=actor.user_id))]
    assert left == [actor.session_id]


async def test_without_the_current_password_nothing_changes(town: Town) -> None:
    actor = await town.actor("ana")
    with pytest.raises(WrongPassword):
        await town.accounts.change_password(actor, current="a guess, a guess", next=NEW)
    with pytest.raises(Invalid) as refused:
        await town.accounts.change_password(actor, current=PASSWORD, next="short")
    assert refused.value.data["errors"][0]["pointer"] == "#/next"
    await town.login("ana")


async def test_one_of_two_concurrent_changes_succeeds(town: Town) -> None:
    actor = await town.actor("ana")
    changes = [town.accounts.change_password(actor, current=PASSWORD, next=f"password {n}") for n in range(5)]
    results = await asyncio.gather(*changes, return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["NoneType"] + ["WrongPassword"] * 4
    await town.login("ana", f"password {results.index(None)}")


async def test_guesses_at_the_current_password_are_limited(table: Table, clock: SetClock) -> None:
    async with town_on(table, clock, limits=MemoryLimits(now=lambda: clock.now_ms() / 1000)) as town:
        actor = await town.actor("ana")
        for _ in range(60):
            with pytest.raises(WrongPassword):
                await town.accounts.change_password(actor, current="a guess, a guess", next=NEW)
        with pytest.raises(TooMany):
            await town.accounts.change_password(actor, current=PASSWORD, next=NEW)


async def test_legacy_password_can_be_changed_and_reset(town: Town) -> None:
    user_id = UserId("old")
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    old = User(user_id=user_id, username="john", email="john@example.com", password_hash=hashed)
    await town.table.write(Create(old))
    john = Actor.of_user(user_id, "john")

    await town.accounts.change_password(john, current=PASSWORD, next=NEW)

    assert (await town.accounts.get_me(john)).password_hash is None
    await town.login("john", NEW)
    with pytest.raises(BadCredentials):
        await town.login("john")


async def test_users_of_another_issuer_have_no_password_to_change(town: Town) -> None:
    await town.table.write(Create(User(user_id=UserId("u"), username="foreign")))
    with pytest.raises(NoPassword):
        await town.accounts.change_password(Actor.of_user(UserId("u"), "foreign"), current=PASSWORD, next=NEW)


async def test_mailed_token_resets_the_password_once(town: Town) -> None:
    signed_in = await town.register("ana")
    await town.authenticate(signed_in.access_token)
    token = await _mailed(town)

    await town.accounts.confirm_reset(token=token, password=NEW)

    with pytest.raises(Unauthenticated):
        await town.authenticate(signed_in.access_token)
    with pytest.raises(SessionEnded):
        await town.accounts.refresh(signed_in.refresh_token)
    with pytest.raises(BadCredentials):
        await town.login("ana")
    await town.login("ana", NEW)
    with pytest.raises(BadResetToken):
        await town.accounts.confirm_reset(token=token, password="yet another one")
    await town.login("ana", NEW)


async def test_ten_parallel_uses_of_one_token_set_one_password(town: Town) -> None:
    await town.register("ana")
    token = await _mailed(town)
    uses = [town.accounts.confirm_reset(token=token, password=f"password {n}") for n in range(10)]
    results = await asyncio.gather(*uses, return_exceptions=True)
    assert [type(result) for result in results].count(BadResetToken) == 9
    await town.login("ana", f"password {results.index(None)}")


async def test_only_a_hash_of_the_token_is_stored(town: Town) -> None:
    await town.register("ana")
    token = await _mailed(town)
    rows = [row async for row in town.table.scan()]
    assert token.rpartition(".")[2] not in str(rows)
    assert [row["sk"] for row in rows if row["entityType"] == PasswordReset.__name__] == ["RESET"]


async def test_token_is_valid_for_an_hour_or_until_the_next_one(town: Town) -> None:
    await town.register("ana")
    first = await _mailed(town)
    second = await _mailed(town)
    with pytest.raises(BadResetToken):
        await town.accounts.confirm_reset(token=first, password=NEW)
    town.clock.move(seconds=3600)
    with pytest.raises(BadResetToken):
        await town.accounts.confirm_reset(token=second, password=NEW)


@pytest.mark.parametrize("token", ["", ".", "a", "a.", ".b", "a.b", "a#.b", "*.b", "é.b", "a" * 600 + ".b"])
async def test_malformed_token_resets_nothing(town: Town, token: str) -> None:
    with pytest.raises(BadResetToken):
        await town.accounts.confirm_reset(token=token, password=NEW)


async def test_token_with_another_secret_resets_nothing(town: Town) -> None:
    signed_in = await town.register("ana")
    await _mailed(town)
    with pytest.raises(BadResetToken):
        await town.accounts.confirm_reset(token=f"{signed_in.user.user_id}.secret", password=NEW)


async def test_reset_request_returns_at_once_and_does_not_reveal_known_addresses(town: Town) -> None:
    await town.register("ana")
    with measure() as measured:
        for email in ("ana@example.com", "nobody@example.com", "no address"):
            town.accounts.ask_reset(email)
    assert measured.calls == 0
    await town.accounts.close()
    assert [letter.to for letter in town.mailbox.letters] == ["ana@example.com"]
    [letter] = town.mailbox.letters
    assert f"http://127.0.0.1:8080/reset?token={letter.token}\n" in letter.text


async def test_mailbox_cannot_be_flooded(table: Table, clock: SetClock) -> None:
    async with town_on(table, clock, limits=MemoryLimits(now=lambda: clock.now_ms() / 1000)) as town:
        await town.register("ana")
        for _ in range(100):
            town.accounts.ask_reset("ana@example.com")
        await town.accounts._recovery.close()
        assert len(town.mailbox.letters) == 60


async def test_failing_mailer_does_not_fail_the_request(village: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*given: str) -> None:
        raise OSError("no mail today")

    monkeypatch.setattr(village.mailbox, "send", fail)
    await village.register("ana")
    village.accounts.ask_reset("ana@example.com")
    await village.accounts._recovery.close()
    await village.login("ana")


async def test_reset_without_a_mailer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    async with Sobremesa.open("sqlite://", background=False) as app:
        await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
        with pytest.raises(MailNotConfigured):
            app.accounts.ask_reset("ana@example.com")
        await app.accounts.close()
        assert [row async for row in app.table.scan() if row["entityType"] == PasswordReset.__name__] == []
    assert "mail" not in capsys.readouterr().out


async def test_custom_mailer_sends_the_mail() -> None:
    mailbox = Mailbox()
    async with Sobremesa.open("sqlite://", background=False, mailer=mailbox) as app:
        await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
        app.accounts.ask_reset("ana@example.com")
        await app.accounts.close()
    assert [letter.to for letter in mailbox.letters] == ["ana@example.com"]


async def test_the_console_mailer_writes_to_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    await ConsoleMailer().send("ana@example.com", "A new password", "the token")
    assert "the token" in capsys.readouterr().out


async def _mailed(town: Town) -> str:
    """Request a reset, and return the mailed token."""
    town.accounts.ask_reset("ana@example.com")
    await town.accounts._recovery.close()
    return town.mailbox.letters[-1].token
