"""Deadlines: each piece of work has its own end, whatever else goes on."""

from __future__ import annotations

import asyncio
import time

import pytest

from sobremesa.http.deadlines import Deadlines


async def seconds_until_late(deadlines: Deadlines, wait: float) -> float:
    await asyncio.sleep(wait)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await deadlines.keep(asyncio.sleep(5))
    return time.monotonic() - began


async def test_each_ends_at_its_own_time() -> None:
    deadlines = Deadlines(0.2)
    waits = [seconds_until_late(deadlines, wait) for wait in (0, 0.05, 0.1)]
    taken = await asyncio.wait_for(asyncio.gather(*waits), 2)
    assert all(0.19 <= seconds < 0.5 for seconds in taken)


async def test_what_is_done_in_time_is_given_and_forgotten() -> None:
    deadlines = Deadlines(0.05)
    for number in range(3):
        assert await deadlines.keep(asyncio.sleep(0.01, number)) == number
    await asyncio.sleep(0.1)
    assert not deadlines._ends


async def test_an_error_of_the_work_passes() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await Deadlines(1).keep(fail())


async def test_to_be_cancelled_by_somebody_else_is_not_to_be_late() -> None:
    work = asyncio.create_task(Deadlines(5).keep(asyncio.sleep(5)))
    await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_a_task_goes_on_after_it_was_late() -> None:
    deadlines = Deadlines(0.02)
    with pytest.raises(TimeoutError):
        await deadlines.keep(asyncio.sleep(5))
    await asyncio.sleep(0.05)
    assert await deadlines.keep(asyncio.sleep(0, "here")) == "here"
