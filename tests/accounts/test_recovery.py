"""Changing and resetting a password."""

from __future__ import annotations

import asyncio

import bcrypt
import pytest

from accounts.environment import PASSWORD, Environment, Mailbox, environment_on
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


async def test_password_change_ends_all_other_sessions(env: Environment) -> None:
    phone = await env.register("ana")
    laptop = await env.login("ana")
    actor = await env.authenticate(phone.access_token)
    await env.authenticate(laptop.access_token)

    await env.accounts.change_password(actor, current=PASSWORD, next=NEW)

    await env.authenticate(phone.access_token)
    await env.accounts.refresh(phone.refresh_token)
    with pytest.raises(Unauthenticated):
        await env.authenticate(laptop.access_token)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(laptop.refresh_token)
    with pytest.raises(BadCredentials):
        await env.login("ana")
    await env.login("ana", NEW)


async def test_sessions_end_with_the_change_even_if_the_process_is_killed_right_after(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = await env.register("ana")
    laptop = await env.login("ana")

    async def die(*given: object, **options: object) -> None:
        raise ConnectionError("the process died")

    monkeypatch.setattr(env.accounts._sessions, "end_all", die)
    with pytest.raises(ConnectionError):
        await env.accounts.change_password(phone.actor, current=PASSWORD, next=NEW)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(laptop.refresh_token)
    await env.accounts.refresh(phone.refresh_token)
    with pytest.raises(BadCredentials):
        await env.login("ana")


async def test_more_sessions_than_fit_in_a_transaction_are_ended_too(embedded_env: Environment) -> None:
    actor = await embedded_env.actor("ana")
    for _ in range(120):
        await embedded_env.login("ana")
    await embedded_env.accounts.change_password(actor, current=PASSWORD, next=NEW)
    left = [session.session_id async for session in embedded_env.table.every(sessions_of(user_id=actor.user_id))]
    assert left == [actor.session_id]


async def test_without_the_current_password_nothing_changes(env: Environment) -> None:
    actor = await env.actor("ana")
    with pytest.raises(WrongPassword):
        await env.accounts.change_password(actor, current="a guess, a guess", next=NEW)
    with pytest.raises(Invalid) as refused:
        await env.accounts.change_password(actor, current=PASSWORD, next="short")
    assert refused.value.data["errors"][0]["pointer"] == "#/next"
    await env.login("ana")


async def test_one_of_two_concurrent_changes_succeeds(env: Environment) -> None:
    actor = await env.actor("ana")
    changes = [env.accounts.change_password(actor, current=PASSWORD, next=f"password {n}") for n in range(5)]
    results = await asyncio.gather(*changes, return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["NoneType"] + ["WrongPassword"] * 4
    await env.login("ana", f"password {results.index(None)}")


async def test_guesses_at_the_current_password_are_limited(table: Table, clock: SetClock) -> None:
    async with environment_on(table, clock, limits=MemoryLimits(now=lambda: clock.now_ms() / 1000)) as env:
        actor = await env.actor("ana")
        for _ in range(60):
            with pytest.raises(WrongPassword):
                await env.accounts.change_password(actor, current="a guess, a guess", next=NEW)
        with pytest.raises(TooMany):
            await env.accounts.change_password(actor, current=PASSWORD, next=NEW)


async def test_legacy_password_can_be_changed_and_reset(env: Environment) -> None:
    user_id = UserId("old")
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    old = User(user_id=user_id, username="john", email="john@example.com", password_hash=hashed)
    await env.table.write(Create(old))
    john = Actor.of_user(user_id, "john")

    await env.accounts.change_password(john, current=PASSWORD, next=NEW)

    assert (await env.accounts.get_me(john)).password_hash is None
    await env.login("john", NEW)
    with pytest.raises(BadCredentials):
        await env.login("john")


async def test_users_of_another_issuer_have_no_password_to_change(env: Environment) -> None:
    await env.table.write(Create(User(user_id=UserId("u"), username="foreign")))
    with pytest.raises(NoPassword):
        await env.accounts.change_password(Actor.of_user(UserId("u"), "foreign"), current=PASSWORD, next=NEW)


async def test_mailed_token_resets_the_password_once(env: Environment) -> None:
    signed_in = await env.register("ana")
    await env.authenticate(signed_in.access_token)
    token = await _mailed(env)

    await env.accounts.confirm_reset(token=token, password=NEW)

    with pytest.raises(Unauthenticated):
        await env.authenticate(signed_in.access_token)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(signed_in.refresh_token)
    with pytest.raises(BadCredentials):
        await env.login("ana")
    await env.login("ana", NEW)
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=token, password="yet another one")
    await env.login("ana", NEW)


async def test_ten_parallel_uses_of_one_token_set_one_password(env: Environment) -> None:
    await env.register("ana")
    token = await _mailed(env)
    uses = [env.accounts.confirm_reset(token=token, password=f"password {n}") for n in range(10)]
    results = await asyncio.gather(*uses, return_exceptions=True)
    assert [type(result) for result in results].count(BadResetToken) == 9
    await env.login("ana", f"password {results.index(None)}")


async def test_only_a_hash_of_the_token_is_stored(env: Environment) -> None:
    await env.register("ana")
    token = await _mailed(env)
    rows = [row async for row in env.table.scan()]
    assert token.rpartition(".")[2] not in str(rows)
    assert [row["sk"] for row in rows if row["entityType"] == PasswordReset.__name__] == ["RESET"]


async def test_token_is_valid_for_an_hour_or_until_the_next_one(env: Environment) -> None:
    await env.register("ana")
    first = await _mailed(env)
    second = await _mailed(env)
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=first, password=NEW)
    env.clock.move(seconds=3600)
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=second, password=NEW)


