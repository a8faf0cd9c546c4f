"""A caller of the API: a user, a server key, or an anonymous client.

    server = await ana.post("/servers", {"name": "The long table"})
    await bob.get(f"/servers/{server['serverId']}", expect=404)

Every answer is looked at, whatever a test wants of it: names are camelCase, times have milliseconds, errors are
problems, and a 204 is empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp

from sobremesa.core.ids import is_ulid

PASSWORD = "correct horse battery"
TIMEOUT = aiohttp.ClientTimeout(total=30)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
UNKNOWN_ID = "01JGSYB3ZZ0000000000000000"
"""A well-formed id of nothing."""
PICTURE = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
"""The smallest there is."""

_CAMEL = re.compile(r"[a-z][a-zA-Z0-9]*")
_SHOWS_TIME = re.compile(r"at|.*At")
_PROBLEM = {"type", "title", "status", "detail", "code"}


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


class Caller:
    """Who calls, by the token that goes with every request."""

    def __init__(
        self, http: aiohttp.ClientSession, token: str | None = None, user: dict[str, Any] | None = None
    ) -> None:
        self.http = http
        self.token = token
        self.user = user or {}
        self.refresh_token = ""
        self.called: set[tuple[str, str]] = set()
        """Which paths were called by which methods."""

    @property
    def user_id(self) -> str:
        return str(self.user["userId"])

    @property
    def name(self) -> str:
        return str(self.user["username"])

    @property
    def email(self) -> str:
        return str(self.user["email"])

    async def call(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, **query: Any
    ) -> Reply:
        """One request under /v1, and what came back. A body is sent as JSON, bytes as they are."""
        sent = {"data": body} if isinstance(body, bytes) else {"json": body}
        bearer = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        self.called.add((method, path))
        async with self.http.request(
            method, "/v1" + path, **sent, params=query, headers=bearer | (headers or {}), timeout=TIMEOUT
        ) as answer:
            reply = Reply(
                answer.status, {name.lower(): value for name, value in answer.headers.items()}, await answer.read()
            )
        check_form(reply)
        return reply

    async def get(self, path: str, *, expect: int = 200, **query: Any) -> Any:
        return await self._asked("GET", path, None, expect, **query)

    async def post(self, path: str, body: Any = None, *, expect: int = 201, **more: Any) -> Any:
        return await self._asked("POST", path, body, expect, **more)

    async def put(self, path: str, body: Any = None, *, expect: int = 200, **more: Any) -> Any:
        return await self._asked("PUT", path, body, expect, **more)

    async def patch(self, path: str, body: Any = None, *, expect: int = 200) -> Any:
        return await self._asked("PATCH", path, body, expect)

    async def delete(self, path: str, body: Any = None, *, expect: int = 204) -> Any:
        return await self._asked("DELETE", path, body, expect)

    async def _asked(self, method: str, path: str, body: Any, expect: int, **more: Any) -> Any:
        reply = await self.call(method, path, body, **more)
        assert reply.status == expect, f"{method} {path} gave {reply.status}, not {expect}: {reply.raw[:500]!r}"
        return reply.json if reply.raw else None


def check_form(reply: Reply) -> None:
    """What holds of every answer."""
    assert reply.status < 500, reply.raw[:500]
    assert reply.headers["x-request-id"]
    kind = reply.headers.get("content-type")
    if reply.status >= 400:
        assert kind == "application/problem+json"
        problem = reply.json
        assert problem.keys() >= _PROBLEM
        assert problem["status"] == reply.status
        assert problem["type"].endswith(problem["code"])
    elif kind == "application/json":
        check_names_and_times(reply.json)
    else:
        assert (
            kind in ("application/x-ndjson", "text/html; charset=utf-8")
            or reply.raw == b""
            or "content-disposition" in reply.headers
        )
    if reply.status == 204:
        assert reply.raw == b""
        assert "content-length" not in reply.headers


_STORED = {"item", "request"}
"""A stored row, and a request to DynamoDB, which have names of their own."""


def check_names_and_times(value: Any) -> None:
    if isinstance(value, list):
        for item in value:
            check_names_and_times(item)
    if isinstance(value, dict):
        for name, item in value.items():
            assert _CAMEL.fullmatch(name) or is_ulid(name), f"{name} is no camelCase"
            if _SHOWS_TIME.fullmatch(name) and item is not None:
                assert TIME.fullmatch(item), f"{name} is {item}"
            if name not in _STORED:
                check_names_and_times(item)


async def register(http: aiohttp.ClientSession, name: str) -> Caller:
    """A new person of this name."""
    body = {"email": f"{name}@example.com", "username": name, "password": PASSWORD}
    return signed_in(http, await Caller(http).post("/auth/register", body))


async def log_in(http: aiohttp.ClientSession, name: str, password: str = PASSWORD, device: str | None = None) -> Caller:
    """The person again, on another device."""
    body = {"email": f"{name}@example.com", "password": password, "device": device}
    return signed_in(http, await Caller(http).post("/auth/login", body, expect=200))


def signed_in(http: aiohttp.ClientSession, answer: dict[str, Any]) -> Caller:
    caller = Caller(http, answer["accessToken"], answer["user"])
    caller.refresh_token = answer["refreshToken"]
    return caller


@asynccontextmanager
async def client_of(url: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A client without a limit of connections."""
    async with aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session
