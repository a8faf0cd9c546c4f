"""The backfill is killed at random moments, again and again, while users read and both programs write.

`lengths.py` sets how many old rows there are and how often it is killed.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import commands
from commands import SOBREMESA
from communities.conftest import Ahead
from lengths import MIGRATION_KILLS as KILLS
from lengths import MIGRATION_ROWS as ROWS
from lengths import SEED
from migration.before import Before, fill, hash_of_number, old_item
from sobremesa.app import Sobremesa
from sobremesa.core.errors import StaleVersion
from sobremesa.core.settings import Settings

UNITS = str(ROWS // 2)
"""So slow that every kill falls into the middle of it."""
WORD_SECONDS = 60.0
LONGEST_LIFE_SECONDS = 0.6 + ROWS / 10_000


class ConcurrentUse:
    """What goes on meanwhile: reading, and writing by both programs."""

    def __init__(self, before: Before, chance: random.Random) -> None:
        self.before = before
        self.chance = chance
        self.expected = {before.id_of(number) for number in range(ROWS)}
        self.there: dict[int, str] = {}
        """What the old program wrote last."""
        self.here: dict[int, str] = {}
        """What was written through us last."""
        self.done: Counter[str] = Counter()
        self.is_over = asyncio.Event()
        """Nothing is cancelled: a write that has committed is always noted."""

    async def walk(self) -> None:
        """Every item, page by page: each one once, at any moment."""
        while not self.is_over.is_set():
            found = Counter([item.item_id for item in await self.before.items(limit=100)])
            assert found.keys() == self.expected
            assert max(found.values()) == 1
            self.done["lists"] += 1
            await asyncio.sleep(0.1)

    async def pick(self) -> None:
        """One item after the other."""
        app, owner, at = self.before.app, self.before.owner, self.before.workspace_id
        while not self.is_over.is_set():
            number = self.chance.randrange(ROWS)
            item = await app.workspaces.items.get(owner, at, self.before.id_of(number))
            assert item.legacy_hash == hash_of_number(number)
            if number % 10 > 1:
                assert item.title == f"Old item {number}"
            self.done["reads"] += 1
            await asyncio.sleep(0.01)

    async def write_there(self) -> None:
        """The old program goes on."""
        while not self.is_over.is_set():
            number = self.chance.randrange(ROWS // 10) * 10
            title = f"There {self.done['writes there']}"
            await self.before.write_old(old_item(number, title=title))
            self.there[number] = title
            self.done["writes there"] += 1
            await asyncio.sleep(0.02)

    async def write_here(self) -> None:
        """People change items, whether or not they were copied."""
        app, owner, at = self.before.app, self.before.owner, self.before.workspace_id
        while not self.is_over.is_set():
            number = self.chance.randrange(ROWS // 10) * 10 + 1
            title = f"Here {self.done['writes here']}"
            try:
                seen = await app.workspaces.items.get(owner, at, self.before.id_of(number))
                await app.workspaces.items.change(
                    owner, at, seen.item_id, version=seen.version, changes={"title": title}
                )
                self.here[number] = title
                self.done["writes here"] += 1
            except StaleVersion:
                self.done["stale"] += 1
            await asyncio.sleep(0.02)


def command(store: str, *arguments: str) -> tuple[str | Path, ...]:
    return (SOBREMESA, "migrate", "workspaces", *arguments, "--store", store)


async def run(store: str, *arguments: str) -> str:
    done = await commands.run_async(*command(store, *arguments))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


async def killed(store: str, chance: random.Random) -> int:
    """Start the backfill, and kill it a moment after it reports progress."""
    arguments = command(store, "backfill", "--units", UNITS)
    with commands.Process(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), WORD_SECONDS)
        assert line.startswith(b"backfill:"), line
        await asyncio.sleep(chance.uniform(0.05, LONGEST_LIFE_SECONDS))
        process.kill()
        await process.wait_async()
    return int(line.split()[1])


async def known_to(before: Before) -> None:
    """Wait until the library knows the plan: then it shows the old rows."""
    async with asyncio.timeout(WORD_SECONDS):
        while len(await before.items(limit=100)) < ROWS:  # noqa: ASYNC110 - another process does it
            await asyncio.sleep(0.02)


@pytest.mark.long
@pytest.mark.timeout(180 + ROWS // 50)
async def test_a_killed_backfill_loses_and_doubles_nothing_and_no_read_fails_meanwhile(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    began = time.monotonic()
    clock = Ahead()
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), clock=clock, background=False) as app:
        before = await fill(app, ROWS)
        concurrent_use = ConcurrentUse(before, chance)
        await run(store, "plan", "--workspace", before.workspace_id)
        await known_to(before)
        living = [
            asyncio.create_task(each())
            for each in (
                concurrent_use.walk,
                concurrent_use.pick,
                concurrent_use.write_there,
                concurrent_use.write_here,
            )
        ]

        seen = [await killed(store, chance) for _ in range(KILLS)]
        backfilled = time.monotonic()
        filled = await run(store, "backfill")
        took = time.monotonic() - backfilled
        cut = await run(store, "cutover")
        concurrent_use.is_over.set()
        await asyncio.gather(*living)
        await run(store, "rollback")
        await run(store, "backfill")
        await run(store, "cutover")
        proof = await run(store, "verify")
        clock.move(seconds=2)  # what was read of the plan is no longer believed
        items = {item.item_id: item for item in await before.items(limit=100)}

    print(f"TESTS_SEED={SEED} {ROWS} rows, {KILLS} kills at {seen}, the rest in {took:.1f} s")
    print(f"meanwhile {dict(concurrent_use.done)}; all of it in {time.monotonic() - began:.0f} s\n{cut}\n{proof}")
    assert seen == sorted(seen)
    assert f"{ROWS + 2} checked" in filled, "each one went on where the last one was killed"
    assert items.keys() == concurrent_use.expected
    for number in range(ROWS):
        title = concurrent_use.there.get(number) or concurrent_use.here.get(number) or f"Old item {number}"
        assert items[before.id_of(number)].title == title
    assert concurrent_use.done["reads"] > 0
    assert concurrent_use.done["lists"] > 0
