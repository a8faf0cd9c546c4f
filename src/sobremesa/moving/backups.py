"""One file with everything of a SQLite store: rows, keys, uploaded files and records, each with its checksum.

It is a tar file: `store.db`, `keys.json`, `records.db`, `files/KEY`, and at last `manifest.json`. Records are always a
SQLite database there, also those of PostgreSQL.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments.disk import PARTIAL_SUFFIX
from sobremesa.domains.attachments.opening import open_files
from sobremesa.domains.attachments.stores import FileStore, StorageKey
from sobremesa.domains.records.address import RecordsAddress, records_address
from sobremesa.domains.records.copying import copy_records
from sobremesa.moving.errors import BrokenExport, TargetInUse
from sobremesa.moving.files import MIME
from sobremesa.moving.state_files import create_private, sync_folder, write_private
from sobremesa.table.opening import open_embedded, parse_store

VERSION = 1
STORE, KEYS, RECORDS, FILES, MANIFEST = "store.db", "keys.json", "records.db", "files/", "manifest.json"
READ_BYTES = 1 << 20


class Member(msgspec.Struct):
    """A file in a backup."""

    size: int
    sha256: str


class Manifest(msgspec.Struct):
    """The last file in a backup, which lists the others."""

    version: int
    members: dict[str, Member]


class _Writer:
    """Writes files to a tar file, and lists them with their checksums."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.members: dict[str, Member] = {}

    def add(self, name: str, path: Path) -> None:
        with path.open("rb") as content:
            size = path.stat().st_size
            counted = _Counted(content)
            self._tar.addfile(_info(name, size), counted)
            self.members[name] = Member(size, counted.digest.hexdigest())

    def finish(self, folder: Path) -> None:
        path = folder / MANIFEST
        write_private(path, msgspec.json.encode(Manifest(VERSION, self.members)))
        self.add(MANIFEST, path)


class _Counted:
    """A file whose checksum is computed while it is read."""

    def __init__(self, content: BinaryIO) -> None:
        self._content = content
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self.digest.update(piece)
        return piece


async def back_up(settings: Settings, target: Path, clock: Clock) -> int:
    """Back up a store with everything that belongs to it, while it is in use; return how many uploaded files it has.

    The rows are of one moment. Files and records are read afterwards, so that none that a row names is missing.
    """
    with _unfinished(target) as unfinished, _private_folder(target.parent) as folder:
        with open(create_private(unfinished), "wb") as file:  # noqa: ASYNC230 - opening takes no time
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                writer = _Writer(tar)
                await _add_store(writer, settings, folder)
                await _add_records(writer, settings, folder)
                files = await _add_files(writer, settings, folder, clock)
                await asyncio.to_thread(writer.finish, folder)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
        sync_folder(target.parent)
    return files


async def _add_store(writer: _Writer, settings: Settings, folder: Path) -> None:
    engine = await open_embedded(settings.store, janitor=False)
    try:
        await engine.backup(folder / STORE)
        keys = Path(f"{engine.path}.keys")
    finally:
        await engine.close()
    await asyncio.to_thread(writer.add, STORE, folder / STORE)
    await asyncio.to_thread((folder / STORE).unlink)
    if await asyncio.to_thread(keys.exists):
        await asyncio.to_thread(writer.add, KEYS, keys)


async def _add_records(writer: _Writer, settings: Settings, folder: Path) -> None:
    source = records_address(settings)
    if source.may_exist():
        await copy_records(source, RecordsAddress(file=str(folder / RECORDS)))
        await asyncio.to_thread(writer.add, RECORDS, folder / RECORDS)


async def _add_files(writer: _Writer, settings: Settings, folder: Path, clock: Clock) -> int:
    path, count = folder / "file", 0
    async with _files_of(settings, clock) as files:
        async for keys in files.iter_keys():
            for key in keys:
                size = None if key.endswith(PARTIAL_SUFFIX) else await files.size(key)
                if size is None:
                    continue
                with path.open("wb") as file:
                    if size:
                        async for piece in files.read(key, 0, size):
                            file.write(piece)
                await asyncio.to_thread(writer.add, FILES + key, path)
                count += 1
    return count


def is_full_backup(path: Path) -> bool:
    """Return whether a file is a backup of everything, not a copy of a store only."""
    return path.is_file() and tarfile.is_tarfile(path)


