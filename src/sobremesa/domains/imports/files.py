"""The files of imported messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Protocol

from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.imports.errors import AttachmentRefused
from sobremesa.domains.imports.records import FileRecord

READ_BYTES = 1024 * 1024


class OpenFile(Protocol):
    """Opens the files that the lines of an import name."""

    async def __call__(self, record: FileRecord) -> UploadedFile:
        """Return a file; AttachmentRefused if it cannot be imported."""
        ...


class Fetch(Protocol):
    """Downloads a file. It must not reach private addresses, also not by a redirect."""

    def __call__(self, url: str) -> AsyncIterator[bytes]: ...


async def refuse_files(record: FileRecord) -> UploadedFile:
    """Refuse all files."""
    raise AttachmentRefused


class LocalFiles:
    """The files in the folder of an imported file, and those that `fetch` downloads."""

    def __init__(self, folder: Path, fetch: Fetch | None = None) -> None:
        self._folder = folder.resolve()
        self._fetch = fetch

    async def __call__(self, record: FileRecord) -> UploadedFile:
        if (record.path is None) == (record.url is None):
            raise AttachmentRefused("An attachment needs a path or a url.")
        if record.path is not None:
            path = await asyncio.to_thread(self._inside, record.path)
            return UploadedFile(record.name or path.name, "", read_pieces(path))
        if record.url is None or self._fetch is None:
            raise AttachmentRefused("Attachments by URL are not available: download the files, and give their paths.")
        return UploadedFile(record.name or record.url.rpartition("/")[2], "", self._fetch(record.url))

    def _inside(self, name: str) -> Path:
        """Return a path inside the folder; the lines may come from another system, and are not trusted."""
        try:
            path = (self._folder / name).resolve()
        except (OSError, ValueError):
            raise AttachmentRefused("The path is not valid.") from None
        if not path.is_relative_to(self._folder) or not path.is_file():
            raise AttachmentRefused("There is no such file in the folder of the imported file.")
        return path


async def read_pieces(path: Path) -> AsyncIterator[bytes]:
    """Yield the content of a file, read outside of the event loop."""
    file: IO[bytes] = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, READ_BYTES):
            yield piece
    finally:
        file.close()
