"""Checks ZIP archives by their central directory, without unpacking anything."""

from __future__ import annotations

import struct
from mmap import mmap
from typing import NamedTuple

from sobremesa.domains.attachments.errors import UnsafeArchive, WrongType

MAX_ENTRIES = 10_000
MAX_UNPACKED_BYTES = 1_000_000_000
MAX_RATIO = 200
ARCHIVE_NAMES = (b".zip", b".jar", b".7z", b".rar", b".gz", b".tgz", b".bz2", b".xz", b".zst")
"""Nested archives are refused: checking them would mean unpacking them."""

ZIP = "application/zip"
_OPEN_XML = "application/vnd.openxmlformats-officedocument."
OFFICE = {
    b"word/document.xml": _OPEN_XML + "wordprocessingml.document",
    b"xl/workbook.xml": _OPEN_XML + "spreadsheetml.sheet",
    b"ppt/presentation.xml": _OPEN_XML + "presentationml.presentation",
}
OFFICE_MARK = b"[Content_Types].xml"
MACROS = b"vbaproject.bin"

_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL_BYTES = 30
_MAX_COMMENT = 65_535


class _Entry(NamedTuple):
    name: bytes
    packed: int
    unpacked: int
    offset: int

    @property
    def end(self) -> int:
        """The earliest possible end of the entry: its local header may be longer."""
        return self.offset + _LOCAL_BYTES + len(self.name) + self.packed


def archive_type(data: mmap) -> str:
    """Return the type of an archive; UnsafeArchive if it is damaged or unpacks to too many bytes."""
    entries, directory = _entries(data)
    unpacked = sum(entry.unpacked for entry in entries)
    if unpacked > MAX_UNPACKED_BYTES or unpacked > MAX_RATIO * len(data):
        raise UnsafeArchive(max_unpacked_bytes=MAX_UNPACKED_BYTES, max_ratio=MAX_RATIO)
    _refuse_overlaps(entries, directory)
    names = {entry.name for entry in entries}
    if any(name.lower().endswith(ARCHIVE_NAMES) for name in names):
        raise UnsafeArchive("An archive inside an archive is not accepted.")
    if OFFICE_MARK not in names:
        return ZIP
    if any(name.lower().endswith(MACROS) for name in names):
        raise WrongType("A document with macros is not accepted.")
    return next((kind for part, kind in OFFICE.items() if part in names), ZIP)


def _entries(data: mmap) -> tuple[list[_Entry], int]:
    """Return all entries and the start of the directory, whose end record must state the true number of entries."""
    tail = data[-(_END.size + _MAX_COMMENT) :]
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) - end < _END.size:
        raise UnsafeArchive
    _, disk, _, here, count, length, at, _ = _END.unpack_from(tail, end)
    directory_end = len(data) - len(tail) + end
    # ZIP64 archives exceed these limits anyway, and their placeholder values do too.
    if disk or here != count or count > MAX_ENTRIES or at + length > directory_end:
        raise UnsafeArchive(max_entries=MAX_ENTRIES)
    entries = []
    start = at
    for _ in range(count):
        if at + _ENTRY.size > directory_end or data[at : at + 4] != b"PK\x01\x02":
            raise UnsafeArchive
        entry, size = _entry(data, at)
        entries.append(entry)
        at += size
    if at != start + length:
        raise UnsafeArchive
    return entries, start


def _entry(data: mmap, at: int) -> tuple[_Entry, int]:
    """Return the directory entry at an offset, and its length there."""
    fields = _ENTRY.unpack_from(data, at)
    packed, unpacked, name_length, extra, comment, offset = *fields[8:13], fields[16]
    name = data[at + _ENTRY.size : at + _ENTRY.size + name_length]
    return _Entry(name, packed, unpacked, offset), _ENTRY.size + name_length + extra + comment


def _refuse_overlaps(entries: list[_Entry], directory: int) -> None:
    """Refuse entries that share bytes, since they could unpack to many times the size of the file."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.offset):
        if entry.offset < end:
            raise UnsafeArchive("Entries of the archive overlap.")
        end = entry.end
    if end > directory:
        raise UnsafeArchive
