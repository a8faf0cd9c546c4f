"""`served` is a server in this process, `shared` a channel with three members in it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gateway.served_app import ServedApp, serve_app
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerId
from sobremesa.live import gateway
from sobremesa.live.wire import Wire, wire_of


class SharedChannel(NamedTuple):
    """A channel of a server: Ana owns it, Bea and Carl are members, Dora is not."""

    ana: SignedIn
    bea: SignedIn
    carl: SignedIn
    dora: SignedIn
    server_id: ServerId
    channel_id: RoomId


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'chat.db'}"


@pytest.fixture
async def served(store: str) -> AsyncIterator[ServedApp]:
    async with serve_app(store) as served:
        yield served


@pytest.fixture
async def shared(served: ServedApp) -> SharedChannel:
    return await shared_channel(served)


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the buffers between server and client small, so that little data fills them."""

    def small(send: Any) -> Wire:
        connected = send.__self__.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return wire_of(send)

    monkeypatch.setattr(gateway, "wire_of", small)


async def shared_channel(served: ServedApp) -> SharedChannel:
    ana, bea, carl, dora = [await served.create_user(name) for name in ("ana", "bea", "carl", "dora")]
    server_id = await served.server(ana, bea, carl)
    return SharedChannel(ana, bea, carl, dora, server_id, await served.channel(ana, server_id))
