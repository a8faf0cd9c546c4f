"""Draining: before the server stops, its clients are asked to reconnect, a few at a time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Collection

from sobremesa.live import frames
from sobremesa.live.frames import op_frame
from sobremesa.live.socket import Socket

RECONNECTS_PER_SECOND = 200
"""How many clients should reconnect in a second, to all other nodes together."""
SHARE = 0.5
"""Which part of the time to drain may pass until the last client is asked."""
STEP_SECONDS = 0.1
SHORTEST_SPREAD_SECONDS = 1.0
LONGEST_SPREAD_SECONDS = 30.0


async def drain(sockets: Collection[Socket], seconds: float, before: Callable[[Socket], None]) -> None:
    """Ask the clients of these sockets to reconnect, spread over a part of this time, and close their sockets.

    What is left of the time that all of them need is the spread over which each client waits by itself.
    """
    waiting = list(sockets)
    needed = len(waiting) / RECONNECTS_PER_SECOND
    window = min(needed, seconds * SHARE)
    spread = min(max(needed - window, SHORTEST_SPREAD_SECONDS), LONGEST_SPREAD_SECONDS)
    frame = op_frame(frames.RECONNECT, frames.Reconnect(retry_after=0, spread=spread))
    size = math.ceil(len(waiting) / max(1, round(window / STEP_SECONDS)))
    while waiting:
        some, waiting = waiting[:size], waiting[size:]
        for socket in some:
            before(socket)
            socket.write(frame)
            socket.end("The server restarts.", frames.RESTARTING)
        if waiting:
            await asyncio.sleep(STEP_SECONDS)