@pytest.mark.parametrize("token", ["", ".", "a", "a.", ".b", "a.b", "a#.b", "*.b", "é.b", "a" * 600 + ".b"])
async def test_malformed_token_resets_nothing(env: Environment, token: str) -> None:
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=token, password=NEW)


async def test_token_with_another_secret_resets_nothing(env: Environment) -> None:
    signed_in = await env.register("ana")
    await _mailed(env)
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=f"{signed_in.user.user_id}.secret", password=NEW)


async def test_reset_request_returns_at_once_and_does_not_reveal_known_addresses(env: Environment) -> None:
    await env.register("ana")
    with measure() as measured:
        for email in ("ana@example.com", "nobody@example.com", "no address"):
            env.accounts.ask_reset(email)
    assert measured.calls == 0
    await env.accounts.close()
    assert [mail.to for mail in env.mailbox.mails] == ["ana@example.com"]
    [mail] = env.mailbox.mails
    assert f"http://127.0.0.1:8080/reset?token={mail.token}\n" in mail.text


async def test_mailbox_cannot_be_flooded(table: Table, clock: SetClock) -> None:
    async with environment_on(table, clock, limits=MemoryLimits(now=lambda: clock.now_ms() / 1000)) as env:
        await env.register("ana")
        for _ in range(100):
            env.accounts.ask_reset("ana@example.com")
        await env.accounts._passwords.recovery.close()
        assert len(env.mailbox.mails) == 60


async def test_failing_mailer_does_not_fail_the_request(
    embedded_env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*given: str) -> None:
        raise OSError("no mail today")

    monkeypatch.setattr(embedded_env.mailbox, "send", fail)
    await embedded_env.register("ana")
    embedded_env.accounts.ask_reset("ana@example.com")
    await embedded_env.accounts._passwords.recovery.close()
    await embedded_env.login("ana")


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
    assert [mail.to for mail in mailbox.mails] == ["ana@example.com"]


async def test_the_console_mailer_writes_to_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    await ConsoleMailer().send("ana@example.com", "A new password", "the token")
    assert "the token" in capsys.readouterr().out


async def _mailed(env: Environment) -> str:
    """Request a reset, and return the mailed token."""
    env.accounts.ask_reset("ana@example.com")
    await env.accounts._passwords.recovery.close()
    return env.mailbox.mails[-1].token
