"""`sobremesa backup --all`: everything of a SQLite store in one file, while it is in use, and back."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tarfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from lengths import SEED
from moving.data import assert_private, done, fill, put_rows, refused, rows_in, sqlite_store
from sobremesa.app import Sobremesa
from sobremesa.core.clock import instant
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.opening import open_database
from sobremesa.domains.records.schema import history
from sobremesa.moving.backups import check_backup
from sobremesa.moving.errors import BrokenExport


async def build(folder: Path) -> str:
    """Create a store with a file and records, and return its address."""
    store = sqlite_store(folder)
    await fill(store, 300)
    database = await open_database(RecordsAddress(file=str(folder / "chat.db.records")))
    row = {"thread_id": "t1", "subject_id": "s1", "action": "created", "actor": "ana", "at": instant(1), "details": {}}
    await database.write(lambda connection: connection.execute(insert(history), [row]))
    await database.close()

    async def content() -> AsyncIterator[bytes]:
        yield b"Two eggs"

    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        ana = (await app.accounts.login(email="ana@example.com", password="correct horse battery")).actor
        await app.attachments.receive(ana, UploadedFile("recipe.txt", "text/plain", content()))
    return store


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, without those of the store."""
    return sorted(path.name for path in folder.iterdir() if "chat.db" not in path.name)


async def test_everything_is_backed_up_while_in_use_and_restored(tmp_path: Path) -> None:
    store, backup = await build(tmp_path), tmp_path / "chat.backup"
    before = await rows_in(store)
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False):
        writing = asyncio.create_task(put_rows(store, range(300, 1300)))
        text = await done("backup", backup, "--all", "--store", store)
        await writing
    checked = await done("verify", backup)
    (tmp_path / "new").mkdir()
    restored = sqlite_store(tmp_path / "new")
    await done("restore", backup, "--store", restored)

    after = await rows_in(restored)
    assert before.items() <= after.items()
    assert after.items() <= (await rows_in(store)).items()
    assert (tmp_path / "new/chat.db.keys").read_bytes() == (tmp_path / "chat.db.keys").read_bytes()
    assert files_in(tmp_path / "new/chat.db.files") == files_in(tmp_path / "chat.db.files") != {}
    with sqlite3.connect(tmp_path / "new/chat.db.records") as database:
        assert database.execute("SELECT thread_id, actor FROM history").fetchall() == [("t1", "ana")]
    assert "1 files to" in text
    assert "complete backup" in checked
    assert_private(backup)
    assert_private(tmp_path / "new/chat.db.records")
    assert_private(tmp_path / "new/chat.db.files")
    assert names_in(tmp_path) == ["chat.backup", "new"]
    async with Sobremesa.open(restored, settings=Settings(rate_limits="off"), background=False) as app:
        await app.accounts.login(email="ana@example.com", password="correct horse battery")


async def test_a_damaged_backup_is_refused_and_nothing_is_replaced(tmp_path: Path) -> None:
    store, backup = await build(tmp_path), tmp_path / "chat.backup"
    await done("backup", backup, "--all", "--store", store)
    whole = backup.read_bytes()
    with tarfile.open(backup) as tar:
        contents = [(info.offset_data, info.size) for info in tar if info.size]
    chance = random.Random(SEED)
    print(f"TESTS_SEED={SEED}")

    assert "already exists" in await refused("restore", backup, "--store", store)
    for start, size in contents:
        at = start + chance.randrange(size)
        backup.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(BrokenExport):
            check_backup(backup)
    for end in (contents[-1][0], contents[1][0] + 1, contents[0][0] + contents[0][1] // 2):
        backup.write_bytes(whole[:end])
        with pytest.raises(BrokenExport):
            check_backup(backup)
    (tmp_path / "new").mkdir()
    assert "damaged" in await refused("restore", backup, "--store", sqlite_store(tmp_path / "new"))
    assert names_in(tmp_path / "new") == []
    assert not (tmp_path / "new/chat.db").exists()
    assert "damaged" in await refused("verify", backup)


async def test_verify_checks_exports_too(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path)
    await fill(store, 10)
    await done("export", tmp_path / "one", "--store", store)

    assert "is a complete export" in await done("verify", tmp_path / "one")
    assert "--to" in await refused("verify", "--store", store)
