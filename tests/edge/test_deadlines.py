"""Deadlines: each piece of work has its own end, whatever else goes on."""

from __future__ import annotations

import asyncio

import pytest

from sobremesa.http.deadlines import Deadlines

SECONDS = 0.1


async def endless() -> None:
    await asyncio.Event().wait()


async def immediate(result: str) -> str:
    return result


async def test_each_ends_at_its_own_time() -> None:
    deadlines = Deadlines(SECONDS)
    ended: list[int] = []

    async def work(number: int) -> float:
        began = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            await deadlines.run(endless())
        ended.append(number)
        return asyncio.get_running_loop().time() - began

    works = []
    for number in range(3):
        works.append(asyncio.create_task(work(number)))
        await asyncio.sleep(SECONDS / 4)
    assert all(seconds >= SECONDS for seconds in await asyncio.gather(*works))
    assert ended == [0, 1, 2]


async def test_what_is_done_in_time_is_given_and_forgotten() -> None:
    deadlines = Deadlines(60)
    for number in range(3):
        assert await deadlines.run(asyncio.sleep(0.01, number)) == number
    assert not deadlines._ends


async def test_an_error_of_the_work_passes() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await Deadlines(1).run(fail())


async def test_cancellation_by_another_task_is_not_a_timeout() -> None:
    work = asyncio.create_task(Deadlines(60).run(endless()))
    await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


async def test_a_task_goes_on_after_it_was_late() -> None:
    deadlines = Deadlines(0.02)
    with pytest.raises(TimeoutError):
        await deadlines.run(endless())
    assert await deadlines.run(immediate("here")) == "here"
