"""Reads an uploaded file from a request body, and writes it to disk with its size and hash."""

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
DEFAULT_NAME = "file"

_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of control characters, and of those that reverse or hide text."""


class UploadedFile(NamedTuple):
    """A file in the body of a request, not read yet."""

    name: str
    declared: str
    """The content type that the client declares; empty if it declares none."""
    pieces: AsyncIterator[bytes]


class WrittenFile(NamedTuple):
    """The size and hash of an upload on disk."""

    size: int
    sha256: str


async def parse_upload(upload: Upload, name: str | None) -> UploadedFile:
    """Return the file of a request: the only part of a form, or the whole body."""
    kind, options = parse_options_header(upload.content_type)
    if kind != FORM:
        return UploadedFile(name or DEFAULT_NAME, upload.content_type, upload.pieces)
    if b"boundary" not in options:
        raise MalformedRequest("The form has no boundary.")
    form = _Form(options[b"boundary"])
    while not form.has_started:
        try:
            form.feed(await anext(upload.pieces))
        except StopAsyncIteration:
            raise OneFile from None
    return UploadedFile(name or form.name, form.declared, form.rest(upload.pieces))


async def write_upload(pieces: AsyncIterator[bytes], path: Path, limit: int) -> WrittenFile:
    """Write the pieces to a file; TooBig as soon as they exceed the limit."""
    digest = hashlib.sha256()
    size = 0
    waiting: list[bytes] = []
    held = 0
    file: IO[bytes] = await asyncio.to_thread(path.open, "wb", 0)
    try:
        async for piece in pieces:
            size += len(piece)
            if size > limit:
                raise TooBig(f"A file may have at most {limit} bytes.", limit=limit)
            digest.update(piece)
            waiting.append(piece)
            held += len(piece)
            if held >= WRITE_BYTES:
                await asyncio.to_thread(file.write, b"".join(waiting))
                waiting, held = [], 0
        await asyncio.to_thread(file.write, b"".join(waiting))
    finally:
        file.close()
    return WrittenFile(size, digest.hexdigest())


def clean_name(name: str) -> str:
    """Return a name to display: no folders, no invisible characters, not too long. It is never part of a path."""
    plain = unicodedata.normalize("NFC", re.split(r"[\\/]", name)[-1])
    seen = "".join(letter for letter in plain if unicodedata.category(letter) not in _INVISIBLE).strip()
    if len(seen) > MAX_NAME:
        stem, dot, ending = seen.rpartition(".")
        end = dot + ending if stem and len(ending) <= MAX_ENDING else ""
        seen = seen[: MAX_NAME - len(end)] + end
    return seen if seen.strip(".") else DEFAULT_NAME


class _Form:
    """Extracts the only file of a form while the body is read."""

    def __init__(self, boundary: bytes) -> None:
        self.name = DEFAULT_NAME
        self.declared = ""
        self.has_started = False
        self._field = b""
        self._value = b""
        self._content: list[bytes] = []
        self._is_complete = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._on_part_begin,
                    "on_header_field": self._header_field,
                    "on_header_value": self._header_value,
                    "on_header_end": self._on_header_end,
                    "on_headers_finished": self._on_headers_finished,
                    "on_part_data": self._data,
                    "on_end": self._on_end,
                },
            )
        except FormParserError:
            raise MalformedRequest("The form's boundary is not valid.") from None
        self._parts = 0
        self._field_name = b""

    def feed(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except FormParserError:
            raise MalformedRequest("The form cannot be read.") from None

    async def rest(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the content of the file, from its start."""
        yield self._drain()
        async for piece in pieces:
            self.feed(piece)
            yield self._drain()
        if not self._is_complete:
            raise MalformedRequest("The form ended too early.")

    def _drain(self) -> bytes:
        content, self._content = b"".join(self._content), []
        return content

    def _on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > 1:
            raise OneFile

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        field, value, self._field, self._value = self._field.lower(), self._value, b"", b""
        if field == b"content-type":
            self.declared = value.decode("latin-1")
        elif field == b"content-disposition":
            _, options = parse_options_header(value)
            self._field_name = options.get(b"name", b"")
            self.name = options.get(b"filename", b"").decode("utf-8", "replace") or DEFAULT_NAME

    def _on_headers_finished(self) -> None:
        if self._field_name != b"file":
            raise OneFile
        self.has_started = True

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._content.append(data[start:end])

    def _on_end(self) -> None:
        self._is_complete = True
