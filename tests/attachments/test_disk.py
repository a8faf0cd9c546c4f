"""The disk store: an acknowledged file is durable, and stored completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attachments.test_in_messages import uploaded
from communities.environment import actor_of
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.attachments.disk import DiskStore
from sobremesa.domains.attachments.entities import FileId, file_by_id
from sobremesa.domains.attachments.errors import FilesUnavailable
from sobremesa.domains.attachments.opening import open_files
from sobremesa.domains.attachments.stores import StorageKey, new_key

FILE = FileId("01JGSYB3ZZ0000000000000000")


async def test_file_is_synced_before_the_rename_and_its_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DiskStore(tmp_path / "files")
    key = new_key(FILE)
    path = await store.spool(key)
    path.write_bytes(b"content")
    done: list[tuple[str, str]] = []
    fsync, rename = os.fsync, Path.rename

    def note_fsync(descriptor: int) -> None:
        done.append(("fsync", Path(f"/proc/self/fd/{descriptor}").readlink().name))
        fsync(descriptor)

    def note_rename(source: Path, target: Path) -> Path:
        done.append(("rename", target.name))
        return rename(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "rename", note_rename)
    await store.put(key, path, "text/plain")

    folder = key[-2:]
    assert done == [("fsync", "files"), ("fsync", path.name), ("rename", key), ("fsync", folder)]
    assert await store.size(key) == 7
    assert b"".join([piece async for piece in store.read(key, 2, 5)]) == b"nte"


async def test_missing_file_is_reported(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "files")
    key = new_key(FILE)

    assert await store.size(key) is None
    await store.delete([key])
    assert [page async for page in store.iter_keys()] == []
    with pytest.raises(FilesUnavailable):
        await store.put(key, tmp_path / "nothing", "text/plain")


async def test_unwritable_folder_is_reported_as_unavailable(tmp_path: Path) -> None:
    (tmp_path / "files").write_bytes(b"no folder")
    settings = Settings(rate_limits="off", files=(tmp_path / "files").as_uri())
    async with Sobremesa.open("sqlite://", settings=settings, background=False) as app:
        with pytest.raises(FilesUnavailable):
            await uploaded(app, actor_of("ana"))


async def test_failed_deletion_of_bytes_does_not_undo_the_change(tmp_path: Path) -> None:
    settings = Settings(rate_limits="off", files=tmp_path.as_uri())
    async with Sobremesa.open("sqlite://", settings=settings, background=False) as app:
        ana = actor_of("ana")
        file = await uploaded(app, ana)
        row = await app.table.get(file_by_id(file_id=file.file_id))
        assert row is not None
        place = tmp_path / row.storage_key[-2:] / row.storage_key
        place.unlink()
        place.mkdir()  # which cannot be taken away as a file can

        await app.attachments.remove(ana, file.file_id)

        assert await app.table.get(file_by_id(file_id=file.file_id)) is None
        with pytest.raises(FilesUnavailable):
            await app.attachments.store.delete([StorageKey(row.storage_key)])


async def test_store_in_memory_uses_a_temporary_folder() -> None:
    store = await open_files(None, "sqlite://", SystemClock())
    path = await store.spool("x")
    path.write_bytes(b"x")
    await store.close()
    assert not path.parent.exists()


@pytest.mark.parametrize(
    "address", ["/folder", "file://folder", "file:///", "http://files", "s3://", "s3://bucket?zone=x", "s3:///prefix"]
)
async def test_invalid_files_url_is_refused(address: str) -> None:
    with pytest.raises(BadSetting, match="files"):
        await open_files(address, "sqlite://", SystemClock())
