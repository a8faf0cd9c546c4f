"""Measure the processor time of an import of history: `python -m bench.imports`."""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import uvloop

from bench.lock import Lock
from bench.machine import describe_machine
from sobremesa.app import Sobremesa
from sobremesa.cli.imports import BATCH_LINES
from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import User, UsernameClaim
from sobremesa.domains.imports.files import read_pieces
from sobremesa.domains.imports.lines import batches_of
from sobremesa.http.server import tune_garbage_collection
from sobremesa.table import Put

MESSAGES = 100_000
CHANNELS = 50
AUTHORS = 200
REPLIES = 0.2
"""The share of replies; half as many messages mention a user."""
FIRST = datetime(2019, 3, 1, tzinfo=UTC)
WORDS = ("table", "coffee", "before", "the", "stayed", "and", "talked", "long", "cold", "nobody", "left", "we", "so")
SEED = 15


class Spent(NamedTuple):
    """What an import took."""

    wall_seconds: float
    cpu_seconds: float
    bytes: int
    """The growth of the store."""
    peak_bytes: int
    """The most memory that the process had."""


def lines(messages: int) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file as other systems export it: in the order of time, the rooms mixed."""
    choose = random.Random(SEED)
    users = [f"user-{number:04}" for number in range(AUTHORS)]
    yield {"type": "server", "key": "s", "name": "History", "owner": users[0], "members": users[1:]}
    for number in range(CHANNELS):
        yield {"type": "channel", "key": f"c{number}", "server": "ref:s", "name": f"channel-{number}"}
    last: dict[int, str] = {}
    for number in range(messages):
        channel = choose.randrange(CHANNELS)
        content = " ".join(choose.choices(WORDS, k=16))
        if choose.random() < REPLIES / 2:
            content = f"@{choose.choice(users)} {content}"
        line = {
            "room": f"ref:c{channel}",
            "author": choose.choice(users),
            "createdAt": (FIRST + timedelta(seconds=number * 37)).isoformat(),
            "nonce": f"m{number}",
            "content": content,
        }
        if channel in last and choose.random() < REPLIES:
            line["replyTo"] = last[channel]
        last[channel] = f"m{number}"
        yield line


async def run(folder: Path, messages: int, lock: Lock, *, judge: bool) -> tuple[Spent, Spent]:
    """Import a file into a new store, and once more."""
    file = folder / "history.jsonl"
    with file.open("w") as out:
        out.writelines(f"{json.dumps(line)}\n" for line in lines(messages))
    settings = Settings(rate_limits="off")
    async with Sobremesa.open(f"sqlite:///{folder}/imports.db", settings=settings, background=False) as app:
        await _create_users(app)
        async with lock.held():
            first = await _import(app, folder, file, messages, judge=judge)
            return first, await _import(app, folder, file, 0, judge=judge)


async def _import(app: Sobremesa, folder: Path, file: Path, expected: int, *, judge: bool) -> Spent:
    before, wall, cpu = _stored(folder), perf_counter(), _cpu()
    async with app.imports.run(DEFAULT_TENANT, judge=judge) as run:
        async for batch in batches_of(read_pieces(file), size=BATCH_LINES):
            problems = await run.add(batch)
            assert not problems, problems[0]
    assert run.summary.imported == expected, run.summary
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Spent(perf_counter() - wall, _cpu() - cpu, _stored(folder) - before, peak)


async def _create_users(app: Sobremesa) -> None:
    ids = [UserId(f"user-{number:04}") for number in range(AUTHORS)]
    await app.table.write_many(Put(User(user_id=each, username=each, tenant=DEFAULT_TENANT)) for each in ids)
    await app.table.write_many(Put(UsernameClaim(username=each, user_id=each)) for each in ids)


def _cpu() -> float:
    """Return the seconds of processor time, of the system on behalf of the process too."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _stored(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("imports.db*"))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.imports", description=__doc__)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--no-judge", action="store_true", help="leave automatic moderation out")
    parser.add_argument("--data", type=Path, help="a folder on the disk to measure (a temporary one)")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    tune_garbage_collection()
    with tempfile.TemporaryDirectory(prefix="sobremesa-bench-", dir=given.data) as folder:
        machine = describe_machine(Path(folder), "uvloop")
        found = uvloop.run(run(Path(folder), given.messages, Lock(given.lock), judge=not given.no_judge))
    print(
        f"{given.messages:,} messages in {CHANNELS} channels by {AUTHORS} authors; embedded engine, "
        f"{machine.cores} cores, Python {machine.python}, SQLite {machine.sqlite}, {machine.sync_ms:.2f} ms a sync"
    )
    for name, spent in zip(("imported", "repeated"), found, strict=True):
        print(
            f"{name}: {spent.cpu_seconds:.1f} s of processor time "
            f"({spent.cpu_seconds * 100_000 / given.messages:.1f} s for 100,000), {spent.wall_seconds:.1f} s in all, "
            f"{spent.bytes / given.messages:,.0f} bytes a message, at most {spent.peak_bytes / 1e6:,.0f} MB of memory"
        )


if __name__ == "__main__":
    main()
