"""Receiving: a file out of a request's body, piece by piece, and onto the disk with its size and its hash."""

from __future__ import annotations

import asyncio
import hashlib
import re
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, NamedTuple

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from sobremesa.core.errors import TooBig
from sobremesa.domains.attachments.errors import OneFile
from sobremesa.http.endpoints import Upload
from sobremesa.http.problems import MalformedRequest

FORM = b"multipart/form-data"
MAX_NAME = 200
MAX_ENDING = 16
WRITE_BYTES = 262_144
NAMELESS = "file"

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control characters, and those that turn a text around or hide it."""


class Arriving(NamedTuple):
    """A file on its way."""

    name: str
    declared: str
    """The type that the sender says; empty if they say none."""
    pieces: AsyncIterator[bytes]


class Arrived(NamedTuple):
    """A file that is on the disk."""

    size: int
    sha256: str


async def arriving(upload: Upload, name: str | None) -> Arriving:
    """The file of a body: the one part of a form, or all of it."""
    kind, options = parse_options_header(upload.content_type)
    if kind != FORM:
        return Arriving(name or NAMELESS, upload.content_type, upload.pieces)
    if b"boundary" not in options:
        raise MalformedRequest("The form has no boundary.")
    form = _Form(options[b"boundary"])
    while not form.is_begun:
        try:
            form.take(await anext(upload.pieces))
        except StopAsyncIteration:
            raise OneFile from None
    return Arriving(name or form.name, form.declared, form.rest(upload.pieces))


async def write(pieces: AsyncIterator[bytes], path: Path, limit: int) -> Arrived:
    """Gather the pieces in a file; TooBig as soon as there are more bytes than the limit."""
    digest = hashlib.sha256()
    size = 0
    waiting: list[bytes] = []
    held = 0
    file: IO[bytes] = await asyncio.to_thread(path.open, "wb", 0)
    try:
        async for piece in pieces:
            size += len(piece)
            if size > limit:
                raise TooBig(f"A file may have {limit} bytes.", limit=limit)
            digest.update(piece)
            waiting.append(piece)
            held += len(piece)
            if held >= WRITE_BYTES:
                await asyncio.to_thread(file.write, b"".join(waiting))
                waiting, held = [], 0
        await asyncio.to_thread(file.write, b"".join(waiting))
    finally:
        file.close()
    return Arrived(size, digest.hexdigest())


def cleaned(name: str) -> str:
    """A name as it is shown: no folders, nothing unseen, not too long. It never becomes part of a path."""
    plain = unicodedata.normalize("NFC", re.split(r"[\\/]", name)[-1])
    seen = "".join(letter for letter in plain if unicodedata.category(letter) not in _UNSEEN).strip()
    if len(seen) > MAX_NAME:
        stem, dot, ending = seen.rpartition(".")
        end = dot + ending if stem and len(ending) <= MAX_ENDING else ""
        seen = seen[: MAX_NAME - len(end)] + end
    return seen if seen.strip(".") else NAMELESS


class _Form:
    """Takes the one file out of a form as it arrives."""

    def __init__(self, boundary: bytes) -> None:
        self.name = NAMELESS
        self.declared = ""
        self.is_begun = False
        self._field = b""
        self._value = b""
        self._content: list[bytes] = []
        self._is_complete = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._part_begins,
                    "on_header_field": self._header_field,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_ends,
                    "on_headers_finished": self._headers_end,
                    "on_part_data": self._data,
                    "on_end": self._ends,
                },
            )
        except FormParserError:
            raise MalformedRequest("The form's boundary is none.") from None
        self._parts = 0
        self._field_name = b""

    def take(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except FormParserError:
            raise MalformedRequest("The form cannot be read.") from None

    async def rest(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """What the file holds, from its beginning."""
        yield self._taken()
        async for piece in pieces:
            self.take(piece)
            yield self._taken()
        if not self._is_complete:
            raise MalformedRequest("The form ended too early.")

    def _taken(self) -> bytes:
        content, self._content = b"".join(self._content), []
        return content

    def _part_begins(self) -> None:
        self._parts += 1
        if self._parts > 1:
            raise OneFile

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_ends(self) -> None:
        field, value, self._field, self._value = self._field.lower(), self._value, b"", b""
        if field == b"content-type":
            self.declared = value.decode("latin-1")
        elif field == b"content-disposition":
            _, options = parse_options_header(value)
            self._field_name = options.get(b"name", b"")
            self.name = options.get(b"filename", b"").decode("utf-8", "replace") or NAMELESS

    def _headers_end(self) -> None:
        if self._field_name != b"file":
            raise OneFile
        self.is_begun = True

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._content.append(data[start:end])

    def _ends(self) -> None:
        self._is_complete = True
