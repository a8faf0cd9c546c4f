"""The interface of file stores, which `disk` and `s3` implement.

A storage key is a file id and a random part, so that a sweep can determine the file and its age. Clients never see it.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import NewType, Protocol

import msgspec

from sobremesa.core.clock import Instant
from sobremesa.domains.attachments.entities import FileId

StorageKey = NewType("StorageKey", str)

RANDOM_BYTES = 16


class Presigned(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A request that uploads a file directly to the file store."""

    method: str
    url: str
    headers: dict[str, str]
    expires_at: Instant


class FileStore(Protocol):
    """Stores files. Operations that fail temporarily raise FilesUnavailable."""

    async def spool(self, name: str) -> Path:
        """Return a temporary path to write a file to before it is put."""
        ...

    async def put(self, key: StorageKey, path: Path, mime: str) -> None:
        """Move the file at a path into the store. It is durable when this returns."""
        ...

    async def size(self, key: StorageKey) -> int | None:
        """Return the size of a stored file; None if there is none."""
        ...

    def read(self, key: StorageKey, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Yield the bytes from `start` to `end`."""
        ...

    async def presign_download(self, key: StorageKey, mime: str, disposition: str) -> str | None:
        """Return a URL where a client can fetch the file for a minute; None if this server sends the bytes."""
        ...

    async def presign_upload(self, key: StorageKey, mime: str, size: int) -> Presigned | None:
        """Return a request with which a client can upload the file; None if the store has no such requests."""
        ...

    async def fetch(self, key: StorageKey, path: Path, limit: int) -> int | None:
        """Copy a stored file to a path and return its size, or None. Reading stops above the limit."""
        ...

    async def delete(self, keys: Sequence[StorageKey]) -> None:
        """Delete files; missing ones are ignored."""
        ...

    def iter_keys(self) -> AsyncIterator[list[StorageKey]]:
        """Yield all keys, page by page, including those of partially written files."""
        ...

    async def close(self) -> None: ...


def new_key(file_id: FileId) -> StorageKey:
    """Return a new, unique storage key of a file."""
    return StorageKey(f"{file_id}.{secrets.token_hex(RANDOM_BYTES)}")


def file_of(key: StorageKey) -> FileId:
    """Return the file of a storage key."""
    return FileId(key.partition(".")[0])
