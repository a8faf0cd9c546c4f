"""The format of an exported file: lines of JSON in parts, each of which is a zstd frame, so that `zstdcat` reads it.

The first line is the header. A part has a line for each row, `{"Item": {"pk": {"S": "..."}, ...}}` with the types of
DynamoDB, and a last line with the number and the checksum of its rows. The last line of the file counts all rows, and
its checksum is over the checksums of the parts: a part that is missing, added, moved or changed is noticed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

from sobremesa.moving.errors import BrokenExport
from sobremesa.moving.state_files import create_private, load_state, save_state, sync_folder
from sobremesa.table import RawKey
from sobremesa.table.typed_items import TypedItem, dump_item, load_item
from sobremesa.table.values import Item

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

S = TypeVar("S", bound=msgspec.Struct)

VERSION = 1
READ_BYTES = 1 << 20
MAX_PART_BYTES = 256 << 20
"""More than a part ever has: a file that claims more is not one of ours."""
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}


class Line(msgspec.Struct, rename={"item": "Item"}):
    """The line of a row, as DynamoDB's exports have it."""

    item: TypedItem


class Header(msgspec.Struct, kw_only=True):
    """The first line."""

    sobremesa: str = "export"
    version: int = VERSION
    store: str
    at: str
    names: dict[str, str]


class PartEnd(msgspec.Struct, kw_only=True):
    """The last line of a part."""

    part: int
    rows: int
    sha256: str


class FileEnd(msgspec.Struct, kw_only=True):
    """The last line of the file."""

    parts: int
    rows: int
    sha256: str


class ExportState(msgspec.Struct, kw_only=True):
    """How far an export has come; everything after `offset` was written by a process that was killed."""

    header: Header
    address: str
    offset: int = 0
    parts: int = 0
    rows: int = 0
    sha256: str = ""
    start: tuple[str, str] | None = None

    @property
    def start_key(self) -> RawKey | None:
        return None if self.start is None else RawKey(*self.start)


_encode = msgspec.json.Encoder().encode
_lines = msgspec.json.Decoder(Line)
_headers = msgspec.json.Decoder(Header)
_part_ends = msgspec.json.Decoder(PartEnd)
_file_ends = msgspec.json.Decoder(FileEnd)


def dump_row(row: Item) -> bytes:
    """Return the line of a row. Numbers are texts and bytes are base64: nothing is lost."""
    return _encode({"Item": dump_item(row)}) + b"\n"


