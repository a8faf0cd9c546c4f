"""The scenarios: what is sent to a server, and what is counted. They work with any WebSocket server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

from sobremesa.loadtest.connection import Connection, LoadFailed, Tally

PATIENCE_SECONDS = 20.0
"""How long to wait at the end for messages in flight."""
MARK = b'"content":"'
DIGITS = 8


class Rate(NamedTuple):
    """A number per second, and the latency."""

    per_second: float
    p50_ms: float
    p99_ms: float


class Sender(NamedTuple):
    """A connection that sends: its frames contain a number between two fixed parts."""

    connection: Connection
    before: bytes
    after: bytes = b""

    def send(self, number: int) -> None:
        """Send the frame with this number."""
        if self.after:
            self.connection.write(b"%b%08d%b" % (self.before, number, self.after))
        else:
            self.connection.write(self.before)


async def answered(senders: Sequence[Sender], seconds: float) -> Rate:
    """Let each sender send, wait for the response, and send again."""
    started = perf_counter()
    end = started + seconds
    took: list[float] = []
    finished = [_repeat(sender, end, took) for sender in senders]
    try:
        await asyncio.wait_for(asyncio.gather(*finished), seconds + PATIENCE_SECONDS)
    except TimeoutError:
        raise LoadFailed("a response did not arrive") from None
    finally:
        for sender in senders:
            sender.connection.on_answer = None
            sender.connection.tally.reset()
    return _rate(took, perf_counter() - started)


def _repeat(sender: Sender, end: float, took: list[float]) -> asyncio.Future[None]:
    finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    number = 0
    sent_at = 0.0

    def send() -> None:
        nonlocal number, sent_at
        number += 1
        sent_at = perf_counter()
        sender.send(number)

    def on_answer(is_good: bool, payload: bytes) -> None:
        now = perf_counter()
        if finished.done():
            return
        if not is_good:
            finished.set_exception(LoadFailed(_refused(payload)))
            return
        took.append(now - sent_at)
        if now < end:
            send()
        else:
            finished.set_result(None)

    sender.connection.on_answer = on_answer
    sender.connection.tally.failed = finished
    send()
    return finished


async def broadcast(
    tally: Tally, listeners: int, senders: Sequence[Sender], *, in_flight: int, seconds: float
) -> float:
    """Return deliveries per second, with a constant number of messages in flight."""
    finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    started = perf_counter()
    end = started + seconds
    first = tally.count
    sent = 0
    is_over = False

    def more() -> None:
        nonlocal sent, is_over
        is_over = is_over or perf_counter() >= end
        if is_over:
            tally.target = first + sent * listeners
            if tally.count >= tally.target and not finished.done():
                finished.set_result(None)
            return
        while tally.count - first >= (sent - in_flight + 1) * listeners:
            sent += 1
            senders[sent % len(senders)].send(sent)
        tally.target = first + (sent - in_flight + 1) * listeners

    with _watching(tally, finished, senders):
        tally.on_target = more
        more()
        await _within(finished, seconds, "not all messages were delivered")
    return (tally.count - first) / (perf_counter() - started)


async def paced(tally: Tally, listeners: int, sender: Sender, *, per_second: float, seconds: float) -> Rate:
    """Send at a fixed rate, and return the latency to each socket."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()
    messages = max(1, round(per_second * seconds))
    sent_at = [0.0] * (messages + 1)
    took: list[float] = []
    started = perf_counter()

    def on_event(buffer: bytearray, start: int, stop: int) -> None:
        place = buffer.find(MARK, start, stop) + len(MARK)
        took.append(perf_counter() - sent_at[int(buffer[place : place + DIGITS])])

    def send(number: int) -> None:
        sent_at[number] = perf_counter()
        sender.send(number)

    with _watching(tally, finished, [sender]):
        tally.on_event = on_event
        tally.on_target = lambda: None if finished.done() else finished.set_result(None)
        tally.target = tally.count + messages * listeners
        timers = [loop.call_later(number / per_second, send, number) for number in range(1, messages + 1)]
        try:
            await _within(finished, seconds, "not all messages were delivered")
        finally:
            for timer in timers:
                timer.cancel()
    return _rate(took, perf_counter() - started)


@contextmanager
def _watching(tally: Tally, finished: asyncio.Future[None], senders: Sequence[Sender]) -> Iterator[None]:
    """Fail the scenario if a connection fails or a request is refused."""

    def on_answer(is_good: bool, payload: bytes) -> None:
        if not is_good:
            tally.fail(_refused(payload))

    tallies = (tally, *(sender.connection.tally for sender in senders))
    for each in tallies:
        each.failed = finished
    for sender in senders:
        sender.connection.on_answer = on_answer
    try:
        yield
    finally:
        for each in tallies:
            each.reset()
        for sender in senders:
            sender.connection.on_answer = None


def _refused(payload: bytes) -> str:
    return f"the server refused: {payload[:300].decode(errors='replace')}"


async def _within(finished: asyncio.Future[None], seconds: float, otherwise: str) -> None:
    try:
        await asyncio.wait_for(finished, seconds + PATIENCE_SECONDS)
    except TimeoutError:
        raise LoadFailed(f"{otherwise} within {PATIENCE_SECONDS:.0f} s") from None


def _rate(took: list[float], spent: float) -> Rate:
    took.sort()
    return Rate(len(took) / spent, 1000 * share_of(took, 0.50), 1000 * share_of(took, 0.99))


def share_of(ordered: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values is."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
