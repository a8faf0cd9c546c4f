"""What a file does with the space of the log that was deleted."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from durability.chat import LAYOUT, Message, send, talk
from durability.inspection import inspect_trimmed
from sobremesa.core.clock import SetClock
from sobremesa.table.engines.embedded import EmbeddedEngine, log_rows, sweeper
from sobremesa.table.engines.embedded.log_rows import LogRows
from sobremesa.table.engines.protocol import OLDEST, PutItem, RawKey

FORMAT_1 = Path(__file__).with_name("format_1.sql")
DAY_AND_MORE = 25 * 3600.0
NOTES = 60


async def opened(store: Path, clock: SetClock) -> EmbeddedEngine:
    return await EmbeddedEngine.open(str(store), LAYOUT, clock=clock, janitor=False)


async def fill_log(engine: EmbeddedEngine) -> None:
    """Change one item again and again, to what cannot be compressed: only the log grows."""
    chance = random.Random(1)
    for _ in range(NOTES):
        await engine.write(PutItem(RawKey("NOTE", "1"), {"pk": "NOTE", "sk": "1", "data": chance.randbytes(20_000)}))


def pages(engine: EmbeddedEngine) -> int:
    return int(engine._connection.pragma("page_count"))


async def test_file_gives_back_what_a_large_log_took(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeper, "FREE_PAGES", 10)
    clock = SetClock()
    engine = await opened(store, clock)
    await talk(engine, "old", lambda message: None, senders=4, messages=5)
    await fill_log(engine)
    full = pages(engine)
    clock.move(seconds=DAY_AND_MORE)

    await engine.sweep()
    await talk(engine, "new", lambda message: None, senders=4, messages=5)

    assert full > 2 * NOTES
    assert pages(engine) < full / 4
    await engine.close()
    inspect_trimmed(store, [Message(run, sender, 4) for run in ("old", "new") for sender in range(4)])


async def test_file_keeps_the_space_that_its_log_will_need_again(store: Path) -> None:
    clock = SetClock()
    engine = await opened(store, clock)
    await fill_log(engine)
    full = pages(engine)
    clock.move(seconds=DAY_AND_MORE)
    await engine.sweep()
    assert pages(engine) == full

    await fill_log(engine)

    assert pages(engine) < full * 1.1
    await engine.close()


async def test_file_of_format_1_reuses_its_space_and_a_copy_of_it_gives_it_back(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "FREE_PAGES", 0)
    connection = apsw.Connection(str(store))
    connection.execute(FORMAT_1.read_text())
    connection.close()
    clock = SetClock()
    engine = await opened(store, clock)
    await fill_log(engine)
    full = pages(engine)
    clock.move(seconds=10 * 365 * 24 * 3600)
    await engine.sweep()
    assert pages(engine) == full

    await engine.backup(tmp_path / "copy.db")
    await engine.close()

    copy = await opened(tmp_path / "copy.db", clock)
    assert pages(copy) < full / 4
    assert copy._connection.pragma("auto_vacuum") == 2
    await send(copy, Message("new", 0, 0))
    assert (await (await copy.changes(OLDEST)).read(0)).changes
    await copy.close()


async def test_step_of_a_sweep_costs_the_same_however_much_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rows, "TRIMMED_AT_ONCE", 20)
    costs = []
    for rows in (50, 1000):
        engine = await opened(tmp_path / f"{rows}.db", SetClock())
        engine._connection.pragma("synchronous", "OFF")
        for number in range(rows):
            await engine.write(PutItem(RawKey("NOTE", "1"), {"pk": "NOTE", "sk": "1", "number": number}))
        steps = 0

        def count() -> bool:
            nonlocal steps
            steps += 1
            return False

        engine._connection.set_progress_handler(count, 10)
        assert LogRows(engine._connection).trim(10**15, lambda: 0.0).more
        engine._connection.set_progress_handler(None)
        costs.append(steps)
        await engine.close()

    assert costs[1] < 2 * costs[0]
