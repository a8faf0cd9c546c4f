"""One-time tokens that are mailed: made, kept as a hash, valid for an hour.

Whoever asks gets the same answer at the same time, whether a mail goes out or not: everything that depends on the
address happens after it.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.domains.accounts.mail import Mailer, MailTasks
from sobremesa.domains.accounts.names import normal_email
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.http.limits import Limits
from sobremesa.table import hash_part

TOKEN_SECONDS = 3600
SECRET_BYTES = 32
MAX_TOKEN = 512


class MailedToken(NamedTuple):
    """A new token, and what is stored of it."""

    token: str
    hash: str
    created_at: Instant
    expires_at: int
    """In seconds since 1970."""


class MailedTokens:
    """Makes tokens, and mails them after the answer."""

    def __init__(self, clock: Clock, limits: Limits, mail: MailTasks) -> None:
        self._clock = clock
        self._limits = limits
        self._mail = mail

    def start(self, purpose: str, email: str, send: Callable[[Mailer, str], Awaitable[None]]) -> None:
        """Begin to send to an address in its one form, and return; MailNotConfigured without a mailer."""

        async def limited(mailer: Mailer) -> None:
            address = normal_email(email)
            # By address too, so that no mailbox can be filled from many places.
            await self._limits.take("credentials", f"{purpose}:{hash_part(address)}")
            await send(mailer, address)

        self._mail.start(limited)

    def mint(self, owner: str | None = None) -> MailedToken:
        """Return a new token, which begins with its owner if it has one."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        token = secret if owner is None else f"{owner}.{secret}"
        now = self._clock.now_ms()
        return MailedToken(token, secret_hash(token), instant(now), now // 1000 + TOKEN_SECONDS)

    async def close(self) -> None:
        """Wait for the mails that are on their way."""
        await self._mail.close()


def hash_of(token: str) -> str | None:
    """Return what is stored of a token; None for text that cannot be one."""
    return secret_hash(token) if token and len(token) <= MAX_TOKEN and token.isascii() else None


def owner_of(token: str) -> str:
    """Return the owner that a token begins with; empty if it has none."""
    return token.rpartition(".")[0]
