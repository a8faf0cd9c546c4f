"""The files of imported messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import unquote, urlsplit

from sobremesa.domains.imports.downloads import Downloads
from sobremesa.domains.imports.errors import AttachmentRefused
from sobremesa.domains.imports.records import FileRecord

READ_BYTES = 1024 * 1024


class OpenedFile(NamedTuple):
    """A file that a line names, not read yet."""

    name: str
    pieces: AsyncGenerator[bytes, None]


class ImportFiles:
    """Opens the files that the lines of one import name: by URL, and in a folder if there is one."""

    def __init__(self, downloads: Downloads, *, folder: Path | None, max_downloads: int | None) -> None:
        self._downloads = downloads
        self._folder = None if folder is None else folder.resolve()
        self._downloads_left = max_downloads

    async def open(self, record: FileRecord) -> OpenedFile:
        """Return a file; AttachmentRefused if it cannot be imported. Its content may be refused when it is read."""
        if (record.path is None) == (record.url is None):
            raise AttachmentRefused("An attachment needs a path or a url.")
        if record.path is not None:
            path = await asyncio.to_thread(self._inside, record.path)
            return OpenedFile(record.name or path.name, read_pieces(path))
        url = record.url or ""
        self._count_download()
        return OpenedFile(record.name or _name_of(url), self._downloads.fetch(url))

    def _count_download(self) -> None:
        if self._downloads_left is None:
            return
        if self._downloads_left == 0:
            raise AttachmentRefused("A call downloads a limited number of files: send the others in another call.")
        self._downloads_left -= 1

    def _inside(self, name: str) -> Path:
        """Return a path inside the folder; the lines may come from another system, and are not trusted."""
        if self._folder is None:
            raise AttachmentRefused
        try:
            # `resolve` also follows symbolic links, which may lead out of the folder.
            path = (self._folder / name).resolve()
        except (OSError, ValueError, RuntimeError):
            raise AttachmentRefused("The path is not valid.") from None
        if not path.is_relative_to(self._folder) or not path.is_file():
            raise AttachmentRefused("There is no such file in the folder of the imported file.")
        return path


async def read_pieces(path: Path) -> AsyncGenerator[bytes, None]:
    """Yield the content of a file, read outside of the event loop."""
    file: IO[bytes] = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, READ_BYTES):
            yield piece
    finally:
        file.close()


def _name_of(url: str) -> str:
    """Return the last part of a URL's path, as the name of its file."""
    try:
        return unquote(urlsplit(url).path).rpartition("/")[2]
    except ValueError:
        return ""
