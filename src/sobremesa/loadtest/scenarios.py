"""Scenarios: what is done to a server, and what is counted meanwhile. They work for whoever speaks WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

from sobremesa.loadtest.connection import Connection, LoadFailed, Tally

PATIENCE_SECONDS = 20.0
"""How long to wait for what was under way at the end."""
MARK = b'"content":"'
DIGITS = 8


class Rate(NamedTuple):
    """How often something was done, and how long it took."""

    per_second: float
    p50_ms: float
    p99_ms: float


class Voice(NamedTuple):
    """Somebody who says something: a connection, and what stands before and after a number in what is sent."""

    connection: Connection
    before: bytes
    after: bytes = b""

    def say(self, number: int) -> None:
        """Send it with this number."""
        if self.after:
            self.connection.write(b"%b%08d%b" % (self.before, number, self.after))
        else:
            self.connection.write(self.before)


async def answered(voices: Sequence[Voice], seconds: float) -> Rate:
    """Everybody sends, waits for the answer, and sends again."""
    started = perf_counter()
    end = started + seconds
    took: list[float] = []
    finished = [_repeat(voice, end, took) for voice in voices]
    try:
        await asyncio.wait_for(asyncio.gather(*finished), seconds + PATIENCE_SECONDS)
    except TimeoutError:
        raise LoadFailed("an answer did not come") from None
    finally:
        for voice in voices:
            voice.connection.on_answer = None
            voice.connection.tally.rest()
    return _rate(took, perf_counter() - started)


def _repeat(voice: Voice, end: float, took: list[float]) -> asyncio.Future[None]:
    finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    number = 0
    sent_at = 0.0

    def send() -> None:
        nonlocal number, sent_at
        number += 1
        sent_at = perf_counter()
        voice.say(number)

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

    voice.connection.on_answer = on_answer
    voice.connection.tally.failed = finished
    send()
    return finished


async def broadcast(tally: Tally, listeners: int, voices: Sequence[Voice], *, in_flight: int, seconds: float) -> float:
    """Deliveries a second, where something is said whenever fewer than so many messages are under way to everybody."""
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
            voices[sent % len(voices)].say(sent)
        tally.target = first + (sent - in_flight + 1) * listeners

    with _watching(tally, finished, voices):
        tally.on_target = more
        more()
        await _within(finished, seconds, "what was said did not reach everybody")
    return (tally.count - first) / (perf_counter() - started)


async def paced(tally: Tally, listeners: int, voice: Voice, *, per_second: float, seconds: float) -> Rate:
    """Something is said so often, whatever the server does; how long it takes to each listener."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()
    messages = max(1, round(per_second * seconds))
    said_at = [0.0] * (messages + 1)
    took: list[float] = []
    started = perf_counter()

    def on_event(buffer: bytearray, start: int, stop: int) -> None:
        place = buffer.find(MARK, start, stop) + len(MARK)
        took.append(perf_counter() - said_at[int(buffer[place : place + DIGITS])])

    def say(number: int) -> None:
        said_at[number] = perf_counter()
        voice.say(number)

    with _watching(tally, finished, [voice]):
        tally.on_event = on_event
        tally.on_target = lambda: None if finished.done() else finished.set_result(None)
        tally.target = tally.count + messages * listeners
        timers = [loop.call_later(number / per_second, say, number) for number in range(1, messages + 1)]
        try:
            await _within(finished, seconds, "what was said did not reach everybody")
        finally:
            for timer in timers:
                timer.cancel()
    return _rate(took, perf_counter() - started)


@contextmanager
def _watching(tally: Tally, finished: asyncio.Future[None], voices: Sequence[Voice]) -> Iterator[None]:
    """While it lasts, what goes wrong at a connection, or is refused, is told to whoever waits."""

    def on_answer(is_good: bool, payload: bytes) -> None:
        if not is_good:
            tally.fail(_refused(payload))

    tallies = (tally, *(voice.connection.tally for voice in voices))
    for each in tallies:
        each.failed = finished
    for voice in voices:
        voice.connection.on_answer = on_answer
    try:
        yield
    finally:
        for each in tallies:
            each.rest()
        for voice in voices:
            voice.connection.on_answer = None


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
    """The value below which this share of them is."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
