"""The users and rooms of a load test."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp

from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.loadtest.connection import Connection, LoadFailed, Tally, connect_all
from sobremesa.loadtest.gateway import GatewayDialect, content, page_frame, send_frames
from sobremesa.loadtest.scenarios import Sender

PAGE = 50


class Stage(NamedTuple):
    """The server, users and rooms."""

    host: str
    port: int
    listener: str
    """The token of the user of all sockets that only receive."""
    senders: list[str]
    own_channels: list[str]
    """One channel for each sender, without other members."""
    channel: str
    """The channel that all users share."""

    async def listeners(self, count: int, tally: Tally) -> list[Connection]:
        """Open sockets that receive the messages of the shared channel."""
        return await connect_all(self.host, self.port, [GatewayDialect(self.listener, self.channel)] * count, tally)

    async def bystanders(self, count: int, tally: Tally) -> list[Connection]:
        """Open sockets of members of its server that watch no channel."""
        return await connect_all(self.host, self.port, [GatewayDialect(self.listener)] * count, tally)

    async def connect_senders(self, count: int) -> list[Connection]:
        """Open sockets of users that may send."""
        return await connect_all(
            self.host, self.port, [GatewayDialect(token) for token in self.senders[:count]], Tally()
        )

    async def open_senders(self, count: int, *, together: bool) -> list[Sender]:
        """Open senders, all in one channel or each in its own."""
        channels = [self.channel] * count if together else self.own_channels
        return [
            Sender(connection, *send_frames(channel))
            for connection, channel in zip(await self.connect_senders(count), channels, strict=False)
        ]

    async def readers(self, count: int) -> list[Sender]:
        """Open readers of the newest page of the shared channel."""
        return [Sender(connection, page_frame(self.channel)) for connection in await self.connect_senders(count)]


async def users_of_store(store: str, count: int) -> list[str]:
    """Register users in a store that is not served yet, and return their tokens."""
    settings = Settings(store=store, rate_limits="off")
    async with Sobremesa.open(settings=settings, background=False) as app:
        return [(await app.accounts.register(**_new_user(number))).access_token for number in range(count)]


async def users_of_server(url: str, count: int) -> list[str]:
    """Register users on a running server, and return their tokens."""
    async with _Api(url) as api:
        tokens = []
        for number in range(count):
            registered = await api.post("/auth/register", None, _new_user(number))
            tokens.append(str(registered["accessToken"]))
        return tokens


async def prepare(url: str, tokens: Sequence[str]) -> Stage:
    """Create the rooms of these users: the first one receives, the others send."""
    listener, *senders = tokens
    address = urlsplit(url)
    async with _Api(url) as api:
        server_id, channel = await api.create_channel(listener)
        invite = await api.post(f"/servers/{server_id}/invites", listener)
        own = []
        for token in senders:
            await api.post(f"/invites/{invite['code']}/redeem", token)
            own.append((await api.create_channel(token))[1])
        for number in range(PAGE):
            await api.post(f"/channels/{channel}/messages", listener, {"content": content(number)})
    return Stage(address.hostname or "", address.port or 80, listener, senders, own, channel)


async def rss_by_metrics(url: str | None) -> int | None:
    """Return the memory of a server from its metrics, in bytes; None if not available."""
    if url is None:
        return None
    try:
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            for line in (await answer.text()).splitlines():
                if line.startswith("process_resident_memory_bytes "):
                    return int(float(line.split()[1]))
    except aiohttp.ClientError:
        pass
    return None


def _new_user(number: int) -> dict[str, str]:
    name = f"load-{secrets.token_hex(5)}-{number}"
    return {"email": f"{name}@example.com", "username": name, "password": secrets.token_urlsafe(12)}


class _Api:
    """The few requests of the HTTP API that are needed."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def __aenter__(self) -> _Api:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def create_channel(self, token: str) -> tuple[str, str]:
        """Create a server with a channel, and return both ids."""
        server_id = (await self.post("/servers", token, {"name": "Load test"}))["serverId"]
        channel = await self.post(f"/servers/{server_id}/channels", token, {"name": "load"})
        return str(server_id), str(channel["channelId"])

    async def post(self, path: str, token: str | None, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        try:
            async with self._session.post(f"{self._url}/v1{path}", headers=headers, json=body) as answer:
                if answer.status == 429:
                    raise LoadFailed("the server has rate limits: set SOBREMESA_RATE_LIMITS=off there")
                if answer.status >= 400:
                    raise LoadFailed(f"POST {path}: {answer.status} {(await answer.text())[:200]}")
                found: dict[str, Any] = await answer.json()
                return found
        except aiohttp.ClientError as error:
            raise LoadFailed(f"cannot connect to {self._url}: {error}") from None
        except TimeoutError:
            raise LoadFailed(f"{self._url} did not answer") from None
