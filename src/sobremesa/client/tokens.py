"""The tokens of a session: a fresh one before it is needed, and never two refreshes at once.

A refresh token is for one use, so that two requests that both find the access token old must share one refresh.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sobremesa.client.errors import SignedOut
from sobremesa.client.pace import Pace
from sobremesa.client.shapes import SignedIn

RENEW_BEFORE_SECONDS = 60.0
RENEW_BEFORE_PART = 0.2
"""A token is renewed a minute before its end, or in the last fifth of a short life."""


class Tokens:
    """The access token of now, and how to get the next."""

    def __init__(self, refresh: Callable[[str], Awaitable[SignedIn]], pace: Pace) -> None:
        self._refresh = refresh
        self._pace = pace
        self._access: str | None = None
        self._refresh_token: str | None = None
        self._due: float | None = None
        self._refreshing: asyncio.Task[str] | None = None

    @property
    def refresh_token(self) -> str | None:
        """What opens this session again in another process."""
        return self._refresh_token

    def take(self, signed_in: SignedIn) -> None:
        """A session was opened or renewed."""
        self._access = signed_in.access_token
        self._refresh_token = signed_in.refresh_token
        lead = min(RENEW_BEFORE_SECONDS, signed_in.expires_in * RENEW_BEFORE_PART)
        self._due = self._pace.now() + signed_in.expires_in - lead

    def set(self, access: str | None, refresh_token: str | None = None) -> None:
        """A token from elsewhere: a server key, one of another issuer, or a refresh token that was kept."""
        self._access = access
        self._refresh_token = refresh_token
        # Its end is not known: it is used until it is refused, or at once exchanged if it is not there.
        self._due = None if access is not None or refresh_token is None else self._pace.now()

    @property
    def due_in(self) -> float | None:
        """The seconds until the token should be renewed; None if it cannot be, or nobody knows when."""
        if self._due is None or self._refresh_token is None:
            return None
        return max(0.0, self._due - self._pace.now())

    async def current(self) -> str | None:
        """A token that is good for a while, or None where nobody is signed in."""
        if self.due_in == 0.0:
            return await self._renewed()
        return self._access

    async def after_refusal(self, refused: str | None) -> str:
        """Another token than the one that was refused; SignedOut if there is none."""
        if self._access is not None and self._access != refused:
            return self._access  # somebody else has renewed it meanwhile
        return await self._renewed()

    async def _renewed(self) -> str:
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._renew())
            self._refreshing.add_done_callback(self._forget)
        # One who waits may give up; the refresh goes on, or its token would be lost.
        return await asyncio.shield(self._refreshing)

    def _forget(self, task: asyncio.Task[str]) -> None:
        self._refreshing = None
        if not task.cancelled():
            task.exception()  # those who waited have it

    async def _renew(self) -> str:
        if self._refresh_token is None:
            raise SignedOut(401, "unauthenticated", "The token was refused, and there is none to refresh it with.")
        signed_in = await self._refresh(self._refresh_token)
        self.take(signed_in)
        return signed_in.access_token
