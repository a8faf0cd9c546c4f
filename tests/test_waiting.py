"""Waiting for an event ends with the event, with the time, or with the task."""

from __future__ import annotations

import asyncio
import time

import pytest

from sobremesa.core.waiting import wait_for_event


async def test_waiting_ends_with_the_event() -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(wait_for_event(event, 3600))
    await asyncio.sleep(0)
    event.set()
    await waiting


async def test_waiting_ends_after_some_time() -> None:
    started = time.monotonic()
    await wait_for_event(asyncio.Event(), 0.01)
    assert time.monotonic() - started >= 0.01


@pytest.mark.parametrize("steps", range(5))
async def test_task_is_cancelled_in_whichever_step_the_event_comes(steps: int) -> None:
    event = asyncio.Event()

    async def run() -> None:
        while True:
            event.clear()
            await wait_for_event(event, 3600)

    running = asyncio.create_task(run())
    for _ in range(3):
        await asyncio.sleep(0)
    event.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait({running}, timeout=30)
    assert running.cancelled()
