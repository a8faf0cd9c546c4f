"""`served` is a server in this process, `long_table` a community with a channel in it."""

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


class LongTable(NamedTuple):
    """Ana owns it, Bea and Carl are members; Dora is a stranger."""

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
async def table(served: ServedApp) -> LongTable:
    return await long_table(served)


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the buffers between server and client small, so that little data fills them."""

    def small(send: Any) -> Wire:
        connected = send.__self__.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return wire_of(send)

    monkeypatch.setattr(gateway, "wire_of", small)


async def long_table(served: ServedApp) -> LongTable:
    ana, bea, carl, dora = [await served.person(name) for name in ("ana", "bea", "carl", "dora")]
    server_id = await served.server(ana, bea, carl)
    return LongTable(ana, bea, carl, dora, server_id, await served.channel(ana, server_id))