def check_backup(path: Path) -> Manifest:
    """Read a whole backup and compare all checksums; BrokenExport if it is truncated or was changed."""
    found: dict[str, Member] = {}
    manifest: Manifest | None = None
    try:
        with tarfile.open(path) as tar:
            for info in tar:
                content = tar.extractfile(info)
                if content is None:
                    raise BrokenExport(f"{path} is damaged: {info.name} is not a file")
                if info.name == MANIFEST:
                    manifest = msgspec.json.decode(content.read(), type=Manifest)
                    continue
                counted = _Counted(content)  # type: ignore[arg-type] # it is only read
                size = 0
                while piece := counted.read(READ_BYTES):
                    size += len(piece)
                found[info.name] = Member(size, counted.digest.hexdigest())
    except (tarfile.TarError, msgspec.DecodeError, OSError) as error:
        raise BrokenExport(f"{path} is damaged or truncated: {error}") from None
    if manifest is None:
        raise BrokenExport(f"{path} is truncated: it has no {MANIFEST}")
    if manifest.version > VERSION:
        raise BrokenExport(f"{path} has format {manifest.version}; this version reads up to format {VERSION}")
    wrong = sorted(name for name in manifest.members | found if manifest.members.get(name) != found.get(name))
    if wrong or STORE not in found:
        raise BrokenExport(f"{path} is damaged: {', '.join(wrong[:5]) or STORE} is not as it was written")
    return manifest


async def restore_backup(settings: Settings, source: Path, clock: Clock) -> int:
    """Restore everything of a checked backup to where the settings have it; return how many uploaded files it has.

    Nothing is replaced: the store, its keys and its records must not exist. The store comes last.
    """
    target = Path(parse_store(settings.store).path or "")
    records = records_address(settings)
    for path in (target, Path(f"{target}.keys"), *([Path(records.file)] if records.file else [])):
        if path.exists():
            raise TargetInUse(f"{path} already exists; choose a new store")
    await asyncio.to_thread(check_backup, source)
    count = 0
    with _private_folder(target.parent) as folder:
        async with _files_of(settings, clock) as files:
            for name in await asyncio.to_thread(_extracted, source, folder):
                await _restore_file(files, StorageKey(name), folder / FILES / name)
                count += 1
        if (folder / RECORDS).exists():
            await copy_records(RecordsAddress(file=str(folder / RECORDS)), records)
        if (folder / KEYS).exists():
            write_private(Path(f"{target}.keys"), (folder / KEYS).read_bytes())
        copy = await open_embedded(f"sqlite:///{folder / STORE}", janitor=False)
        try:
            await copy.backup(target)
        finally:
            await copy.close()
    return count


def _extracted(source: Path, folder: Path) -> list[str]:
    """Extract a backup into a folder, and return the names of the uploaded files."""
    names: list[str] = []
    (folder / FILES).mkdir(mode=0o700)
    with tarfile.open(source) as tar:
        for info in tar:
            name = info.name.removeprefix(FILES)
            content = tar.extractfile(info)
            if content is None or "/" in name or name in ("", ".", ".."):
                raise BrokenExport(f"{source} has the unknown file {info.name}")
            if info.name.startswith(FILES):
                names.append(name)
            elif info.name not in (STORE, KEYS, RECORDS, MANIFEST):
                raise BrokenExport(f"{source} has the unknown file {info.name}")
            with open(create_private(folder / info.name), "wb") as file:
                while piece := content.read(READ_BYTES):
                    file.write(piece)
    return names


async def _restore_file(files: FileStore, key: StorageKey, path: Path) -> None:
    spooled = await files.spool(key)
    await asyncio.to_thread(_copy, path, spooled)
    await files.put(key, spooled, MIME)


def _copy(path: Path, target: Path) -> None:
    with path.open("rb") as content, target.open("wb") as file:
        while piece := content.read(READ_BYTES):
            file.write(piece)
    path.unlink()


@asynccontextmanager
async def _files_of(settings: Settings, clock: Clock) -> AsyncIterator[FileStore]:
    files = await open_files(settings.files, settings.store, clock)
    try:
        yield files
    finally:
        await files.close()


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Yield the name of a file until it is complete; what an earlier run has left is removed."""
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        yield unfinished
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _private_folder(parent: Path) -> Iterator[Path]:
    """Yield a folder on the same file system that only its owner can read, removed at the end."""
    with tempfile.TemporaryDirectory(dir=parent, prefix=".sobremesa-") as folder:
        yield Path(folder)


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info
