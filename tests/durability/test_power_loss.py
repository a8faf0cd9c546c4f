"""The power fails at any moment: what was acknowledged before is on the disk, whole, and the store opens.

A kill does not show whether the engine waits for the disk, since the kernel keeps what was written. Here a run is
recorded, write by write and sync by sync, and then cut at many places.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from durability.chat import LAYOUT, Message, send, talk
from durability.inspection import AcknowledgedLost, inspect, inspect_trimmed
from durability.recording_disk import Disk, Record, Synced, recording_disk
from lengths import POWER_CUTS as CUTS
from lengths import POWER_CUTS_AT_CREATION, SEED
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine, log_rows, sweeper, writer
from sobremesa.table.engines.protocol import PutItem, RawKey
from sobremesa.table.errors import StoreError

LONG_TEXT = "So I said to the waiter: " + "and then, " * 80


@pytest.fixture(autouse=True)
def _many_small_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_BATCH", 5)


class Run(NamedTuple):
    """What was done to the disk, and after how many deeds each message was acknowledged."""

    record: Record
    acknowledged: list[tuple[int, Message]]

    def acknowledged_before(self, cut: int) -> list[Message]:
        return [message for place, message in self.acknowledged if place <= cut]

    def places_of_acks(self) -> set[int]:
        return {place for place, _ in self.acknowledged}

    def places_under_load(self) -> range:
        """From the first ack to the last before the store was closed for the first time."""
        places = [place for place, message in self.acknowledged if message.run == "first"]
        return range(places[0], places[-1] + 1)


Check: TypeAlias = Callable[[Path, list[Message]], Awaitable[None]]


class Verdict(NamedTuple):
    """What came of many cuts: how many were survived, lost an acknowledged write, or broke the store."""

    whole: int
    lost: list[str]
    broken: list[str]


async def recorded_run(store: Path, *, checkpoint_pages: int = 1000, synchronous: str = "FULL") -> Run:
    """Send messages on a new store, open it again, send more, and close it."""
    acknowledged: list[tuple[int, Message]] = []
    with recording_disk(f"recording {store}") as disk:
        for run in ("first", "second"):
            engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), vfs=disk.name)
            engine._connection.pragma("synchronous", synchronous)
            engine._connection.wal_autocheckpoint(checkpoint_pages)
            await talk(
                engine,
                run,
                lambda message: acknowledged.append((len(disk.record), message)),
                messages=6,
                text=LONG_TEXT,
            )
            await engine.close()
    return Run(disk.record, acknowledged)


async def recorded_run_with_sweeps(store: Path) -> Run:
    """Send messages; a day later send more, while the old log is deleted and the file gives its space back."""
    acknowledged: list[tuple[int, Message]] = []
    clock = SetClock()
    with recording_disk(f"recording {store}") as disk:
        engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=clock, janitor=False, vfs=disk.name)
        engine._connection.wal_autocheckpoint(20)

        async def talked(run: str) -> None:
            await talk(
                engine,
                run,
                lambda message: acknowledged.append((len(disk.record), message)),
                messages=6,
                text=LONG_TEXT,
            )

        await talked("first")
        for _ in range(20):  # only the log grows, by what cannot be compressed
            await engine.write(PutItem(RawKey("NOTE", "1"), {"pk": "NOTE", "sk": "1", "data": os.urandom(20_000)}))
        clock.move(seconds=25 * 60 * 60)
        before = engine._connection.pragma("page_count")
        await asyncio.gather(talked("second"), engine.sweep())
        await engine.sweep()
        assert engine._connection.pragma("page_count") < before
        await engine.close()
    return Run(disk.record, acknowledged)


async def cut_at(
    run: Run, cuts: Iterable[int], folder: Path, chance: random.Random, check: Check | None = None
) -> Verdict:
    """Open and check what is left after each of these cuts."""
    verdict = Verdict(0, [], [])
    disk = Disk()
    done = 0
    for cut in sorted(cuts):
        for deed in run.record[done:cut]:
            disk.do(deed)
        done = cut
        left = folder / f"cut{cut}"
        disk.cut_power(left, chance)
        try:
            await (check or check_what_is_left)(left / "chat.db", run.acknowledged_before(cut))
        except AcknowledgedLost as lost:
            verdict.lost.append(f"cut {cut}: {lost}")
        except (AssertionError, StoreError) as error:
            verdict.broken.append(f"cut {cut}: {error!r}")
        else:
            verdict = verdict._replace(whole=verdict.whole + 1)
        shutil.rmtree(left)
    return verdict


async def check_what_is_left(store: Path, acknowledged: list[Message]) -> None:
    """The store opens, has all that was acknowledged, nothing in halves, and goes on."""
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    try:
        inspect(store, acknowledged)
        await send(engine, Message("after", 0, 0))
    finally:
        await engine.close()
    inspect(store, [*acknowledged, Message("after", 0, 0)])


@pytest.mark.long
@pytest.mark.timeout(120 + CUTS)
@pytest.mark.parametrize("checkpoint_pages", [1000, 20, 1])
async def test_a_power_cut_loses_no_acknowledged_write_and_leaves_none_half_done(
    tmp_path: Path, checkpoint_pages: int
) -> None:
    chance = random.Random(SEED)
    run = await recorded_run(tmp_path / "chat.db", checkpoint_pages=checkpoint_pages)
    acks = sorted(run.places_of_acks())
    cuts = {*chance.sample(acks, min(CUTS, len(acks))), *(chance.randrange(len(run.record) + 1) for _ in range(CUTS))}

    verdict = await cut_at(run, cuts, tmp_path, chance)

    print(f"TESTS_SEED={SEED}: {len(run.record)} deeds, {len(run.acknowledged)} acks, {len(cuts)} cuts")
    assert (verdict.lost, verdict.broken) == ([], [])


async def check_what_is_left_of_a_trimmed_store(store: Path, acknowledged: list[Message]) -> None:
    """The same for a store whose log has lost its start."""
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    try:
        inspect_trimmed(store, acknowledged)
        await send(engine, Message("after", 0, 0))
    finally:
        await engine.close()
    inspect_trimmed(store, [*acknowledged, Message("after", 0, 0)])


@pytest.mark.long
@pytest.mark.timeout(120 + CUTS)
async def test_a_power_cut_while_the_log_is_trimmed_and_the_file_shrinks_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "FREE_PAGES", 2)
    monkeypatch.setattr(sweeper, "VACUUMED_PAGES", 2)
    monkeypatch.setattr(log_rows, "TRIMMED_AT_ONCE", 4)
    chance = random.Random(SEED)
    run = await recorded_run_with_sweeps(tmp_path / "chat.db")
    later = [place for place, message in run.acknowledged if message.run == "second"]
    cuts = {chance.randrange(later[0], len(run.record) + 1) for _ in range(CUTS)}

    verdict = await cut_at(run, cuts, tmp_path, chance, check_what_is_left_of_a_trimmed_store)

    print(f"TESTS_SEED={SEED}: {len(run.record)} deeds, {len(run.acknowledged)} acks, {len(cuts)} cuts")
    assert (verdict.lost, verdict.broken) == ([], [])


async def test_small_checkpoints_do_happen_in_the_recorded_run(tmp_path: Path) -> None:
    run = await recorded_run(tmp_path / "chat.db", checkpoint_pages=20)

    syncs_of_the_file = sum(deed == Synced("chat.db") for deed in run.record)
    closings = 2
    assert syncs_of_the_file > closings + 10


@pytest.mark.long
@pytest.mark.parametrize("moment", range(POWER_CUTS_AT_CREATION))
async def test_power_loss_during_creation_leaves_a_store_that_opens(tmp_path: Path, moment: int) -> None:
    chance = random.Random(SEED + moment)
    run = await recorded_run(tmp_path / "chat.db")
    opening = min(run.places_of_acks())

    verdict = await cut_at(run, range(opening), tmp_path, chance)

    print(f"TESTS_SEED={SEED}")
    assert (verdict.lost, verdict.broken) == ([], [])
    assert verdict.whole == opening


async def test_the_power_cuts_have_teeth_without_syncs_acknowledged_writes_are_lost(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    run = await recorded_run(tmp_path / "chat.db", synchronous="OFF")

    verdict = await cut_at(run, chance.sample(run.places_under_load(), 60), tmp_path, chance)

    print(f"TESTS_SEED={SEED}: {verdict.whole} whole, {len(verdict.lost)} lost, {len(verdict.broken)} broken")
    assert len(verdict.lost) > 5
    assert len(verdict.lost) + len(verdict.broken) > verdict.whole


async def test_the_power_cuts_have_teeth_with_too_few_syncs_the_store_is_whole_but_acknowledged_writes_are_lost(
    tmp_path: Path,
) -> None:
    chance = random.Random(SEED)
    run = await recorded_run(tmp_path / "chat.db", synchronous="NORMAL")

    verdict = await cut_at(run, chance.sample(run.places_under_load(), 25), tmp_path, chance)

    print(f"TESTS_SEED={SEED}: {verdict.whole} whole, {len(verdict.lost)} lost, {len(verdict.broken)} broken")
    assert len(verdict.lost) > 5
    assert verdict.broken == []
