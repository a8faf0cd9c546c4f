"""A community with a channel and some users, behind a real server in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from cheap import CHEAP
from gateway.connection import Connection
from sobremesa.app import Sobremesa
from sobremesa.core.clock import Clock
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerId
from sobremesa.http.server import serve
from sobremesa.http.site import Site
from sobremesa.rooms.sending import Draft

DRAIN_SECONDS = 5.0


class ServedApp:
    """An application and its server."""

    def __init__(self, app: Sobremesa, url: str, http: aiohttp.ClientSession, site: Site | None = None) -> None:
        self.app = app
        self.url = url
        self.http = http
        self.metrics_port = None if site is None else site.metrics_port
        self.gateway = None if site is None else site.gateway

    async def create_user(self, name: str) -> SignedIn:
        return await self.app.accounts.register(
            email=f"{name}@example.com", username=name, password="correct horse battery"
        )

    async def server(self, owner: SignedIn, *members: SignedIn, name: str = "The long table") -> ServerId:
        """Create a server with these members."""
        server = await self.app.communities.create_server(owner.actor, name=name)
        invite = await self.app.communities.invites.create(owner.actor, server.server_id)
        for member in members:
            await self.app.communities.invites.redeem(member.actor, invite.code)
        return server.server_id

    async def channel(self, owner: SignedIn, server_id: ServerId, name: str = "general") -> RoomId:
        created = await self.app.communities.create_channel(owner.actor, server_id, name=name)
        return created.channel.channel_id

    async def send(self, who: SignedIn, room_id: RoomId, content: str) -> str:
        """Send a message in a channel; return its id."""
        return (await self.app.communities.send(who.actor, room_id, Draft(content))).message_id

    def connect(self, who: SignedIn | None = None, **options: Any) -> Connection:
        """Return a socket for this user, or an unidentified one."""
        return Connection(self.url, None if who is None else who.access_token, **options)

    async def get(self, who: SignedIn, path: str, **query: Any) -> Any:
        """Return the response to a GET under /v1."""
        async with self.http.get(
            f"/v1{path}", params=query, headers={"Authorization": f"Bearer {who.access_token}"}
        ) as answer:
            return json.loads(await answer.read())


@asynccontextmanager
async def serve_app(store: str, *, clock: Clock | None = None, **settings: Any) -> AsyncIterator[ServedApp]:
    """Serve an application on a store until the end of the block."""
    chosen = Settings(**{"store": store, "rate_limits": "off"} | CHEAP | settings)
    async with (
        Sobremesa.open(settings=chosen, clock=clock) as app,
        _served(app, site := app.site()) as url,
        aiohttp.ClientSession(url) as http,
    ):
        yield ServedApp(app, url, http, site)


@asynccontextmanager
async def _served(app: Sobremesa, site: Site) -> AsyncIterator[str]:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    server = asyncio.create_task(
        serve(
            site,
            host="127.0.0.1",
            port=0,
            metrics=("127.0.0.1", 0),
            drain_seconds=DRAIN_SECONDS,
            trusted_proxies=app.settings.trusted_proxies,
            on_ready=address.set_result,
            stop=stop,
        )
    )
    both: list[asyncio.Future[Any]] = [address, server]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if server.done():
        server.result()
    try:
        yield await address
    finally:
        stop.set()
        await server
