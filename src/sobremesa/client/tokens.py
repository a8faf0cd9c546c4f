"""The tokens of a session: refreshed before they expire, with one refresh at a time.

A refresh token is for one use, so requests that find the access token expired must share one refresh.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sobremesa.client.errors import SignedOut
from sobremesa.client.models import SignedIn
from sobremesa.client.pace import Pace

RENEW_BEFORE_SECONDS = 60.0
RENEW_BEFORE_PART = 0.2
"""A token is renewed a minute before it expires, or in the last fifth of a short life."""


class Tokens:
    """The current access token, and how to refresh it."""

    def __init__(self, refresh: Callable[[str], Awaitable[SignedIn]], pace: Pace) -> None:
        self._refresh = refresh
        self._pace = pace
        self._access: str | None = None
        self._refresh_token: str | None = None
        self._due: float | None = None
        self._refreshing: asyncio.Task[str] | None = None

    @property
    def refresh_token(self) -> str | None:
        """Opens this session again in another process."""
        return self._refresh_token

    def store(self, signed_in: SignedIn) -> None:
        """Store the tokens of a new or refreshed session."""
        self._access = signed_in.access_token
        self._refresh_token = signed_in.refresh_token
        lead = min(RENEW_BEFORE_SECONDS, signed_in.expires_in * RENEW_BEFORE_PART)
        self._due = self._pace.now() + signed_in.expires_in - lead

    def set(self, access: str | None, refresh_token: str | None = None) -> None:
        """Set a token from elsewhere: a server key, one of another issuer, or a stored refresh token."""
        self._access = access
        self._refresh_token = refresh_token
        # Its expiry is unknown: use it until it is refused, or refresh at once if there is only a refresh token.
        self._due = None if access is not None or refresh_token is None else self._pace.now()

    @property
    def due_in(self) -> float | None:
        """The seconds until the token should be refreshed; None if it cannot be, or its expiry is unknown."""
        if self._due is None or self._refresh_token is None:
            return None
        return max(0.0, self._due - self._pace.now())

    async def current(self) -> str | None:
        """Return a token that is valid for a while, or None without a session."""
        if self.due_in == 0.0:
            return await self._renewed()
        return self._access

    async def after_refusal(self, refused: str | None) -> str:
        """Return another token than the refused one; raises SignedOut if there is none."""
        if self._access is not None and self._access != refused:
            return self._access  # another request has refreshed it meanwhile
        return await self._renewed()

    async def _renewed(self) -> str:
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._renew())
            self._refreshing.add_done_callback(self._forget)
        # A caller may be cancelled; the refresh must go on, or its token would be lost.
        return await asyncio.shield(self._refreshing)

    def _forget(self, task: asyncio.Task[str]) -> None:
        self._refreshing = None
        if not task.cancelled():
            task.exception()  # already raised in the callers that waited

    async def _renew(self) -> str:
        if self._refresh_token is None:
            raise SignedOut(401, "unauthenticated", "The token was refused, and there is no refresh token.")
        signed_in = await self._refresh(self._refresh_token)
        self.store(signed_in)
        return signed_in.access_token
