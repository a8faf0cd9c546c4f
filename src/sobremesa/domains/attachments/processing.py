"""Processing of uploads: write, inspect, preview and store the bytes of a file."""

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
from sobremesa.domains.attachments.stores import FileStore, StorageKey, new_key
from sobremesa.domains.attachments.uploads import UploadedFile, write_upload

INSPECTIONS_AT_ONCE = 2


class StoredFile(NamedTuple):
    """A file in the store, with the attributes that its row keeps."""

    kind: FileKind
    mime: str
    size: int
    sha256: str
    width: int | None
    height: int | None
    storage_key: StorageKey
    preview_key: StorageKey | None


class UploadProcessor:
    """Stores uploads whose content is accepted."""

    def __init__(self, store: FileStore, *, max_bytes: int) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._previews = Previews()
        self._inspecting = asyncio.Semaphore(INSPECTIONS_AT_ONCE)

    async def process(self, file_id: FileId, file: UploadedFile, *, public: bool) -> StoredFile:
        """Inspect and store an upload; nothing of it stays if it is refused."""
        async with self._spooled(file_id) as path:
            written = await write_upload(file.pieces, path, self._max_bytes)
            return await self._store_file(file_id, path, file.declared, written.size, written.sha256, public)

    async def process_presigned(self, waiting: Attachment) -> StoredFile:
        """Inspect and store a file that was uploaded directly to the store.

        It is copied to a new key, since the client can upload again until the presigned request expires.
        """
        async with self._spooled(waiting.file_id) as path:
            size = await self._store.fetch(StorageKey(waiting.storage_key), path, waiting.size)
            if size is None:
                raise UploadMissing
            if size != waiting.size:
                raise WrongSize(size=waiting.size)
            sha256 = await asyncio.to_thread(_sha256, path)
            return await self._store_file(waiting.file_id, path, waiting.mime, size, sha256, waiting.public)

    async def _store_file(
        self, file_id: FileId, path: Path, declared: str, size: int, sha256: str, public: bool
    ) -> StoredFile:
        async with self._inspecting:
            found = await asyncio.to_thread(inspect, path, declared)
        if found.size is None:
            if public:
                raise WrongType("This must be an image.")
            key = await self._put(file_id, path, found.mime)
            return StoredFile("manifest", found.mime, size, sha256, None, None, key, None)
        async with self._spooled(file_id) as preview:
            sizes = await self._previews.create(path, preview)
            if public:
                # All users may fetch it, so only the small version is stored, without the camera's metadata.
                small, digest = preview.stat().st_size, await asyncio.to_thread(_sha256, preview)
                key = await self._put(file_id, preview, PREVIEW_MIME)
                return StoredFile("preview", PREVIEW_MIME, small, digest, *sizes.preview, key, key)
            preview_key = await self._put(file_id, preview, PREVIEW_MIME)
            key = await self._put(file_id, path, found.mime)
            return StoredFile("preview", found.mime, size, sha256, *sizes.image, key, preview_key)

    async def _put(self, file_id: FileId, path: Path, mime: str) -> StorageKey:
        key = new_key(file_id)
        await self._store.put(key, path, mime)
        return key

    @contextlib.asynccontextmanager
    async def _spooled(self, file_id: FileId) -> AsyncIterator[Path]:
        """Yield a temporary path, which is deleted afterwards unless the file was put into the store."""
        try:
            path = await self._store.spool(new_key(file_id))
            try:
                yield path
            finally:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise FilesUnavailable(f"could not write a file: {error.strerror}") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
