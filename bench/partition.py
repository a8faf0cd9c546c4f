"""What a page costs in a partition of any size, and how the file and the memory grow with the messages.

It runs in a process of its own, so that the memory is that of the engine and not of the other contenders. First sends
over a thousand conversations, for growth; then conversations of given sizes, filled by batches, for the cost of
questions to them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec
import psutil
import uvloop

from bench.contender import BATCH, seed
from bench.lock import Lock
from bench.plan import Plan
from bench.results import Growth, Partitions, Step
from bench.workload import (
    COUNT,
    PAGE,
    Rooms,
    count_of_100,
    message_id,
    message_item,
    message_key,
    newest,
    operations,
)
from sobremesa.core.clock import SystemClock
from sobremesa.table import Layout, RawKey
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.embedded.file import connect
from sobremesa.table.engines.protocol import PutItem

ROOMS = 1000
WRITERS = 64
GROWTH_STEPS = 4
ROUNDS = 9
CALLS_A_ROUND = 200


async def measure_partitions(folder: Path, plan: Plan, lock: Path | None) -> Partitions:
    """Run this module in another process and return its results."""
    command = ["-m", "bench.partition", str(folder), str(plan.growth_sends), *map(str, plan.partition_sizes)]
    command += ["--lock", str(lock)] if lock else []
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"bench.partition ended with status {process.returncode}")
    return msgspec.json.decode(output, type=Partitions)


class Filled:
    """One conversation of a known size; its messages were minted one after the other."""

    def __init__(self, room: int, size: int) -> None:
        self.room = room
        self.size = size
        self.first = 0

    def message(self, number: int) -> RawKey:
        return message_key(self.room, message_id(self.first + number))


async def _measure(folder: Path, sends: int, sizes: list[int], lock: Lock) -> Partitions:
    path = folder / "partition.db"
    engine = await EmbeddedEngine.open(str(path), Layout(), clock=SystemClock())
    rooms = Rooms(ROOMS + len(sizes))
    await seed(engine, rooms, 0, 0)
    growth = await _grow(engine, path, rooms, sends)
    filled = [Filled(ROOMS + number, size) for number, size in enumerate(sizes)]
    for each in filled:
        await _fill(engine, rooms, each)
    steps = await _ask(engine, filled, lock)
    stored, file_bytes, rss = sends + sum(sizes), _file_bytes(path), _rss()
    await engine.close()
    return Partitions(growth=growth, steps=steps, stored=stored, file_bytes=file_bytes, rss=rss)


async def _grow(engine: EmbeddedEngine, path: Path, rooms: Rooms, sends: int) -> list[Growth]:
    growth: list[Growth] = []
    before = _rss()
    places = cycle(range(ROOMS))
    for step in range(1, GROWTH_STEPS + 1):
        left = iter(range(sends // GROWTH_STEPS))

        async def writer(left: Iterator[int] = left) -> None:
            for _ in left:
                await engine.transact(operations(rooms.next_send(next(places))), None)

        await asyncio.gather(*(writer() for _ in range(WRITERS)))
        growth.append(
            Growth(
                sends=step * (sends // GROWTH_STEPS),
                file_bytes=_file_bytes(path),
                bytes_by_table=bytes_by_table(path),
                rss_before=before,
                rss_after=_rss(),
            )
        )
    return growth


async def _fill(engine: EmbeddedEngine, rooms: Rooms, filled: Filled) -> None:
    batches = iter(range(0, filled.size, BATCH))
    filled.first = rooms.minted + 1

    async def writer() -> None:
        for first in batches:
            batch = []
            for _ in range(min(BATCH, filled.size - first)):
                item = message_item(rooms.next_send(filled.room))
                batch.append(PutItem(RawKey(item["pk"], item["sk"]), item))
            await engine.batch_write(batch)

    await asyncio.gather(*(writer() for _ in range(WRITERS)))


async def _ask(engine: EmbeddedEngine, filled: list[Filled], lock: Lock) -> list[Step]:
    chance = random.Random(1)
    costs: dict[int, dict[str, list[float]]] = {
        each.size: {name: [] for name in ("newest_page", "random_page", "count", "get")} for each in filled
    }
    for number in range(ROUNDS):
        for each in filled if number % 2 else reversed(filled):
            async with lock.held():
                for name, ask in _questions(engine, each, chance).items():
                    costs[each.size][name].append(await _cost(ask))
    return [
        Step(messages=size, **{name: median(values) for name, values in by_question.items()})
        for size, by_question in costs.items()
    ]


def _questions(
    engine: EmbeddedEngine, filled: Filled, chance: random.Random
) -> dict[str, Callable[[], Awaitable[None]]]:
    async def newest_page() -> None:
        assert (await engine.query(newest(filled.room))).count == PAGE

    async def random_page() -> None:
        start = filled.message(chance.randrange(PAGE, filled.size))
        assert (await engine.query(newest(filled.room, start=start))).count == PAGE

    async def count() -> None:
        assert (await engine.query(count_of_100(filled.room))).count == COUNT

    async def get() -> None:
        assert (await engine.get(filled.message(chance.randrange(filled.size)), consistent=True, fields=None)).item

    return {"newest_page": newest_page, "random_page": random_page, "count": count, "get": get}


async def _cost(ask: Callable[[], Awaitable[None]]) -> float:
    """Return microseconds per call."""
    await ask()
    started = perf_counter()
    for _ in range(CALLS_A_ROUND):
        await ask()
    return 1e6 * (perf_counter() - started) / CALLS_A_ROUND


def _file_bytes(path: Path) -> int:
    """Return the size of the file alone: most pages in the write-ahead log already have space in it."""
    return path.stat().st_size


def bytes_by_table(path: Path) -> dict[str, int]:
    connection = connect(str(path))
    try:
        rows = connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE").fetchall()
        return {str(name): int(str(size)) for name, size in rows}
    finally:
        connection.close()


def _rss() -> int:
    return int(psutil.Process().memory_info().rss)


def main() -> None:
    """Measure, and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("sends", type=int)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--lock", type=Path)
    given = parser.parse_args()
    found = uvloop.run(_measure(given.folder, given.sends, given.sizes, Lock(given.lock)))
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
