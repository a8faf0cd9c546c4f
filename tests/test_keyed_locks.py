"""Keyed locks admit one task at a time, and are removed when they are unused."""

from __future__ import annotations

import asyncio

import pytest

from sobremesa.work.keyed_lock import KeyedLocks


@pytest.mark.parametrize(("needed", "most_expected"), [(True, 1), (False, 20)])
async def test_one_at_a_time_where_it_is_needed(needed: bool, most_expected: int) -> None:
    locks = KeyedLocks(needed=needed)
    inside = most = 0

    async def through() -> None:
        nonlocal inside, most
        async with locks.of("room"):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(through() for _ in range(20)))

    assert most == most_expected
    assert locks._locks == {}


async def test_one_room_does_not_wait_for_another() -> None:
    locks = KeyedLocks(needed=True)
    async with locks.of("one"), asyncio.timeout(60), locks.of("other"):
        pass


async def test_cancelled_waiter_leaves_the_queue_in_order() -> None:
    locks = KeyedLocks(needed=True)
    async with locks.of("room"):
        waiting = asyncio.create_task(locks.of("room").__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async with asyncio.timeout(60), locks.of("room"):
        pass
    assert locks._locks == {}
