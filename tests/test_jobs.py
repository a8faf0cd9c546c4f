"""Jobs outlive the process that asked for them, and two runners never hold one at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.core.ids import Ids
from sobremesa.table import Table
from sobremesa.work.jobs import Jobs, service
from sobremesa.work.jobs.service import LEASE_SECONDS
from table.engines import embedded


@pytest.fixture
async def table(clock: SetClock) -> AsyncIterator[Table]:
    async with embedded(None, clock) as engine:
        yield Table(engine, clock=clock)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def jobs(table: Table, clock: SetClock) -> Jobs:
    return Jobs(table, clock, Ids(clock))


async def test_a_job_is_done_once_and_struck_off(table: Table, jobs: Jobs) -> None:
    done: list[str] = []

    async def handler(subject: str) -> None:
        done.append(subject)

    await table.write(jobs.new("sweep", "kitchen"))

    assert await jobs.run_pending({"sweep": handler}) == 1
    assert await jobs.run_pending({"sweep": handler}) == 0
    assert done == ["kitchen"]


async def test_a_job_that_fails_is_tried_again_later(table: Table, jobs: Jobs, clock: SetClock) -> None:
    attempts = 0

    async def handler(subject: str) -> None:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise OSError("the broom broke")

    await table.write(jobs.new("sweep", "kitchen"))

    assert await jobs.run_pending({"sweep": handler}) == 0
    assert await jobs.run_pending({"sweep": handler}) == 0, "not at once: it waits a little longer each time"
    clock.move(seconds=3)
    assert await jobs.run_pending({"sweep": handler}) == 0
    clock.move(seconds=5)
    assert await jobs.run_pending({"sweep": handler}) == 1
    assert attempts == 3


async def test_two_runners_do_not_both_do_it(table: Table, clock: SetClock) -> None:
    runners = [Jobs(table, clock, Ids(clock)) for _ in range(5)]
    runs = 0
    finished: list[int] = []
    others_are_done = asyncio.Event()

    async def handler(subject: str) -> None:
        nonlocal runs
        runs += 1
        await others_are_done.wait()

    async def run(runner: Jobs) -> None:
        finished.append(await runner.run_pending({"sweep": handler}))
        if len(finished) == len(runners) - 1:
            others_are_done.set()

    await table.write(runners[0].new("sweep", "kitchen"))
    async with asyncio.timeout(60):
        await asyncio.gather(*map(run, runners))

    assert (runs, sorted(finished)) == (1, [0, 0, 0, 0, 1])


async def test_what_a_killed_runner_left_is_taken_up_when_its_lease_runs_out(
    table: Table, jobs: Jobs, clock: SetClock
) -> None:
    done: list[str] = []

    has_begun = asyncio.Event()

    async def never_ends(subject: str) -> None:
        has_begun.set()
        await asyncio.Event().wait()

    async def handler(subject: str) -> None:
        done.append(subject)

    await table.write(jobs.new("sweep", "kitchen"))
    killed = asyncio.create_task(jobs.run_pending({"sweep": never_ends}))
    await asyncio.wait_for(has_begun.wait(), 60)
    killed.cancel()

    assert await jobs.run_pending({"sweep": handler}) == 0
    clock.move(seconds=LEASE_SECONDS + 1)
    assert await jobs.run_pending({"sweep": handler}) == 1
    assert done == ["kitchen"]


async def test_a_runner_that_lost_its_lease_stops_and_leaves_the_job_to_the_next(
    table: Table, jobs: Jobs, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LEASE_SECONDS", 0.3)
    has_begun, was_stopped, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stalls(subject: str) -> None:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            was_stopped.set()

    async def handler(subject: str) -> None:
        await may_end.wait()

    await table.write(jobs.new("sweep", "kitchen"))
    async with asyncio.timeout(60):
        stalled = asyncio.create_task(jobs.run_pending({"sweep": stalls}))
        await has_begun.wait()
        clock.move(seconds=1)
        following = asyncio.create_task(jobs.run_pending({"sweep": handler}))
        await was_stopped.wait()
        assert await stalled == 0
        may_end.set()
        assert await following == 1


async def test_a_nudge_starts_the_work_at_once(table: Table, jobs: Jobs) -> None:
    done = asyncio.Event()

    async def handler(subject: str) -> None:
        done.set()

    running = asyncio.create_task(jobs.run({"sweep": handler}))
    await asyncio.sleep(0)
    await table.write(jobs.new("sweep", "kitchen"))
    jobs.nudge()

    await asyncio.wait_for(done.wait(), 60)
    running.cancel()


async def test_a_job_of_another_version_is_left_for_it(table: Table, jobs: Jobs) -> None:
    await table.write(jobs.new("something new", "kitchen"))

    assert await jobs.run_pending({}) == 0
    assert len([item async for item in table.scan()]) == 1
