"""A socket: one client's connection with its state and its calls in progress."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from sobremesa.core.actor import Actor, UserId
from sobremesa.live import frames
from sobremesa.live.events import Topic
from sobremesa.live.frames import op_frame
from sobremesa.live.subscriber import Subscriber
from sobremesa.live.wire import Wire

ANSWER_SECONDS = 5.0
"""How long an ended session waits for the results of its calls, one of which may have ended it."""
MAX_WAITING_BYTES = 192 * 1024
"""How much a client may leave unread; a slower one is closed, and can resume."""

INTERRUPTED_SPREAD_SECONDS = 10.0
"""Over which time all clients of a node resume if events were lost."""
MAX_REASON_BYTES = 123
"""How long the reason of a close may be: a control frame has 125 bytes, two of them for the code (RFC 6455)."""

_numbers = itertools.count(1)


class Ended(Exception):
    """The connection is over, for this reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Socket(Subscriber):
    """A client of the gateway."""

    __slots__ = (
        "_calls",
        "_last_in_turn",
        "_results",
        "_room",
        "_wire",
        "act_as",
        "actor",
        "address",
        "closes",
        "deadline",
        "frame_count",
        "is_closed",
        "is_present",
        "name",
        "on_lost_topic",
        "recheck_ms",
        "token",
    )

    def __init__(self, wire: Wire, address: str, closes: Counter[int] | None = None) -> None:
        super().__init__()
        self._wire = wire
        self.address = address
        self.name = f"socket-{next(_numbers)}"
        self.actor: Actor | None = None
        self.token = ""
        self.act_as: UserId | None = None
        """The user that the server key of the token acts as; None for the token of a user."""
        self.deadline = math.inf
        """When the client must have identified, or after that, sent a frame."""
        self.recheck_ms = 0
        """When to check the token again."""
        self.frame_count = (0, 0)
        """A minute, and how many frames came in it."""
        self.is_present = False
        """Whether it counts for its user's presence."""
        self.is_closed = False
        """Whether nothing more is received from it."""
        self.closes = closes
        """Where its close is counted, by the code; None once it is."""
        self.on_lost_topic: Callable[[Socket, Topic], None] | None = None
        """Called when a subscription ends while it watches channels."""
        self._results: list[bytes] = []
        """Results that are written soon. Unlike pending events, an end of the session does not withdraw them."""
        self._calls: set[asyncio.Task[None]] = set()
        self._last_in_turn: asyncio.Task[None] | None = None
        self._room: asyncio.Future[None] | None = None

    @property
    def is_identified(self) -> bool:
        return self.actor is not None

    # Sending

    def write(self, frame: bytes) -> None:
        """Send one frame, after those that are pending."""
        if self.pending or self._results:
            self.pending.append(frame)
            self.flush()
        else:
            self._write(frame, 1)

    def write_soon(self, frame: bytes) -> None:
        """Send one frame with the events of this iteration of the loop, at its end: one system call for all of them.

        The author of a message gets its event right after the result of the call that sent it.
        """
        if not self._results:
            asyncio.get_running_loop().call_soon(self._flush_results)
        self._results.append(frame)

    def _flush_results(self) -> None:
        if self._results:
            self.flush()

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        if self._results:
            pending, self._results = self._results + pending, []
        self._write(pending[0] if len(pending) == 1 else b"".join(pending), len(pending))

    async def drained(self) -> None:
        await self._wire.drained()

    def close(self, code: int, reason: str) -> None:
        if self.closes is not None and not self.is_closed:
            self.closes[code] += 1
            self.closes = None
        if self._results:
            self.pending = []  # the session has ended: only results are due
            self.flush()
        self._wire.close(code, reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore"))

    def drop(self) -> None:
        """The client is gone."""
        self._wire.drop()

    def end(self, reason: str = "The session has ended.", code: int = frames.REFUSED) -> None:
        """Close, for want of a valid token unless another code says why, once the calls in progress have results."""
        if self._calls:
            self.start(self._end_after(tuple(self._calls), code, reason))
        else:
            self.close(code, reason)

    def interrupt(self) -> None:
        self.write(op_frame(frames.RECONNECT, frames.Reconnect(retry_after=0, spread=INTERRUPTED_SPREAD_SECONDS)))
        self.end("Events were lost. Resume.", frames.RESTARTING)

    async def answered(self) -> None:
        """Wait a while for the results of calls in progress: they come before a close."""
        if self._calls:
            await asyncio.wait(tuple(self._calls), timeout=ANSWER_SECONDS)

    async def _end_after(self, calls: tuple[asyncio.Task[None], ...], code: int, reason: str) -> None:
        await asyncio.wait(calls, timeout=ANSWER_SECONDS)
        self.close(code, reason)

    def _write(self, data: bytes, count: int) -> None:
        if self._wire.waiting() > MAX_WAITING_BYTES:
            self.close(frames.TOO_SLOW, "Too slow. Resume to receive what you missed.")
        else:
            self._wire.write(data, count)

    def lost_topic(self, topic: Topic) -> None:
        if self.watched and self.on_lost_topic is not None:
            self.on_lost_topic(self, topic)

    # Calls

    async def room_for_call(self, at_once: int) -> None:
        """Wait until fewer than this many calls are in progress."""
        while len(self._calls) >= at_once:
            self._room = asyncio.get_running_loop().create_future()
            await self._room

    def start(self, work: Coroutine[Any, Any, None], *, in_turn: bool = False) -> None:
        """Run a task beside the receiving loop; in turn, it waits for the one before."""
        before = self._last_in_turn
        if in_turn and before is not None and not before.done():
            work = _after(before, work)
        task = asyncio.create_task(work)
        self._calls.add(task)
        task.add_done_callback(self._done)
        if in_turn:
            self._last_in_turn = task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._calls.discard(task)
        if self._room is not None and not self._room.done():
            self._room.set_result(None)


async def _after(before: asyncio.Task[None], work: Coroutine[Any, Any, None]) -> None:
    await asyncio.wait((before,))
    await work
