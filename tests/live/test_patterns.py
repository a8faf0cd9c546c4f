"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cheap import CHEAP
from pattern_tests import Asked, PatternTests, writes_of
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import Settings
from sobremesa.glue.event_catalog import translation_of
from sobremesa.glue.node_registry import TableNodeRegistry
from sobremesa.live import entities as live
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.presence import PresenceTimes
from sobremesa.live.stream_feed import StreamFeed
from sobremesa.table import Entity, Registry

REGISTRY = Registry.of(live)
FAR = 4_102_444_800


class Dataset(NamedTuple):
    """Rows of every kind, two and more of each, so that a question can find too much."""

    marks: list[live.TrailMark]
    nodes: list[live.Node]
    pump: live.PumpProgress

    def rows(self) -> list[Entity]:
        return [*self.marks, *self.nodes, self.pump]


def create_dataset() -> Dataset:
    return Dataset(
        marks=[
            live.TrailMark(hour=hour, at_ms=at_ms, run="r", number=number, position="p", ttl=FAR)
            for hour, at_ms, number in ((1, 10, 5), (1, 11, 7), (2, 12, 9))
        ],
        nodes=[live.Node(node_id=name, leased_until_ms=1, ttl=FAR) for name in ("a", "b")],
        pump=live.PumpProgress(position="p"),
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    "LIV.1": lambda s: (live.marks_in(hour=1), s.marks[:2]),
    "LIV.3": lambda s: (live.nodes(), s.nodes),
    "LIV.4": lambda s: (live.node_by_id(node_id="b"), [s.nodes[1]]),
    "LIV.7": lambda s: (live.pump_progress(), [s.pump]),
}


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["embedded", "dynamodb"])
async def app(request: pytest.FixtureRequest, clock: SetClock, tmp_path: Path) -> AsyncIterator[Sobremesa]:
    store = "sqlite://" if request.param == "embedded" else request.getfixturevalue("store")
    settings = Settings(
        **CHEAP, rate_limits="off", files=(tmp_path / "files").as_uri(), records=f"sqlite:///{tmp_path / 'records.db'}"
    )
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens(app: Sobremesa, clock: SetClock) -> None:
    translation = translation_of(app.table, clock, app.accounts)
    feed = StreamFeed(app.table, clock, translation, EventCursors())
    await feed.open(lambda _: True)
    await feed.close()
    times = PresenceTimes()
    dead = TableNodeRegistry(app.table, clock, "dead", times, alone=False)
    await dead.renew()
    await dead.renew()
    clock.move(seconds=times.lease_seconds + 1)
    assert not await TableNodeRegistry(app.table, clock, "other", times, alone=False).remove_dead_nodes()

    writes = writes_of(REGISTRY)
    assert writes - set(app.table.meter.totals()) == set()
    assert await app.table.get(live.node_by_id(node_id="dead")) is None
    assert not await dead.renew(), "its entry has expired: it must register again what it holds"
