"""Virtual time jumps to the next timer, and the same seed gives the same run."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
import uuid

import pytest

from simulation.virtual_time import EPOCH_MS, Group, Stuck, VirtualClock, run


def test_hours_pass_at_once_and_in_order() -> None:
    async def main() -> tuple[list[str], float, int]:
        order: list[str] = []

        async def tick(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            order.append(name)

        await asyncio.gather(tick("day", 86_400), tick("second", 1), tick("hour", 3600))
        return order, asyncio.get_running_loop().time(), VirtualClock(skew_ms=7).now_ms()

    started = time.monotonic()
    order, seconds, now_ms = run(main(), 1)
    assert order == ["second", "hour", "day"]
    assert seconds == 86_400
    assert now_ms == EPOCH_MS + 86_400_007
    assert time.monotonic() - started < 3600


def test_randomness_comes_from_the_seed() -> None:
    async def main() -> tuple[str, str, float]:
        return secrets.token_hex(8), str(uuid.uuid4()), random.random()

    assert run(main(), 1) == run(main(), 1) != run(main(), 2)
    assert secrets.token_hex(8) != secrets.token_hex(8)


def test_paused_group_does_nothing_and_then_goes_on() -> None:
    async def main() -> list[tuple[str, float]]:
        loop, seen, group = asyncio.get_running_loop(), list[tuple[str, float]](), Group("node")

        async def tick(name: str) -> None:
            for _ in range(3):
                await asyncio.sleep(1)
                seen.append((name, loop.time()))

        ours, theirs = group.start(tick("paused")), asyncio.create_task(tick("other"))
        await asyncio.sleep(1.5)
        group.is_paused = True
        await asyncio.sleep(10)
        group.resume()
        await asyncio.gather(ours, theirs)
        return seen

    assert run(main(), 1) == [
        ("paused", 1.0),
        ("other", 1.0),
        ("other", 2.0),
        ("other", 3.0),
        ("paused", 11.5),
        ("paused", 12.5),
    ]


def test_group_ends_with_the_tasks_that_its_tasks_started() -> None:
    async def main() -> bool:
        group, started = Group("node"), list[asyncio.Task[None]]()

        async def parent() -> None:
            started.append(asyncio.create_task(asyncio.sleep(3600)))
            await asyncio.sleep(3600)

        group.add(parent())
        await asyncio.sleep(1)
        await group.end()
        return started[0].cancelled()

    assert run(main(), 1)


def test_threads_run_at_once() -> None:
    async def main() -> int:
        return await asyncio.to_thread(lambda: 5)

    assert run(main(), 1) == 5


def test_waiting_for_nothing_is_an_error() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Stuck):
        run(main(), 1)
