"""Many calls, a limited number at a time, with their results in order."""

from __future__ import annotations

import asyncio

import pytest

from sobremesa.core.gather import gather_bounded


class Calls:
    """Calls that end when they are allowed to, and the most that ran at a time."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.cancelled: list[int] = []
        self.may_end = asyncio.Event()

    async def square(self, number: int) -> int:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for _ in range(10 - number):  # the first ones take longest
                await asyncio.sleep(0)
        finally:
            self.running -= 1
        return number * number

    async def fail_at_three(self, number: int) -> int:
        if number == 3:
            raise OSError("three")
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        return number


async def test_results_come_in_the_order_of_the_items_and_few_calls_run_at_a_time() -> None:
    calls = Calls()

    assert await gather_bounded(4, calls.square, range(10)) == [number * number for number in range(10)]
    assert calls.most == 4


async def test_no_items_need_no_call() -> None:
    assert await gather_bounded(4, Calls().square, []) == []


async def test_an_error_cancels_the_other_calls_before_it_is_raised() -> None:
    calls = Calls()

    with pytest.raises(OSError, match="three"):
        await gather_bounded(10, calls.fail_at_three, range(6))

    assert sorted(calls.cancelled) == [0, 1, 2, 4, 5]


async def test_a_cancelled_caller_leaves_no_call_behind() -> None:
    calls = Calls()
    caller = asyncio.create_task(gather_bounded(2, calls.fail_at_three, [0, 1, 2]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()

    with pytest.raises(asyncio.CancelledError):
        await caller
    assert sorted(calls.cancelled) == [0, 1]


async def test_calls_that_never_wait_leave_turns_to_other_tasks() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def at_once(number: int) -> int:
        return number

    beside = asyncio.create_task(other())
    await gather_bounded(2, at_once, range(100))
    beside.cancel()

    assert turns > 40
