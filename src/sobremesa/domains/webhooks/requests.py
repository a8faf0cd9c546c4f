"""The HTTP client of webhooks: one attempt, bounded in time, bytes and reach.

It connects only to addresses that the rules allow, checked on the address that a socket is about to connect to. A host
name that resolves to a public address when it is checked and to a private one when it is used fails therefore too.
It follows no redirects, and takes no proxy from the environment, since a proxy would connect to any address.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import aiohttp
from aiohttp.abc import AbstractResolver

from sobremesa.domains.webhooks.addresses import AddressRules, ForbiddenAddress

TOTAL_SECONDS = 10.0
MAX_RESPONSE_BYTES = 64 * 1024
MAX_CONNECTIONS = 64
MAX_CONNECTIONS_PER_HOST = 16
MAX_ERROR = 200


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
        self._rules = rules
        self._resolver = resolver
        self._timeout = aiohttp.ClientTimeout(total=seconds)
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
            error = f"no response within {self._timeout.total:g} s"
        except (aiohttp.ClientError, OSError, ValueError) as failure:
            error = _text_of(failure)
        return Response(status, round((time.monotonic() - started) * 1000), error, retry_after)

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, is_secure: bool) -> aiohttp.ClientSession:
        """Return the session of a scheme. They share no connections: http reaches only allowed networks."""
        session = self._sessions.get(is_secure)
        if session is None:
            connector = aiohttp.TCPConnector(
                limit=MAX_CONNECTIONS,
                limit_per_host=MAX_CONNECTIONS_PER_HOST,
                resolver=self._resolver,
                socket_factory=self._socket_factory(is_secure),
            )
            session = self._sessions[is_secure] = aiohttp.ClientSession(
                connector=connector,
                timeout=self._timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                headers={"user-agent": "Sobremesa-Webhooks"},
            )
        return session

    def _socket_factory(self, is_secure: bool) -> aiohttp.connector.SocketFactoryType:
        def create(found: aiohttp.connector.AddrInfoType) -> socket.socket:
            family, kind, protocol, _, address = found
            self._rules.require_reachable(str(address[0]), is_secure=is_secure)
            created = socket.socket(family, kind, protocol)
            created.setblocking(False)
            return created

        return create


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


def _text_of(failure: BaseException) -> str:
    """Return why a request failed; the reason of a refused address is behind the error of the client."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, ForbiddenAddress):
            return str(cause)[:MAX_ERROR]
        cause = cause.__cause__ or cause.__context__
    return f"{type(failure).__name__}: {failure}"[:MAX_ERROR]
