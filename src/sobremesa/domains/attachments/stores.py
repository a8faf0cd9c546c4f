"""Stores of files: where the bytes are, under keys of ours. `disk` and `s3` are the two there are.

A key is the id of its file and a random part, so that a sweep can tell whose bytes they are and how old; nobody
outside ever sees one.
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
    """A request that uploads a file directly to where files are kept."""

    method: str
    url: str
    headers: dict[str, str]
    expires_at: Instant


class FileStore(Protocol):
    """Keeps bytes. What it cannot do at the moment raises FilesUnavailable."""

    async def spool(self, name: str) -> Path:
        """Where a file of this name may gather before it is put."""
        ...

    async def put(self, key: StorageKey, path: Path, mime: str) -> None:
        """Keep the file that is there, which is gone from there then. Once this returns, it is kept."""
        ...

    async def size(self, key: StorageKey) -> int | None:
        """How many bytes are kept under the key; None if there are none."""
        ...

    def read(self, key: StorageKey, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """The bytes from a place up to another."""
        ...

    async def address(self, key: StorageKey, mime: str, disposition: str) -> str | None:
        """Where a client can fetch the bytes itself for a minute; None if they come from here."""
        ...

    async def invite(self, key: StorageKey, mime: str, size: int) -> Presigned | None:
        """With which request a client can put them there itself; None if it cannot."""
        ...

    async def fetch(self, key: StorageKey, path: Path, limit: int) -> int | None:
        """Copy what is kept to a file, up to one byte more than the limit; how many bytes, or None if none are kept."""
        ...

    async def delete(self, keys: Sequence[StorageKey]) -> None:
        """Take the bytes away; what is not there is no mistake."""
        ...

    def every_key(self) -> AsyncIterator[list[StorageKey]]:
        """All keys, page by page, those of files that were left half written among them."""
        ...

    async def close(self) -> None: ...


def new_key(file_id: FileId) -> StorageKey:
    """A key for bytes of a file; every call gives another."""
    return StorageKey(f"{file_id}.{secrets.token_hex(RANDOM_BYTES)}")


def file_of(key: StorageKey) -> FileId:
    """Whose bytes are under a key."""
    return FileId(key.partition(".")[0])