def load_row(line: bytes, where: str) -> Item:
    """Return the row of a line; BrokenExport if it is not one."""
    try:
        return load_item(_lines.decode(line).item)
    except (msgspec.DecodeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise BrokenExport(f"{where} has a line that is not a row: {error}") from None


class ExportFile:
    """A file that is being written: it has its name when it is complete, and continues after a kill."""

    def __init__(self, path: Path, state: ExportState) -> None:
        self._path = path
        self._state_path = state_path_of(path)
        self._unfinished = path.with_name(path.name + ".unfinished")
        self.state = state
        self._file: BinaryIO = open(create_private(self._unfinished), "r+b")  # noqa: SIM115
        self._file.truncate(state.offset)
        self._file.seek(state.offset)

    def write_part(self, rows: Sequence[bytes], last: RawKey | None) -> None:
        """Write the lines of some rows durably, and save that the scan has come up to `last`."""
        state = self.state
        self._begin()
        body = b"".join(rows)
        digest = hashlib.sha256(body).hexdigest()
        end = PartEnd(part=state.parts + 1, rows=len(rows), sha256=digest)
        self._file.write(_compress(body + _encode(end) + b"\n"))
        self._sync()
        self.state = msgspec.structs.replace(
            state,
            offset=self._file.tell(),
            parts=state.parts + 1,
            rows=state.rows + len(rows),
            sha256=_chained(state.sha256, digest),
            start=None if last is None else tuple(last),
        )
        save_state(self._state_path, self.state)

    def finish(self) -> None:
        """Write the last line, and give the file its name."""
        state = self.state
        self._begin()
        end = FileEnd(parts=state.parts, rows=state.rows, sha256=state.sha256)
        self._file.write(_compress(_encode(end) + b"\n"))
        self._sync()
        self.close()
        self._unfinished.replace(self._path)
        sync_folder(self._path.parent)
        self._state_path.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()

    def _begin(self) -> None:
        if not self.state.offset:
            self._file.write(_compress(_encode(self.state.header) + b"\n"))

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def state_path_of(path: Path) -> Path:
    """Return the file with the progress of an export."""
    return path.with_name(path.name + ".state")


def saved_state(path: Path) -> ExportState | None:
    """Return the progress of an export that was interrupted; None if there is none."""
    state = load_state(state_path_of(path), ExportState)
    unfinished = path.with_name(path.name + ".unfinished")
    if state is None or not unfinished.exists() or unfinished.stat().st_size < state.offset:
        return None
    return state


class Part(NamedTuple):
    """The lines of the rows of one part."""

    number: int
    lines: list[bytes]


class ExportReader:
    """Reads an exported file, and refuses it where it is not as it was written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def header(self) -> Header:
        """Return the first line; BrokenExport if the file is not an export that this version can read."""
        return self._header(next(self._frames(), b""))

    def check(self) -> FileEnd:
        """Read the whole file without decoding rows, and return its last line."""
        return [counted for _, counted in self._walk()][-1]

    def parts(self) -> Iterator[Part]:
        """Yield the parts, each checked."""
        for part, _ in self._walk():
            if part is not None:
                yield part

    def _walk(self) -> Iterator[tuple[Part | None, FileEnd]]:
        """Yield each part with what was counted so far; at last what the file itself says, which must be the same."""
        frames = self._frames()
        self._header(next(frames, b""))
        counted = FileEnd(parts=0, rows=0, sha256="")
        ended = False
        for frame in frames:
            if ended:
                raise BrokenExport(f"{self.path} has data after its end")
            *lines, last, empty = frame.split(b"\n") if frame.count(b"\n") > 0 else (frame, b"no line")
            where = f"part {counted.parts + 1} of {self.path}"
            if empty:
                raise BrokenExport(f"{where} is damaged: its last line is incomplete")
            if not lines and (end := _decoded(_file_ends, last)) is not None:
                if end != counted:
                    raise BrokenExport(f"{self.path} is damaged: it says {end.rows} rows, but has {counted.rows}")
                ended = True
                continue
            counted = _counted(lines, _decoded(_part_ends, last), counted, where)
            yield Part(counted.parts, lines), counted
        if not ended:
            raise BrokenExport(f"{self.path} is truncated after part {counted.parts}: export it again")
        yield None, counted

    def _header(self, frame: bytes) -> Header:
        header = _decoded(_headers, frame)
        if header is None or header.sobremesa != "export":
            raise BrokenExport(f"{self.path} is not a file of `sobremesa export`")
        if header.version > VERSION:
            raise BrokenExport(f"{self.path} has format {header.version}; this version reads up to format {VERSION}")
        return header

    def _frames(self) -> Iterator[bytes]:
        """Yield the content of each zstd frame."""
        number = 0
        with self.path.open("rb") as file:
            rest = file.read(READ_BYTES)
            while rest:
                decompressor = zstd.ZstdDecompressor()
                pieces: list[bytes] = []
                size = 0
                while True:
                    try:
                        pieces.append(decompressor.decompress(rest))
                    except zstd.ZstdError as error:
                        raise self._damaged(number, error) from None
                    size += len(pieces[-1])
                    if size > MAX_PART_BYTES:
                        raise BrokenExport(f"{self.path} is damaged: part {number} is larger than any part")
                    if decompressor.eof:
                        break
                    rest = file.read(READ_BYTES)
                    if not rest:
                        raise BrokenExport(f"{self.path} is truncated within part {number}: export it again")
                yield b"".join(pieces)
                rest = decompressor.unused_data or file.read(READ_BYTES)
                number += 1

    def _damaged(self, number: int, error: Exception) -> BrokenExport:
        if number == 0:
            return BrokenExport(f"{self.path} is not a file of `sobremesa export`")
        return BrokenExport(f"{self.path} is damaged in part {number}: {error}")


def _counted(lines: Sequence[bytes], end: PartEnd | None, before: FileEnd, where: str) -> FileEnd:
    """Return the counts after a part; BrokenExport if it is not as its last line says."""
    digest = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    if end is None or end.part != before.parts + 1 or end.rows != len(lines) or end.sha256 != digest:
        raise BrokenExport(f"{where} is damaged: its rows do not have the checksum that it says")
    return FileEnd(parts=end.part, rows=before.rows + end.rows, sha256=_chained(before.sha256, digest))


def _chained(before: str, digest: str) -> str:
    """Return the checksum of the file after one more part, from the one before."""
    return hashlib.sha256(f"{before}{digest}".encode()).hexdigest()


def _compress(content: bytes) -> bytes:
    return zstd.compress(content, options=_OPTIONS)


def _decoded(decoder: msgspec.json.Decoder[S], line: bytes) -> S | None:
    try:
        return decoder.decode(line)
    except msgspec.DecodeError:
        return None
