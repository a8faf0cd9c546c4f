"""Registration by mail: responses do not reveal whether an address is taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from accounts.environment import PASSWORD, Environment, environment_on
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Invalid
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.accounts.entities import PendingRegistration
from sobremesa.domains.accounts.errors import (
    BadRegistrationToken,
    EmailTaken,
    MailNotConfigured,
    RegistrationByMail,
    RegistrationClosed,
    UsernameTaken,
)
from sobremesa.http.limits import MemoryLimits
from sobremesa.table import Table


@pytest.fixture
async def verified(table: Table, clock: SetClock) -> AsyncIterator[Environment]:
    async with environment_on(table, clock, registration="verified") as env:
        yield env


async def test_user_registers_with_the_mailed_token(verified: Environment) -> None:
    token = await _asked(verified, "ana")
    assert f"http://127.0.0.1:8080/register?token={token}\n" in verified.mailbox.mails[-1].text
    signed_in = await verified.accounts.confirm_registration(token, device="phone")

    assert (signed_in.user.username, signed_in.user.email) == ("ana", "ana@example.com")
    assert (await verified.authenticate(signed_in.access_token)).user_id == signed_in.user.user_id
    await verified.login("ana")


async def test_taken_address_gets_the_same_response_and_its_owner_a_notice(verified: Environment) -> None:
    await verified.accounts.confirm_registration(await _asked(verified, "ana"))

    for email in ("ana@example.com", "free@example.com"):
        await verified.accounts.ask_registration(email=email, username="bea", password=PASSWORD)
    await verified.accounts.close()

    note, token = sorted(verified.mailbox.mails[-2:], key=lambda mail: mail.to)
    assert (note.to, note.subject) == ("ana@example.com", "You already have an account")
    assert (token.to, token.subject) == ("free@example.com", "Confirm your e-mail address")


async def test_direct_registration_is_refused_where_addresses_are_confirmed(verified: Environment) -> None:
    with pytest.raises(RegistrationByMail):
        await verified.register("ana")


async def test_token_creates_one_user_within_an_hour(verified: Environment) -> None:
    token = await _asked(verified, "ana")
    tries = [verified.accounts.confirm_registration(token) for _ in range(5)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(result) for result in results].count(BadRegistrationToken) == 4
    with pytest.raises(BadRegistrationToken):
        await verified.accounts.confirm_registration(token)

    late = await _asked(verified, "bea")
    verified.clock.move(seconds=3600)
    with pytest.raises(BadRegistrationToken):
        await verified.accounts.confirm_registration(late)


async def test_confirmation_is_refused_if_the_name_or_address_was_taken_meanwhile(verified: Environment) -> None:
    first, second = await _asked(verified, "ana"), await _asked(verified, "ana")
    other = await _asked(verified, "ana", email="other@example.com")
    await verified.accounts.confirm_registration(first)

    with pytest.raises(EmailTaken):
        await verified.accounts.confirm_registration(second)
    with pytest.raises(UsernameTaken):
        await verified.accounts.confirm_registration(other)


async def test_taken_usernames_and_invalid_input_are_refused_at_once(verified: Environment) -> None:
    await verified.accounts.confirm_registration(await _asked(verified, "ana"))
    with pytest.raises(UsernameTaken):
        await verified.accounts.ask_registration(email="b@example.com", username="ANA", password=PASSWORD)
    with pytest.raises(Invalid):
        await verified.accounts.ask_registration(email="no address", username="bea", password=PASSWORD)
    with pytest.raises(Invalid):
        await verified.accounts.ask_registration(email="b@example.com", username="bea", password="short")


async def test_neither_token_nor_password_is_stored(verified: Environment) -> None:
    token = await _asked(verified, "ana")
    rows = [row async for row in verified.table.scan()]
    assert [row["entityType"] for row in rows if "PENDING#" in row["pk"]] == [PendingRegistration.__name__]
    assert token not in str(rows)
    assert PASSWORD not in str(rows)


async def test_mailbox_cannot_be_flooded_by_registering(table: Table, clock: SetClock) -> None:
    limits = MemoryLimits(now=lambda: clock.now_ms() / 1000)
    async with environment_on(table, clock, registration="verified", limits=limits) as env:
        for number in range(70):
            await env.accounts.ask_registration(email="a@example.com", username=f"ana{number}", password=PASSWORD)
        await env.accounts.close()
        assert len(env.mailbox.mails) == 60


async def test_registration_by_mail_requires_a_mailer() -> None:
    async with Sobremesa.open("sqlite://", background=False) as app:
        with pytest.raises(MailNotConfigured):
            await app.accounts.ask_registration(email="a@example.com", username="ana", password=PASSWORD)
    with pytest.raises(BadSetting, match="requires mail"):
        async with Sobremesa.open("sqlite://", settings=Settings(registration="verified"), background=False):
            pass


async def test_closed_registration_is_refused_by_mail_too(table: Table, clock: SetClock) -> None:
    async with environment_on(table, clock, registration="closed") as env:
        with pytest.raises(RegistrationClosed):
            await env.accounts.ask_registration(email="a@example.com", username="ana", password=PASSWORD)


async def _asked(env: Environment, name: str, email: str | None = None) -> str:
    """Request a registration, and return the mailed token."""
    await env.accounts.ask_registration(email=email or f"{name}@example.com", username=name, password=PASSWORD)
    await env.accounts._passwords.recovery.close()
    return env.mailbox.mails[-1].token
