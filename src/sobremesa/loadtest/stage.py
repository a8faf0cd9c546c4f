"""The stage: people and rooms for a load test, at a server of its own or at somebody else's."""

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
from sobremesa.loadtest.scenarios import Voice

PAGE = 50


class Stage(NamedTuple):
    """Where everything is."""

    host: str
    port: int
    listener: str
    """The token of the person behind all sockets that only listen."""
    senders: list[str]
    own_channels: list[str]
    """One for each sender, in a server where they are alone."""
    channel: str
    """The one in which everybody is."""

    async def listeners(self, count: int, tally: Tally) -> list[Connection]:
        """So many sockets that hear what is said in the common channel."""
        return await connect_all(self.host, self.port, [GatewayDialect(self.listener)] * count, tally)

    async def speakers(self, count: int) -> list[Connection]:
        """Sockets of so many people who may send."""
        return await connect_all(
            self.host, self.port, [GatewayDialect(token) for token in self.senders[:count]], Tally()
        )

    async def voices(self, count: int, *, together: bool) -> list[Voice]:
        """So many who send, all in one channel or each in their own."""
        channels = [self.channel] * count if together else self.own_channels
        return [
            Voice(connection, *send_frames(channel))
            for connection, channel in zip(await self.speakers(count), channels, strict=False)
        ]

    async def readers(self, count: int) -> list[Voice]:
        """So many who ask for the newest page of the common channel."""
        return [Voice(connection, page_frame(self.channel)) for connection in await self.speakers(count)]


async def people_of_store(store: str, count: int) -> list[str]:
    """Tokens of so many new people in a store that nobody serves yet."""
    settings = Settings(store=store, rate_limits="off")
    async with Sobremesa.open(settings=settings, background=False) as app:
        return [(await app.accounts.register(**_person(number))).access_token for number in range(count)]


async def people_of_server(url: str, count: int) -> list[str]:
    """Tokens of so many people who register at a running server."""
    async with _Api(url) as api:
        tokens = []
        for number in range(count):
            registered = await api.post("/auth/register", None, _person(number))
            tokens.append(str(registered["accessToken"]))
        return tokens


async def prepare(url: str, tokens: Sequence[str]) -> Stage:
    """Rooms for these people: the first listens, the others send."""
    listener, *senders = tokens
    address = urlsplit(url)
    async with _Api(url) as api:
        server_id, channel = await api.make_channel(listener)
        invite = await api.post(f"/servers/{server_id}/invites", listener)
        own = []
        for token in senders:
            await api.post(f"/invites/{invite['code']}/redeem", token)
            own.append((await api.make_channel(token))[1])
        for number in range(PAGE):
            await api.post(f"/channels/{channel}/messages", listener, {"content": content(number)})
    return Stage(address.hostname or "", address.port or 80, listener, senders, own, channel)


async def rss_by_metrics(url: str | None) -> int | None:
    """How much memory a server has by its metrics, in bytes; None where they are not given or do not tell."""
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


def _person(number: int) -> dict[str, str]:
    name = f"load-{secrets.token_hex(5)}-{number}"
    return {"email": f"{name}@example.com", "username": name, "password": secrets.token_urlsafe(12)}


class _Api:
    """The HTTP API, as far as it is needed."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def __aenter__(self) -> _Api:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def make_channel(self, token: str) -> tuple[str, str]:
        """A server with a channel: the ids of both."""
        server_id = (await self.post("/servers", token, {"name": "Load test"}))["serverId"]
        channel = await self.post(f"/servers/{server_id}/channels", token, {"name": "load"})
        return str(server_id), str(channel["channelId"])

    async def post(self, path: str, token: str | None, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        try:
            async with self._session.post(f"{self._url}/v1{path}", headers=headers, json=body) as answer:
                if answer.status == 429:
                    raise LoadFailed(
                        "the server limits how often one may do things: set SOBREMESA_RATE_LIMITS=off there"
                    )
                if answer.status >= 400:
                    raise LoadFailed(f"POST {path}: {answer.status} {(await answer.text())[:200]}")
                found: dict[str, Any] = await answer.json()
                return found
        except aiohttp.ClientError as error:
            raise LoadFailed(f"cannot speak to {self._url}: {error}") from None
        except TimeoutError:
            raise LoadFailed(f"{self._url} did not answer") from None
