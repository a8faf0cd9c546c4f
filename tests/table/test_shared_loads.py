"""Loads that several readers share, and when each of them began."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import ReadCache, SharedLoads, Table
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.faults import FaultyEngine, Rates


class Loading:
    """A load that ends when a test says so, with the number of loads that had begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Semaphore(0)

    async def __call__(self) -> int:
        self.begun += 1
        number = self.begun
        await self.may_end.acquire()
        return number


@pytest.fixture
def loads(memory: EmbeddedEngine, clock: SetClock) -> SharedLoads:
    return SharedLoads(Table(FaultyEngine(memory, Rates()), clock=clock))


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def asked(tasks: Sequence[asyncio.Task[int]], load: Loading, ends: int) -> list[int]:
    await turns()
    for _ in range(ends):
        load.may_end.release()
        await turns()
    return list(await asyncio.gather(*tasks))


async def test_readers_who_ask_during_a_load_share_the_next_one(loads: SharedLoads) -> None:
    load = Loading()
    tasks = [asyncio.create_task(loads.following("pk", "what", load))]
    await turns()
    tasks += [asyncio.create_task(loads.following("pk", "what", load)) for _ in range(3)]

    assert await asked(tasks, load, 2) == [1, 2, 2, 2]
    assert await asked([asyncio.create_task(loads.following("pk", "what", load))], load, 1) == [3]


async def test_reader_who_asks_during_the_next_load_gets_the_one_after_it(loads: SharedLoads) -> None:
    load = Loading()
    tasks = [asyncio.create_task(loads.following("pk", "what", load))]
    await turns()
    tasks.append(asyncio.create_task(loads.following("pk", "what", load)))
    await turns()
    load.may_end.release()
    await turns()
    tasks.append(asyncio.create_task(loads.following("pk", "what", load)))

    assert await asked(tasks, load, 2) == [1, 2, 3]


async def test_running_load_is_joined(loads: SharedLoads) -> None:
    load = Loading()
    tasks = [asyncio.create_task(loads.running("pk", "what", load))]
    await turns()
    tasks += [asyncio.create_task(loads.running("pk", "what", load)) for _ in range(3)]

    assert await asked(tasks, load, 1) == [1, 1, 1, 1]


async def test_other_questions_are_loaded_side_by_side(loads: SharedLoads) -> None:
    load = Loading()
    tasks = [asyncio.create_task(loads.following("pk", what, load)) for what in ("one", "other")]
    tasks.append(asyncio.create_task(loads.following("other pk", "one", load)))

    assert sorted(await asked(tasks, load, 3)) == [1, 2, 3]


async def test_reader_who_is_cancelled_leaves_the_load_to_the_others(loads: SharedLoads) -> None:
    load = Loading()
    first = asyncio.create_task(loads.running("pk", "what", load))
    await turns()
    second = asyncio.create_task(loads.running("pk", "what", load))
    await turns()
    first.cancel()

    assert await asked([second], load, 1) == [1]


async def test_error_reaches_all_and_is_not_kept(loads: SharedLoads) -> None:
    async def fail() -> int:
        await asyncio.sleep(0)
        raise ValueError("no")

    found = await asyncio.gather(*(loads.following("pk", "what", fail) for _ in range(3)), return_exceptions=True)
    load = Loading()

    assert [type(each) for each in found] == [ValueError] * 3
    assert await asked([asyncio.create_task(loads.following("pk", "what", load))], load, 1) == [1]


async def test_engine_that_knows_its_versions_loads_for_each(memory: EmbeddedEngine, clock: SetClock) -> None:
    loads, load = SharedLoads(Table(memory, clock=clock)), Loading()
    tasks = [asyncio.create_task(loads.following("pk", "what", load)) for _ in range(3)]

    assert sorted(await asked(tasks, load, 3)) == [1, 2, 3]


async def test_result_of_a_shared_load_is_not_cached(memory: EmbeddedEngine, clock: SetClock) -> None:
    """The partition that a reader depends on was read by another one, so the reader's own ledger has no version."""
    table = Table(FaultyEngine(memory, Rates()), clock=clock)
    loads, load, cache = SharedLoads(table), Loading(), ReadCache[str, int](table, 10)

    async def read() -> int:
        return await cache.get_or_load("key", lambda: loads.following("pk", "what", load))

    tasks = [asyncio.create_task(read())]
    await turns()
    tasks += [asyncio.create_task(read()) for _ in range(2)]

    assert await asked(tasks, load, 2) == [1, 2, 2]
    assert await asked([asyncio.create_task(read())], load, 1) == [3]
