"""A change consumer passes on every change, and work that fails delays no other work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.core.ids import Ids
from sobremesa.table import Put, RawChange, Table
from sobremesa.work.consumers import ChangeConsumer
from sobremesa.work.consumers.entities import Progress
from sobremesa.work.consumers.service import EARLIER, ReaderTimes
from sobremesa.work.jobs import Jobs
from table.engines import embedded

SOON_SECONDS = 60


class JobRecorder:
    """Work that notes the jobs it has seen, and can be made to fail."""

    def __init__(self) -> None:
        self.is_broken = False
        self.failures = 0
        self.done: list[object] = []
        self._noted: list[object] = []
        self._happened = asyncio.Condition()

    def collect(self, change: RawChange) -> None:
        if change.new is not None and "subject" in change.new:
            self._noted.append(change.new["subject"])

    async def flush(self) -> None:
        async with self._happened:
            self._happened.notify_all()
            if self.is_broken:
                self.failures += 1
                raise RuntimeError("the shop is closed")
            self.done += self._noted
            self._noted.clear()

    async def until_done(self, *subjects: str) -> None:
        async with asyncio.timeout(SOON_SECONDS), self._happened:
            await self._happened.wait_for(lambda: self.done == list(subjects))

    async def until_failed(self) -> None:
        async with asyncio.timeout(SOON_SECONDS), self._happened:
            await self._happened.wait_for(lambda: self.failures > 0)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def table(clock: SetClock) -> AsyncIterator[Table]:
    async with embedded(None, clock) as engine:
        yield Table(engine, clock=clock)


async def test_work_that_fails_keeps_no_other_waiting_and_misses_nothing(table: Table, clock: SetClock) -> None:
    jobs, broken, other = Jobs(table, clock, Ids(clock)), JobRecorder(), JobRecorder()
    broken.is_broken = True
    following = asyncio.create_task(ChangeConsumer(table, clock, Ids(clock), {"broken": broken, "other": other}).run())

    await table.write(jobs.new("fetch", "bread"))
    await broken.until_failed()
    await table.write(jobs.new("fetch", "milk"))
    await other.until_done("bread", "milk")
    broken.is_broken = False
    await broken.until_done("bread", "milk")

    following.cancel()
    await asyncio.gather(following, return_exceptions=True)


async def test_what_failed_until_the_end_is_done_by_the_next(table: Table, clock: SetClock) -> None:
    jobs, broken, other = Jobs(table, clock, Ids(clock)), JobRecorder(), JobRecorder()
    broken.is_broken = True
    following = asyncio.create_task(ChangeConsumer(table, clock, Ids(clock), {"broken": broken, "other": other}).run())
    await table.write(jobs.new("fetch", "bread"))
    await other.until_done("bread")
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    clock.move(seconds=ReaderTimes().lease_seconds + 1)

    later = JobRecorder()
    await ChangeConsumer(table, clock, Ids(clock), {"broken": later}).catch_up()

    assert later.done == ["bread"]


@pytest.mark.parametrize("position", ["0123456789abcdef-7", "gqRhcm6kYXJu", "not a position"])
async def test_progress_of_another_store_starts_at_the_oldest_change(
    table: Table, clock: SetClock, position: str
) -> None:
    jobs, recorder = Jobs(table, clock, Ids(clock)), JobRecorder()
    await table.write(jobs.new("fetch", "bread"))
    await table.write(Put(Progress(name=EARLIER, position=position, holder="a process of theirs")))
    consumer = ChangeConsumer(table, clock, Ids(clock), {"recorder": recorder})
    await consumer.catch_up()
    await table.write(jobs.new("fetch", "milk"))
    await consumer.catch_up()

    assert recorder.done == ["bread", "milk"]
