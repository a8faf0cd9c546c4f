"""Intake: from bytes on their way to bytes that are kept, with all that was found out about them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from sobremesa.domains.attachments.entities import Attachment, FileId, FileKind
from sobremesa.domains.attachments.errors import FilesUnavailable, UploadMissing, WrongSize, WrongType
from sobremesa.domains.attachments.inspection import inspect
from sobremesa.domains.attachments.previews import MIME as PREVIEW_MIME
from sobremesa.domains.attachments.previews import Previews
from sobremesa.domains.attachments.receiving import Arriving, write
from sobremesa.domains.attachments.stores import FileStore, StorageKey, new_key

LOOKING_AT_ONCE = 2


class Taken(NamedTuple):
    """What is kept of a file, as its row tells it."""

    kind: FileKind
    mime: str
    size: int
    sha256: str
    width: int | None
    height: int | None
    storage_key: StorageKey
    preview_key: StorageKey | None


class Intake:
    """Takes files in, if they are what they should be."""

    def __init__(self, store: FileStore, *, max_bytes: int) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._previews = Previews()
        self._looking = asyncio.Semaphore(LOOKING_AT_ONCE)

    async def take(self, file_id: FileId, file: Arriving, *, public: bool) -> Taken:
        """Take in a file that arrives; nothing of it stays if it is refused."""
        async with self._spooled(file_id) as path:
            arrived = await write(file.pieces, path, self._max_bytes)
            return await self._kept(file_id, path, file.declared, arrived.size, arrived.sha256, public)

    async def take_over(self, waiting: Attachment) -> Taken:
        """Take in what was uploaded to the store directly.

        It is copied, since whoever uploaded it can do so again for as long as their request is good.
        """
        async with self._spooled(waiting.file_id) as path:
            size = await self._store.fetch(StorageKey(waiting.storage_key), path, waiting.size)
            if size is None:
                raise UploadMissing
            if size != waiting.size:
                raise WrongSize(size=waiting.size)
            sha256 = await asyncio.to_thread(_sha256, path)
            return await self._kept(waiting.file_id, path, waiting.mime, size, sha256, waiting.public)

    async def _kept(self, file_id: FileId, path: Path, declared: str, size: int, sha256: str, public: bool) -> Taken:
        async with self._looking:
            found = await asyncio.to_thread(inspect, path, declared)
        if found.size is None:
            if public:
                raise WrongType("This must be a picture.")
            key = await self._put(file_id, path, found.mime)
            return Taken("manifest", found.mime, size, sha256, None, None, key, None)
        async with self._spooled(file_id) as preview:
            made = await self._previews.make(path, preview)
            if public:
                # Everybody sees it, so it is small, and what the camera wrote into it stays with its owner.
                small, digest = preview.stat().st_size, await asyncio.to_thread(_sha256, preview)
                key = await self._put(file_id, preview, PREVIEW_MIME)
                return Taken("preview", PREVIEW_MIME, small, digest, *made.preview, key, key)
            preview_key = await self._put(file_id, preview, PREVIEW_MIME)
            key = await self._put(file_id, path, found.mime)
            return Taken("preview", found.mime, size, sha256, *made.picture, key, preview_key)

    async def _put(self, file_id: FileId, path: Path, mime: str) -> StorageKey:
        key = new_key(file_id)
        await self._store.put(key, path, mime)
        return key

    @contextlib.asynccontextmanager
    async def _spooled(self, file_id: FileId) -> AsyncIterator[Path]:
        """Where a file may be for a while; it is gone afterwards, unless it was put."""
        try:
            path = await self._store.spool(new_key(file_id))
            try:
                yield path
            finally:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise FilesUnavailable(f"a file cannot be written: {error.strerror}") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
