"""The HTTP client of webhooks: one attempt, bounded in time, bytes and reach.

It connects only to addresses that the rules allow (`http/outgoing`), and follows no redirects.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import aiohttp
from aiohttp.abc import AbstractResolver

from sobremesa.http.outgoing import AddressRules, GuardedClient, reason_of

TOTAL_SECONDS = 10.0
MAX_RESPONSE_BYTES = 64 * 1024


class Response(NamedTuple):
    """The outcome of an attempt. Without a status there was no complete response, and `error` tells why."""

    status: int | None
    milliseconds: int
    error: str | None = None
    retry_after: float | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver accepted the event."""
        return self.error is None and self.status is not None and 200 <= self.status < 300


class WebhookRequests:
    """Makes requests to the addresses of webhooks."""

    def __init__(
        self, rules: AddressRules, *, resolver: AbstractResolver | None = None, seconds: float = TOTAL_SECONDS
    ) -> None:
        self._client = GuardedClient(rules, "Sobremesa-Webhooks", seconds=seconds, resolver=resolver)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send a body, once."""
        started = time.monotonic()
        status, error, retry_after = None, None, None
        try:
            async with self._session(url.startswith("https:")).post(
                url, data=body, headers={"content-type": "application/json", **headers}, allow_redirects=False
            ) as answer:
                retry_after = _retry_after(answer.headers.get("retry-after"))
                error = await _read(answer)
                status = answer.status
        except TimeoutError:
            error = f"no response within {self._client.seconds:g} s"
        except (aiohttp.ClientError, OSError, ValueError) as failure:
            error = reason_of(failure)
        return Response(status, round((time.monotonic() - started) * 1000), error, retry_after)

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, is_secure: bool) -> aiohttp.ClientSession:
        """Return the session of a scheme. They share no connections: http reaches only allowed networks."""
        session = self._sessions.get(is_secure)
        if session is None:
            session = self._sessions[is_secure] = self._client.session(is_secure=is_secure)
        return session


async def _read(answer: aiohttp.ClientResponse) -> str | None:
    """Read a response so that its connection can be used again; return what is wrong with it, or None."""
    size = 0
    async for piece in answer.content.iter_chunked(16 * 1024):
        size += len(piece)
        if size > MAX_RESPONSE_BYTES:
            answer.close()
            break
    if 300 <= answer.status < 400:
        return f"responded with {answer.status}; redirects are not followed"
    return None if 200 <= answer.status < 300 else f"responded with {answer.status}"


def _retry_after(text: str | None) -> float | None:
    """Return the seconds of a `Retry-After` header, which has a number or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, at.timestamp() - time.time())
