"""A recording disk: a VFS that passes everything through and records the operations on each file, in order.

From the record, `Disk` makes the files that a power cut at some place could have left. What a sync covered is there. Of
what came after it each sector of 512 bytes is, by chance, the new one, the old one, or torn between both; where the
file grew, a sector may also be zeros or rubbish. Files that were made are surely there, and deleted ones surely gone,
once the folder was synced, which SQLite does with the first sync of a journal or log that it made. Bytes outside of a
write are never changed by it: SQLite counts on that (`SQLITE_IOCAP_POWERSAFE_OVERWRITE`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import apsw

SECTOR = 512


class Opened(NamedTuple):
    """Opened, and made if it was not there."""

    file: str


class Wrote(NamedTuple):
    file: str
    offset: int
    data: bytes


class Truncated(NamedTuple):
    file: str
    size: int


class Synced(NamedTuple):
    file: str


class Deleted(NamedTuple):
    file: str
    folder_synced: bool


Deed: TypeAlias = Opened | Wrote | Truncated | Synced | Deleted
Record: TypeAlias = list[Deed]


class RecordingDisk(apsw.VFS):
    """The VFS; `record` is what was done so far, each file by the last part of its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.record: Record = []
        super().__init__(name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        assert name is not None, "a temporary file: the engine keeps those in memory"
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self.record.append(Opened(path.name))
        return _RecordedFile(self.record, path.name, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.record.append(Deleted(Path(filename).name, syncdir))


class _RecordedFile(apsw.VFSFile):
    def __init__(self, record: Record, file: str, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._record = record
        self._file = file
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._record.append(Wrote(self._file, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._record.append(Truncated(self._file, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._record.append(Synced(self._file))


@contextmanager
def recording_disk(name: str) -> Iterator[RecordingDisk]:
    """The VFS, known to SQLite under this name for as long as the block lasts."""
    disk = RecordingDisk(name)
    try:
        yield disk
    finally:
        disk.unregister()


class _File:
    """One file: what is surely on the disk, and what was done to it since."""

    def __init__(self, *, syncs_folder: bool, before: bytes | None) -> None:
        self.syncs_folder = syncs_folder
        self.before = before
        self.there_for_sure = False
        self.deleted = False
        self.safe = bytearray()
        self.unsure: list[Wrote | Truncated] = []

    def sync(self) -> None:
        for deed in self.unsure:
            _do(self.safe, deed)
        self.unsure.clear()

    def after_a_cut(self, chance: random.Random) -> bytes | None:
        """The bytes that a cut could leave, or None for no file."""
        if self.deleted and chance.random() < 0.5:
            return None
        if not self.there_for_sure and chance.random() < 0.5:
            return self.before
        # Sometimes everything or nothing got through: the states that chance would hardly ever make.
        mood = chance.choice(["all", "none", "mixed", "mixed", "mixed"])
        data = bytearray(self.safe)
        for deed in self.unsure:
            if mood == "all":
                _do(data, deed)
            elif mood == "mixed":
                _do_by_chance(data, deed, chance)
        return bytes(data)


class Disk:
    """The disk as a record leads to it, deed by deed."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def do(self, deed: Deed) -> None:
        match deed:
            case Opened(name):
                self._open(name)
            case Wrote(name) | Truncated(name):
                self._files[name].unsure.append(deed)
            case Synced(name):
                file = self._files[name]
                file.sync()
                if file.syncs_folder:
                    file.syncs_folder = False
                    self._sync_folder()
            case Deleted(name, folder_synced):
                self._files[name].deleted = True
                if folder_synced:
                    self._sync_folder()

    def cut_power(self, folder: Path, chance: random.Random) -> None:
        """Put what could be left into this new folder."""
        folder.mkdir()
        for name, file in self._files.items():
            data = file.after_a_cut(chance)
            if data is not None:
                (folder / name).write_bytes(data)

    def _open(self, name: str) -> None:
        there = self._files.get(name)
        is_journal = name.endswith(("-journal", "-wal"))
        if there is None or there.deleted:
            # Until the folder is synced, a deleted file of the same name may still be there in place of the new one.
            before = bytes(there.safe) if there else None
            self._files[name] = _File(syncs_folder=is_journal, before=before)
        else:
            there.syncs_folder = is_journal

    def _sync_folder(self) -> None:
        for name, file in list(self._files.items()):
            file.there_for_sure = True
            if file.deleted:
                del self._files[name]


def _do(data: bytearray, deed: Wrote | Truncated) -> None:
    if isinstance(deed, Truncated):
        del data[deed.size :]
        data.extend(bytes(deed.size - len(data)))
    else:
        _put(data, deed.offset, deed.data)


def _put(data: bytearray, offset: int, new: bytes) -> None:
    if len(data) < offset:
        data.extend(bytes(offset - len(data)))
    data[offset : offset + len(new)] = new


def _do_by_chance(data: bytearray, deed: Wrote | Truncated, chance: random.Random) -> None:
    if isinstance(deed, Truncated):
        if chance.random() < 0.5:
            _do(data, deed)
        return
    end = deed.offset + len(deed.data)
    start = deed.offset
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        _put_by_chance(data, start, deed.data[start - deed.offset : stop - deed.offset], chance)
        start = stop


def _put_by_chance(data: bytearray, offset: int, new: bytes, chance: random.Random) -> None:
    """One sector, or the part of one that was written: kept, dropped or torn."""
    grows = offset >= len(data)
    match chance.choice(["kept", "kept", "dropped", "torn", "torn", "rubbish"]):
        case "kept":
            _put(data, offset, new)
        case "torn":
            cut = chance.randrange(len(new))
            if chance.random() < 0.5:
                _put(data, offset, new[:cut])
            else:
                _put(data, offset + cut, new[cut:])
        case "rubbish" if grows:
            _put(data, offset, chance.randbytes(len(new)))
