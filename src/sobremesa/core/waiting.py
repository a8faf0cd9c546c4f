"""Wait for an event, or for some time."""

from __future__ import annotations

import asyncio
import contextlib


async def wait_for_event(event: asyncio.Event, seconds: float) -> None:
    """Wait until an event is set, or for this many seconds.

    Not with `asyncio.wait_for`: before Python 3.12 it ignores a cancellation that comes together with the event, and a
    task that should end runs on.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
