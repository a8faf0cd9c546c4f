"""One measurement in a process of its own, which prints it as JSON: `python -m bench.growth.measure KIND FOLDER`.

The parent runs it with this version of `sobremesa` and with another one, so it uses only what both have.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
from collections.abc import Awaitable, Callable
from itertools import cycle
from pathlib import Path
from time import perf_counter

import msgspec
import uvloop

from bench.contender import seed
from bench.partition import bytes_by_table
from bench.workload import Rooms, operations
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.rooms.sending import Draft
from sobremesa.table import Layout
from sobremesa.table.engines.embedded import EmbeddedEngine, writer

DOCS = Path(__file__).resolve().parents[2] / "docs"
USERS, GROUPS, MEMBERS = 24, 100, 4
ROOMS = 96
WARM_UP_SENDS = 500
OLD_TRANSACTIONS = 40_000
AGED_SECONDS = 25 * 60 * 60


class Size(msgspec.Struct, frozen=True):
    """The bytes of each table for one send."""

    by_table: dict[str, float]


class Pace(msgspec.Struct, frozen=True):
    """How fast some senders were, and how long each send took."""

    per_second: float
    p50_ms: float
    p99_ms: float


async def size(folder: Path, senders: int, sends: int) -> Size:
    """Send messages of random words to group conversations, as a program does with the library."""
    path = folder / "size.db"
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

        left = iter(range(sends))
        await _run(senders, lambda: next(left, None) is not None, send)
        after = bytes_by_table(path)
    return Size({table: (after[table] - before.get(table, 0)) / sends for table in after})


async def pace(folder: Path, senders: int, seconds: float) -> Pace:
    """Send straight to the engine."""
    engine = await EmbeddedEngine.open(str(folder / "pace.db"), Layout(), clock=SetClock(), janitor=False)
    send = await _sender(engine)
    left = iter(range(WARM_UP_SENDS))
    await _run(senders, lambda: next(left, None) is not None, send)
    found = await _pace(senders, send, seconds)
    await engine.close()
    return found


async def trim(folder: Path, senders: int, seconds: float) -> dict[str, Pace]:
    """Send to an engine whose log is too old, before it is trimmed and while it is."""
    clock = SetClock()
    engine = await EmbeddedEngine.open(str(folder / "trim.db"), Layout(), clock=clock, janitor=False)
    send = await _sender(engine)
    engine._connection.pragma("synchronous", "OFF")
    batch, writer.MAX_BATCH = writer.MAX_BATCH, 1  # a commit for each transaction: as many rows as there can be
    left = iter(range(OLD_TRANSACTIONS))
    await _run(senders, lambda: next(left, None) is not None, send)
    engine._connection.pragma("synchronous", "FULL")
    writer.MAX_BATCH = batch
    clock.move(seconds=AGED_SECONDS)
    alone = await _pace(senders, send, seconds)
    started = perf_counter()
    sweeping = asyncio.create_task(engine.sweep())
    beside = await _pace(senders, send, 60.0, until=sweeping.done)
    print(f"trimmed in {perf_counter() - started:.1f} s", file=sys.stderr)
    await engine.close()
    return {"alone": alone, "beside": beside}


async def _sender(engine: EmbeddedEngine) -> Callable[[], Awaitable[None]]:
    rooms = Rooms(ROOMS)
    await seed(engine, rooms, 0, 0)
    places = cycle(range(ROOMS))

    async def send() -> None:
        await engine.transact(operations(rooms.next_send(next(places))), None)

    return send


async def _pace(
    senders: int, send: Callable[[], Awaitable[None]], seconds: float, *, until: Callable[[], bool] = lambda: False
) -> Pace:
    spent: list[float] = []
    started = perf_counter()

    async def timed() -> None:
        asked = perf_counter()
        await send()
        spent.append(perf_counter() - asked)

    await _run(senders, lambda: perf_counter() < started + seconds and not until(), timed)
    took = perf_counter() - started
    spent.sort()
    return Pace(len(spent) / took, 1000 * spent[len(spent) // 2], 1000 * spent[int(len(spent) * 0.99)])


async def _run(senders: int, goes_on: Callable[[], bool], send: Callable[[], Awaitable[None]]) -> None:
    async def sender() -> None:
        while goes_on():
            await send()

    await asyncio.gather(*(sender() for _ in range(senders)))


KINDS = {"size": size, "pace": pace, "trim": trim}


def main() -> None:
    """Measure, and print what was found as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("senders", type=int)
    parser.add_argument("amount", type=int, help="how many sends (size), or seconds (pace, trim)")
    given = parser.parse_args()
    found = uvloop.run(KINDS[given.kind](given.folder, given.senders, given.amount))
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
