"""An online backup: a whole store of its own, of one moment, made beside the load."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import apsw
import pytest

from durability.chat import LAYOUT, SENDERS, Message, has, send, talk
from durability.inspection import inspect
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.errors import StoreError, StoreFailed

LONG_TEXT = "and then, " * 100


async def test_a_backup_under_load_is_whole_and_has_all_that_was_acknowledged_before(
    engine: EmbeddedEngine, store: Path, tmp_path: Path
) -> None:
    acknowledged: list[Message] = []
    talking = asyncio.create_task(talk(engine, "run", acknowledged.append, messages=60, text=LONG_TEXT))
    sizes = []
    for number in range(4):
        target = tmp_path / f"copy{number}.db"
        before = list(acknowledged)
        await engine.backup(target)
        found = inspect(target, before)
        sizes.append(len(found.messages))
        assert len(before) <= len(found.messages) <= 60 * SENDERS
    await talking

    assert sizes == sorted(sizes)
    assert len(acknowledged) == 60 * SENDERS
    assert set(inspect(store).messages) == set(acknowledged)


async def test_backup_opens_as_an_independent_store(engine: EmbeddedEngine, store: Path, tmp_path: Path) -> None:
    await talk(engine, "run", lambda message: None, messages=2)
    await engine.backup(tmp_path / "copy.db")

    copy = await EmbeddedEngine.open(str(tmp_path / "copy.db"), LAYOUT, clock=SystemClock())
    await send(copy, Message("copy", 0, 0))
    await send(engine, Message("original", 0, 0))
    await copy.close()

    assert len(inspect(tmp_path / "copy.db").messages) == len(inspect(store).messages) == 2 * SENDERS + 1
    assert not await has(engine, Message("copy", 0, 0))


async def test_backup_replaces_an_older_one_and_leaves_nothing_else(engine: EmbeddedEngine, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "copy.db"
    os.mkdir(target.parent)
    target.with_name("copy.db.unfinished").write_text("from a backup that was killed")
    await engine.backup(target)
    await send(engine, Message("run", 0, 0))

    await engine.backup(target)

    assert os.listdir(target.parent) == ["copy.db"]
    assert len(inspect(target).messages) == 1


async def test_backup_that_cannot_be_written_is_reported_and_changes_nothing(
    engine: EmbeddedEngine, store: Path, tmp_path: Path
) -> None:
    await send(engine, Message("run", 0, 0))

    with pytest.raises(StoreFailed):
        await engine.backup(tmp_path / "nowhere" / "copy.db")
    os.mkdir(tmp_path / "folder")
    os.mkdir(tmp_path / "folder" / "below")
    with pytest.raises(StoreFailed):
        await engine.backup(tmp_path / "folder")

    await send(engine, Message("run", 0, 1))
    assert len(inspect(store).messages) == 2


async def test_a_backup_onto_the_store_itself_is_refused(engine: EmbeddedEngine, store: Path, tmp_path: Path) -> None:
    await send(engine, Message("run", 0, 0))
    os.symlink(tmp_path, tmp_path / "elsewhere")
    os.link(store, tmp_path / "linked.db")

    for target in (store, tmp_path / "elsewhere" / "chat.db", tmp_path / "linked.db"):
        with pytest.raises(StoreError):
            await engine.backup(target)

    await send(engine, Message("run", 0, 1))
    assert len(inspect(store).messages) == 2


async def test_a_backup_is_made_while_another_process_holds_the_write_lock(
    engine: EmbeddedEngine, store: Path, tmp_path: Path
) -> None:
    await send(engine, Message("run", 0, 0))
    holder = apsw.Connection(str(store))
    holder.execute("BEGIN IMMEDIATE; DELETE FROM items")

    await asyncio.wait_for(engine.backup(tmp_path / "copy.db"), 60)
    holder.close()

    assert len(inspect(tmp_path / "copy.db").messages) == 1
