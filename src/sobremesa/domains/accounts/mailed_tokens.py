"""One-time tokens that are mailed. They are stored as hashes and valid for an hour.

The response and its timing are the same whether or not a mail is sent: everything that depends on the address happens
after the response.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.domains.accounts.mail import MailTasks
from sobremesa.domains.accounts.names import normal_email
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.domains.mail.mailers import Transport
from sobremesa.http.limits import Limits
from sobremesa.table import hash_part

TOKEN_SECONDS = 3600
SECRET_BYTES = 32
MAX_TOKEN = 512


class MailedToken(NamedTuple):
    """A new token, and the fields to store."""

    token: str
    hash: str
    created_at: Instant
    expires_at: int
    """Epoch seconds."""


class MailedTokens:
    """Creates tokens, and mails them after the response."""

    def __init__(self, clock: Clock, limits: Limits, mail: MailTasks) -> None:
        self._clock = clock
        self._limits = limits
        self._mail = mail

    def start(self, purpose: str, email: str, send: Callable[[Transport, str], Awaitable[None]]) -> None:
        """Start sending to a normalized address in the background; MailNotConfigured without a mailer."""

        async def limited(transport: Transport) -> None:
            address = normal_email(email)
            # Also by address, so that no mailbox can be flooded from many clients.
            await self._limits.consume("credentials", f"{purpose}:{hash_part(address)}")
            await send(transport, address)

        self._mail.start(limited)

    def mint(self, owner: str | None = None) -> MailedToken:
        """Return a new token, which starts with its owner if it has one."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        token = secret if owner is None else f"{owner}.{secret}"
        now = self._clock.now_ms()
        return MailedToken(token, secret_hash(token), instant(now), now // 1000 + TOKEN_SECONDS)

    async def close(self) -> None:
        """Wait for the mails that are being sent."""
        await self._mail.close()


def hash_of(token: str) -> str | None:
    """Return the stored hash of a token; None for text that cannot be a token."""
    return secret_hash(token) if token and len(token) <= MAX_TOKEN and token.isascii() else None


def owner_of(token: str) -> str:
    """Return the owner that a token starts with; empty if it has none."""
    return token.rpartition(".")[0]
