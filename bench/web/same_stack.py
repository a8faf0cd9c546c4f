"""The same stack without the product: our server, edge, endpoints and tokens, answering from memory, and echoing."""

from __future__ import annotations

import sys
from pathlib import Path

from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.http import logs
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Encoded, Input, Listed, Routes
from sobremesa.http.limits import NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.server import run, serve
from sobremesa.http.site import Site
from sobremesa.rooms.api import HistoryQuery, NewMessage
from sobremesa.rooms.views import MessageView


class Echo(Input):
    content: str


def routes(page: bytes) -> Routes:
    """The two routes, with the same types as the real ones."""
    api = Routes("Channels")

    @api.get("/channels/{room_id}/messages")
    async def list_messages(actor: Actor, room_id: RoomId, query: HistoryQuery) -> Encoded[Listed[MessageView]]:
        """Return the same page for every request."""
        return Encoded(page)

    @api.post("/channels/{room_id}/messages", status=201)
    async def send_message(actor: Actor, room_id: RoomId, body: NewMessage) -> Echo:
        """Return the request body."""
        return Echo(body.content)

    return api


async def main(port: int, page: bytes, store: str) -> None:
    """Serve on a port, for the users of a store."""
    settings = Settings(store=store, rate_limits="off")
    logs.configure("json")
    async with Sobremesa.open(settings=settings, background=False) as app:
        dispatch = Dispatch(
            routes(page).endpoints,
            app.accounts.authenticate,
            NoLimits(),
            max_body_bytes=settings.max_body_bytes,
            request_seconds=settings.request_seconds,
        )
        site = Site(dispatch, version="0", public_url=settings.public_url, ready=_ready, metrics=Metrics())
        await serve(site, host="127.0.0.1", port=port, drain_seconds=1)


async def _ready() -> None:
    pass


if __name__ == "__main__":
    run(main(int(sys.argv[1]), Path(sys.argv[2]).read_bytes(), sys.argv[3]))
