"""`server` is a real server in a process of its own; `proxy` is in front of it, and can lose responses."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from api.running import Server, serving
from client.proxy import LossyProxy
from client.timing import ManualTime


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("client")
    with serving(f"sqlite:///{folder / 'chat.db'}", folder / "server.log") as running:
        yield running


@pytest.fixture(scope="package")
def crowded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that delivers lazily in every community, however small."""
    folder = tmp_path_factory.mktemp("crowded")
    with serving(f"sqlite:///{folder / 'chat.db'}", folder / "server.log", lazy_delivery_above="0") as running:
        yield running


@pytest.fixture
async def proxy(server: Server) -> AsyncIterator[LossyProxy]:
    async with LossyProxy(server.url) as proxy:
        yield proxy


@pytest.fixture
def manual_time() -> ManualTime:
    return ManualTime()


@pytest.fixture
def fresh() -> str:
    """A word that no other test uses, for names."""
    return uuid.uuid4().hex[:10]
