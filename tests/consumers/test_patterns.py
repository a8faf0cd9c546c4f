"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cheap import CHEAP
from consumers.stream_nodes import eventually
from pattern_tests import Asked, PatternTests, require_writes
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.table import Entity, Registry
from sobremesa.work.consumers import entities as consumers

REGISTRY = Registry.of(consumers)
FAR = 4_102_444_800


class Dataset(NamedTuple):
    """Rows of every kind, two of each, so that a question can find too much."""

    nodes: list[consumers.StreamNode]
    shards: list[consumers.ShardProgress]
    progress: list[consumers.Progress]

    def rows(self) -> list[Entity]:
        return [*self.nodes, *self.shards, *self.progress]


def create_dataset() -> Dataset:
    return Dataset(
        nodes=[consumers.StreamNode(node_id=name, leased_until_ms=1, ttl=FAR) for name in ("a", "b")],
        shards=[consumers.ShardProgress(stream="s", shard_id=name) for name in ("one", "two")],
        progress=[consumers.Progress(name=name) for name in ("one", "two")],
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    "FOL.1": lambda s: (consumers.progress_of(name="two"), [s.progress[1]]),
    "FOL.3": lambda s: (consumers.stream_rows(), [*s.nodes, *s.shards]),
    "FOL.4": lambda s: (consumers.shard_progress(stream="s", shard_id="two"), [s.shards[1]]),
}


@pytest.fixture(params=["embedded", "dynamodb"])
async def app(
    request: pytest.FixtureRequest, dynamodb_endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Sobremesa]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    store = "sqlite://"
    if request.param == "dynamodb":
        store = f"dynamodb://consumers-{uuid.uuid4().hex}?region=eu-west-1&endpoint={dynamodb_endpoint.url}"
    settings = Settings(
        **CHEAP, rate_limits="off", files=(tmp_path / "files").as_uri(), records=f"sqlite:///{tmp_path / 'records.db'}"
    )
    async with Sobremesa.open(store, settings=settings, background=False) as app:
        yield app


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS
    whole = ("FOL.3",)

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens(app: Sobremesa) -> None:
    running = asyncio.create_task(app.change_consumer.run())
    await eventually(lambda: bool(app.change_consumer.shards))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    require_writes(REGISTRY, app.table.meter.totals())
