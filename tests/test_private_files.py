"""What is kept on the disk can be read by its owner only."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sobremesa.app import Sobremesa
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.opening import open_database
from sobremesa.table.opening import open_embedded


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """As on a machine where all users may read the files of its services."""
    before = os.umask(0)
    yield
    os.umask(before)


async def test_only_the_owner_can_read_what_is_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    store = f"sqlite:///{home / 'chat.db'}"

    async def text() -> AsyncIterator[bytes]:
        yield b"hello"

    async with Sobremesa.open(store) as app:
        ana = await app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
        await app.attachments.receive(ana.actor, UploadedFile("notes.txt", "text/plain", text()))
        database = await open_database(records_address(app.settings))
        await database.close()
        copy = await open_embedded(store, janitor=False)
        await copy.backup(home / "copy.db")
        await copy.close()
        modes = {path.relative_to(home): path.stat().st_mode & 0o777 for path in home.rglob("*")}

    kept = {str(path) for path in modes}
    assert {"chat.db", "chat.db-wal", "chat.db-shm", "chat.db.keys", "chat.db.records", "copy.db"} <= kept
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
    assert any(path.parts[0] == "chat.db.files" and (home / path).is_file() for path in modes)
