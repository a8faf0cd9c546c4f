"""Sends requests, with the current token, and retries where that is safe.

Safe to repeat are requests that the server has not processed (429), and idempotent ones: every method but POST
and PATCH, and those with a nonce or an idempotency key.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple

import aiohttp
import msgspec

from sobremesa.client.errors import ApiError, OutcomeUnknown, SignedOut, Unreachable, error_of_body
from sobremesa.client.models import SignedIn
from sobremesa.client.pace import Pace
from sobremesa.client.tokens import Tokens

MAX_ATTEMPTS = 5
TIMEOUT_SECONDS = 30.0
LONGEST_RETRY_AFTER_SECONDS = 60.0
JITTER = 0.25
"""How much longer than the server asks a client waits at most, so that clients spread out."""

_SAFE_METHODS = {"GET", "HEAD", "PUT", "DELETE"}
_AWAY = {502, 503, 504}
_encode = msgspec.json.Encoder().encode


class Reply(NamedTuple):
    """A successful response."""

    status: int
    body: bytes


class Transport:
    """Sends requests under `/v1` of a server."""

    def __init__(self, base_url: str, *, pace: Pace, max_attempts: int, timeout_seconds: float) -> None:
        self.base_url = base_url.rstrip("/")
        self.pace = pace
        self.tokens = Tokens(self._refresh, pace)
        self._max_attempts = max_attempts
        self._timeout = aiohttp.ClientTimeout(total=timeout_seconds)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Transport:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar(), timeout=self._timeout
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        safe: bool | None = None,
        signed: bool = True,
    ) -> Reply:
        """Return the response to a request, after as many attempts as are safe; raises ApiError if it is an error.

        `safe` marks the request as idempotent, where the method alone does not.
        """
        safe = method in _SAFE_METHODS if safe is None else safe
        given = dict(headers or {})
        data = None if body is None else _encode(body)
        if data is not None:
            given["Content-Type"] = "application/json"
        params = {name: _text(value) for name, value in (query or {}).items() if value is not None}

        renewed = False
        attempt = 0
        while True:
            attempt += 1
            token = await self.tokens.current() if signed else None
            if token is not None:
                given["Authorization"] = f"Bearer {token}"
            try:
                return await self._once(method, path, data, params, given)
            except (aiohttp.ClientError, TimeoutError) as error:
                if attempt >= self._max_attempts or not safe:
                    raise _lost(method, path, safe) from error
                await self.pace.sleep(self.pace.backoff(attempt - 1))
            except ApiError as error:
                if error.status == 401 and signed and token is not None and not renewed:
                    renewed = True
                    await self.tokens.after_refusal(token)
                elif attempt < self._max_attempts and (error.status == 429 or (safe and error.status in _AWAY)):
                    await self.wait_after(error, attempt)
                else:
                    raise

    async def wait_after(self, error: ApiError, attempt: int) -> None:
        """Wait after an error: a little longer than it asks for, or by the usual backoff.

        An error that asks for more than a minute is raised instead.
        """
        retry_after = error.retry_after
        if retry_after is None:
            await self.pace.sleep(self.pace.backoff(attempt - 1))
        elif retry_after <= LONGEST_RETRY_AFTER_SECONDS:
            await self.pace.sleep(retry_after * (1 + JITTER * self.pace.chance()))
        else:
            raise error

    async def _once(
        self, method: str, path: str, data: bytes | None, params: dict[str, str], headers: dict[str, str]
    ) -> Reply:
        if self._session is None:
            raise RuntimeError("the client is not open: use it as `async with Client(...) as client`")
        url = f"{self.base_url}/v1{path}"
        async with self._session.request(method, url, data=data, params=params, headers=headers) as answer:
            raw = await answer.read()
            if answer.status < 400:
                return Reply(answer.status, raw)
            error = error_of_body(answer.status, raw)
            if "Retry-After" in answer.headers and error.retry_after is None:
                error.data["retryAfter"] = seconds_of(answer.headers["Retry-After"])
            raise error

    async def _refresh(self, refresh_token: str) -> SignedIn:
        try:
            # Within ten seconds the same refresh token gets the same response, so a lost one may be requested again.
            reply = await self.send(
                "POST", "/auth/refresh", body={"refreshToken": refresh_token}, safe=True, signed=False
            )
        except ApiError as error:
            if error.status != 401:
                raise
            raise SignedOut(error.status, error.code, error.detail, error.data) from error
        return msgspec.json.decode(reply.body, type=SignedIn)


def _lost(method: str, path: str, safe: bool) -> Unreachable | OutcomeUnknown:
    if safe:
        return Unreachable(f"{method} {path}: no response")
    return OutcomeUnknown(f"{method} {path}: no response; the request may have succeeded")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def seconds_of(header: str | None) -> float | None:
    """Return Retry-After in seconds; a date, which our servers never send, is ignored."""
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None
