"""A contender: a system that stores and returns messages, as fast as it can, for a given time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import cycle, islice
from time import perf_counter
from typing import Literal, NamedTuple, Protocol, TypeAlias

from bench.workload import (
    COUNT,
    PAGE,
    Rooms,
    count_of_100,
    first_items,
    head_key,
    message_item,
    message_key,
    newest,
    operations,
)
from sobremesa.table import RawKey
from sobremesa.table.engines.protocol import Engine, PutItem
from sobremesa.table.values import Item

Question: TypeAlias = Literal["page", "get", "count"]
BATCH = 25


class Rate(NamedTuple):
    """How often something was done in how many seconds."""

    done: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.done / self.seconds


class Contender(Protocol):
    """A system under test."""

    @property
    def name(self) -> str: ...

    async def send(self, senders: int, seconds: float) -> Rate:
        """Send for this many seconds with concurrent users, each in their own conversations."""
        ...

    async def read(self, question: Question, readers: int, seconds: float) -> Rate:
        """Read for this many seconds with concurrent users."""
        ...


class EngineContender:
    """An engine, called as the typed table calls it.

    Without transactions, a send is three writes after each other; with `one_by_one`, senders wait for each other.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        rooms: Rooms,
        readable: list[str],
        *,
        transactions: bool = True,
        one_by_one: bool = False,
    ) -> None:
        self.name = name
        self.engine = engine
        self.rooms = rooms
        self._readable = readable
        self._transactions = transactions
        self._turn = asyncio.Lock() if one_by_one else None

    async def send(self, senders: int, seconds: float) -> Rate:
        await self._wake(senders)
        return await side_by_side(senders, seconds, self._sender)

    async def read(self, question: Question, readers: int, seconds: float) -> Rate:
        ask = {"page": self._page, "get": self._get, "count": self._count}[question]
        await self._wake(readers)
        return await side_by_side(readers, seconds, lambda number, until: self._reader(ask, number, until))

    async def _wake(self, people: int) -> None:
        """Reconnect to servers that closed idle connections, before the time is measured."""
        if self.engine.responses_can_be_lost:
            for _ in range(2):
                await asyncio.gather(
                    *(self.engine.get(head_key(0), consistent=True, fields=None) for _ in range(people)),
                    return_exceptions=True,
                )

    async def _sender(self, number: int, until: Deadline) -> int:
        done = 0
        for room in cycle(range(number, len(self.rooms.sent), until.people)):
            if self._turn is not None:
                async with self._turn:
                    if until.passed():
                        break
                    await self._send(room)
            else:
                await self._send(room)
            done += 1
            if until.passed():
                break
        return done

    async def _send(self, room: int) -> None:
        writes = operations(self.rooms.next_send(room))
        if self._transactions:
            await self.engine.transact(writes, None)
        else:
            for write in writes:
                await self.engine.write(write)

    async def _reader(self, ask: Callable[[int], Awaitable[None]], number: int, until: Deadline) -> int:
        done = 0
        for room in cycle(range(len(self._readable))):
            await ask((room + number) % len(self._readable))
            done += 1
            if until.passed():
                break
            await asyncio.sleep(0)
        return done

    async def _page(self, room: int) -> None:
        page = await self.engine.query(newest(room))
        assert page.count == PAGE, page.count

    async def _get(self, room: int) -> None:
        found = await self.engine.get(message_key(room, self._readable[room]), consistent=True, fields=None)
        assert found.item is not None

    async def _count(self, room: int) -> None:
        page = await self.engine.query(count_of_100(room))
        assert page.count == COUNT, page.count


class Deadline:
    """The end of one measurement."""

    def __init__(self, people: int, seconds: float) -> None:
        self.people = people
        self.started = perf_counter()
        self._ends = self.started + seconds

    def passed(self) -> bool:
        return perf_counter() >= self._ends


async def side_by_side(people: int, seconds: float, work: Callable[[int, Deadline], Awaitable[int]]) -> Rate:
    """Run concurrent users until the time is up; operations in progress are finished and counted."""
    until = Deadline(people, seconds)
    done = await asyncio.gather(*(work(number, until) for number in range(people)))
    return Rate(sum(done), perf_counter() - until.started)


def seed_items(rooms: Rooms, populated: int, messages: int) -> Iterator[tuple[int, Item]]:
    """The rows at the start, with the number of their conversation: all heads and seats, and some messages."""
    for room in range(len(rooms.sent)):
        for item in first_items(room):
            yield room, item
    for _ in range(messages):
        for room in range(populated):
            yield room, message_item(rooms.next_send(room))


async def seed(engine: Engine, rooms: Rooms, populated: int, messages: int, *, writers: int = 8) -> list[str]:
    """Write the first rows; return the newest message of each populated conversation."""
    newest_ids = [""] * populated
    items = seed_items(rooms, populated, messages)

    async def writer() -> None:
        while batch := list(islice(items, BATCH)):
            for room, item in batch:
                if "messageId" in item:
                    newest_ids[room] = item["messageId"]
            written = await engine.batch_write([PutItem(RawKey(item["pk"], item["sk"]), item) for _, item in batch])
            assert not written.unprocessed

    await asyncio.gather(*(writer() for _ in range(writers)))
    return newest_ids
