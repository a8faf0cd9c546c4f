"""Measurements in a process of its own: each line of input asks for one, and is answered with a line of JSON.

The parent runs it with this version of `sobremesa` and with another one, so it uses only what both have.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import Awaitable, Callable
from itertools import cycle
from pathlib import Path
from time import perf_counter, process_time
from typing import Literal

import msgspec
import uvloop

from bench.contender import seed
from bench.partition import bytes_by_table
from bench.workload import Rooms, operations
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.rooms.sending import Draft
from sobremesa.table import Layout, RawKey
from sobremesa.table.engines.embedded import EmbeddedEngine, writer
from sobremesa.table.engines.protocol import PutItem

DOCS = Path(__file__).resolve().parents[2] / "docs"
USERS, GROUPS, MEMBERS = 24, 100, 4
ROOMS = 96
WARM_UP_SENDS = 500
OLD_WRITES, OLD_ITEMS, OLD_BYTES = 10_000, 200, 1_000
AGED_SECONDS = 25 * 60 * 60
NEVER_SECONDS = 300.0


class Ask(msgspec.Struct, frozen=True):
    """What to measure, with how many senders: `size` for so many sends, `pace` and `trim` for so many seconds."""

    kind: Literal["size", "pace", "trim"]
    senders: int
    amount: float = 0


class Size(msgspec.Struct, frozen=True):
    """The bytes of each table for one send."""

    by_table: dict[str, float]


class Pace(msgspec.Struct, frozen=True):
    """How fast some senders were, how long each send took, and what it took of the processor."""

    per_second: float
    cpu_us: float
    p50_ms: float
    p99_ms: float


class Trimming(msgspec.Struct, frozen=True):
    """Sends alone, and while the log is trimmed."""

    alone: Pace
    beside: Pace


async def size(path: Path, senders: int, sends: int) -> Size:
    """Send messages of random words to group conversations, as a program does with the library."""
    chance = random.Random(1)
    words = re.findall(r"[A-Za-z]+", " ".join(page.read_text() for page in sorted(DOCS.glob("*.md"))))
    async with Sobremesa.open(f"sqlite:///{path}", background=False) as app:
        users = [
            (await app.accounts.register(email=f"u{n}@example.com", username=f"u{n}", password="correct horse")).actor
            for n in range(USERS)
        ]
        groups = []
        for number in range(GROUPS):
            members = chance.sample(users, MEMBERS)
            others = [member.user_id for member in members[1:]]
            created = await app.conversations.create_group(members[0], others, name=f"Group {number}")
            groups.append((created.conversation_id, members))
        before = bytes_by_table(path)

        async def send() -> None:
            room, members = chance.choice(groups)
            text = " ".join(chance.choices(words, k=chance.randint(2, 24)))
            await app.conversations.send(chance.choice(members), room, Draft(text, nonce=f"{chance.getrandbits(80):x}"))

        await run(senders, sends, send)
        after = bytes_by_table(path)
    return Size({table: (after[table] - before.get(table, 0)) / sends for table in after})


class Sender:
    """An engine on a file, and sends straight to it."""

    def __init__(self, engine: EmbeddedEngine, clock: SetClock) -> None:
        self.engine = engine
        self._clock = clock
        self._rooms = Rooms(ROOMS)
        self._places = cycle(range(ROOMS))

    @classmethod
    async def open(cls, path: Path) -> Sender:
        clock = SetClock()
        sender = cls(await EmbeddedEngine.open(str(path), Layout(), clock=clock, janitor=False), clock)
        await seed(sender.engine, sender._rooms, 0, 0)
        await run(32, WARM_UP_SENDS, sender.send)
        return sender

    async def send(self) -> None:
        await self.engine.transact(operations(self._rooms.next_send(next(self._places))), None)

    async def pace(self, senders: int, seconds: float, *, until: Callable[[], bool] = lambda: False) -> Pace:
        """Send for so long, or until something has happened."""
        spent: list[float] = []
        started, cpu = perf_counter(), process_time()

        async def sender() -> None:
            while perf_counter() < started + seconds and not until():
                asked = perf_counter()
                await self.send()
                spent.append(perf_counter() - asked)

        await asyncio.gather(*(sender() for _ in range(senders)))
        took, cpu = perf_counter() - started, process_time() - cpu
        spent.sort()
        return Pace(
            len(spent) / took,
            1e6 * cpu / len(spent),
            1000 * spent[len(spent) // 2],
            1000 * spent[len(spent) * 99 // 100],
        )

    async def age_log(self) -> None:
        """Write a log of rows that are as many and as large as they can be, and let it become too old."""
        chance = random.Random(1)
        keys = cycle([RawKey("OLD", str(number)) for number in range(OLD_ITEMS)])

        async def change() -> None:
            key = next(keys)
            await self.engine.write(PutItem(key, {"pk": key.pk, "sk": key.sk, "data": chance.randbytes(OLD_BYTES)}))

        self.engine._connection.pragma("synchronous", "OFF")
        batch, writer.MAX_BATCH = writer.MAX_BATCH, 1  # a commit for each
        await run(32, OLD_WRITES, change)
        writer.MAX_BATCH = batch
        self.engine._connection.pragma("synchronous", "FULL")
        self._clock.move(seconds=AGED_SECONDS)


async def trim(sender: Sender, senders: int, seconds: float) -> Trimming:
    """Send before the log is trimmed, and while it is and the file gives back its space."""
    await sender.age_log()
    alone = await sender.pace(senders, seconds)
    sweeping = asyncio.create_task(sender.engine.sweep())
    beside = await sender.pace(senders, NEVER_SECONDS, until=sweeping.done)
    await sweeping
    return Trimming(alone, beside)


async def run(senders: int, times: int, call: Callable[[], Awaitable[None]]) -> None:
    """Make a call so many times, by concurrent senders."""
    left = iter(range(times))

    async def sender() -> None:
        for _ in left:
            await call()

    await asyncio.gather(*(sender() for _ in range(senders)))


async def serve(folder: Path) -> None:
    """Measure what is asked for, one after the other."""
    sender = await Sender.open(folder / "sends.db")
    number = 0
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        ask = msgspec.json.decode(line, type=Ask)
        found: Size | Pace | Trimming
        match ask.kind:
            case "size":
                number += 1
                found = await size(folder / f"size-{number}.db", ask.senders, int(ask.amount))
            case "pace":
                found = await sender.pace(ask.senders, ask.amount)
            case "trim":
                found = await trim(sender, ask.senders, ask.amount)
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        sys.stdout.buffer.flush()
    await sender.engine.close()


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1])))
