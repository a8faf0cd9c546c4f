"""A product with users, rooms and a server key, whose backend calls the API of a server in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from api.calling import Caller
from gateway.served_app import ServedApp
from sobremesa.core.actor import DEFAULT_TENANT, Tenant
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.sessions import SignedIn
from webhooks.receiver import SOON_SECONDS

AT = "/tenants/default/webhooks"


class Product:
    """The product's backend and one of its users, with two channels."""

    def __init__(self, served: ServedApp, backend: Caller, ana: SignedIn, rooms: list[RoomId]) -> None:
        self.served = served
        self.app = served.app
        self.backend = backend
        self.ana = ana
        self.rooms = rooms

    async def send(self, *contents: str, room: int = 0) -> None:
        for content in contents:
            await self.served.send(self.ana, self.rooms[room], content)

    async def hook(self, url: str, events: list[str] | None = None, **more: Any) -> dict[str, Any]:
        body = {"url": url, "events": events or ["message.created"], **more}
        created: dict[str, Any] = await self.backend.post(AT, body)
        return created

    async def get(self, hook: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = await self.backend.get(f"{AT}/{hook['hookId']}")
        return found

    async def deliveries(self, hook: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = (await self.backend.get(f"{AT}/{hook['hookId']}/deliveries", **query))["items"]
        return listed


async def create_product(served: ServedApp) -> Product:
    ana = await served.create_user("ana")
    server_id = await served.server(ana)
    rooms = [await served.channel(ana, server_id, name) for name in ("one", "two")]
    return Product(served, await backend_of(served), ana, rooms)


async def backend_of(served: ServedApp, tenant: Tenant = DEFAULT_TENANT) -> Caller:
    key = await served.app.accounts.server_keys.create_key(tenant, ["webhooks:admin"])
    return Caller(served.http, key.text)


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something that no event announces is so."""
    async with asyncio.timeout(SOON_SECONDS):
        while True:
            if await holds():
                return
            await asyncio.sleep(0.02)
