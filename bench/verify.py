"""Verifies the bound: the same sends, by the engine and by hand, must store the same rows, byte for byte."""

from __future__ import annotations

from pathlib import Path

from bench.contender import seed
from bench.raw import RawContender
from bench.workload import EPOCH_MS, Rooms, operations
from sobremesa.core.clock import SetClock
from sobremesa.table import Layout
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.embedded.file import connect

ROOMS = 8
SENDS = 256
TABLES = ("items", "index_1", "index_2", "changes")


class Unequal(Exception):
    """The bound writes other rows than the engine, so a comparison would be meaningless."""


async def verify(folder: Path) -> None:
    """Raise Unequal if the bound's rows differ from the engine's."""
    layout = Layout()
    by_engine, by_hand = str(folder / "verify-engine.db"), str(folder / "verify-raw.db")
    for path in (by_engine, by_hand):
        engine = await EmbeddedEngine.open(path, layout, clock=SetClock(EPOCH_MS))
        rooms = Rooms(ROOMS)
        await seed(engine, rooms, 1, 1, writers=1)
        await engine.close()
        if path == by_engine:
            # Opened again, as by the raw contender: rows of the log are compressed with what was written since.
            engine = await EmbeddedEngine.open(path, layout, clock=SetClock(EPOCH_MS))
            for number in range(SENDS):
                await engine.transact(operations(rooms.next_send(number % ROOMS)), None)
            await engine.close()

    rooms = Rooms(ROOMS)
    rooms.next_send(0)
    raw = RawContender("raw", by_hand, layout, rooms, [])
    if not raw.is_durable:
        raise Unequal("the file is not opened with a write-ahead log and synchronous=FULL")
    for number in range(SENDS):  # each in its own commit, as by the engine: a commit is a row of the log
        raw.commit([rooms.next_send(number % ROOMS)])
    raw.close()

    _compare(by_engine, by_hand)


def _compare(by_engine: str, by_hand: str) -> None:
    left, right = connect(by_engine), connect(by_hand)
    try:
        for table in TABLES:
            rows = f"SELECT * FROM {table} ORDER BY 1, 2"
            if left.execute(rows).fetchall() != right.execute(rows).fetchall():
                raise Unequal(f"the bound leaves other rows in the table {table} than the engine")
    finally:
        left.close()
        right.close()
