"""Where a keyring is stored: in memory, in a file beside the store, or in the table.

Of several processes that start at once, the first creates the keys: nothing that is stored is ever replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from sobremesa.core.errors import Busy, SobremesaError
from sobremesa.domains.accounts.entities import ServerSecret, SigningKey, server_secrets, signing_keys, store_keys
from sobremesa.table import Create, Delete, Operation, Table, always
from sobremesa.table.errors import ConditionFailed

OWNER_ONLY = 0o600
POLL_SECONDS = 0.02
WAIT_SECONDS = 10.0
ABANDONED_SECONDS = 5.0
"""Writing the file takes milliseconds: an older one was left behind by a process that was killed."""


class BadKeyFile(SobremesaError):
    """The key file cannot be decoded."""


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A signing key as it is stored."""

    kid: str
    private: str
    public: str
    created_ms: int


class Material(msgspec.Struct, kw_only=True):
    """Keys by id, secrets by name."""

    keys: dict[str, KeyRecord] = {}
    secrets: dict[str, str] = {}


class KeyStore(Protocol):
    """Stores keys and secrets."""

    async def load(self) -> Material:
        """Return all stored keys and secrets."""
        ...

    async def store_missing(self, created: Material) -> Material:
        """Store these unless another process was first; return all that is stored."""
        ...

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        """Add a key and drop some; return all that is stored."""
        ...


class MemoryKeys:
    """Keys in memory, for a store in memory."""

    def __init__(self) -> None:
        self._material = Material()

    async def load(self) -> Material:
        return self._material

    async def store_missing(self, created: Material) -> Material:
        self._material = _with_missing(self._material, created)
        return self._material

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        self._material = _with_key(self._material, key, drop)
        return self._material


class FileKeys:
    """Keys in a file that only its owner can read, replaced atomically."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._next = Path(f"{path}.new")

    async def load(self) -> Material:
        return await asyncio.to_thread(self._read)

    async def store_missing(self, created: Material) -> Material:
        return await asyncio.to_thread(self._change, lambda stored: _with_missing(stored, created))

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        return await asyncio.to_thread(self._change, lambda stored: _with_key(stored, key, drop))

    def _read(self) -> Material:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Material)
        except FileNotFoundError:
            return Material()
        except msgspec.DecodeError as error:
            raise BadKeyFile(f"{self._path} is not a key file: {error}") from None

    def _change(self, change: Callable[[Material], Material]) -> Material:
        """Read, change and replace the file. The new file is also the lock: only one process can create it."""
        descriptor = self._create_next()
        try:
            with open(descriptor, "wb") as file:
                material = change(self._read())
                file.write(msgspec.json.format(msgspec.json.encode(material)))
                file.flush()
                os.fsync(file.fileno())
            os.replace(self._next, self._path)
        except BaseException:
            self._next.unlink(missing_ok=True)
            raise
        _sync_folder(self._path.parent)
        return material

    def _create_next(self) -> int:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                return os.open(self._next, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
            except FileExistsError:
                if time.monotonic() > deadline:
                    raise Busy(f"{self._next} exists: another process is writing the keys") from None
            self._remove_abandoned()
            time.sleep(POLL_SECONDS)

    def _remove_abandoned(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if time.time() - self._next.stat().st_mtime > ABANDONED_SECONDS:
                self._next.unlink()


class TableKeys:
    """Keys in rows of the table, which all nodes share."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def load(self) -> Material:
        material = Material()
        # Secrets first: a node that starts between the two reads has created both, so no second key is needed.
        async for secret in self._table.every(server_secrets()):
            material.secrets[secret.name] = secret.value
        async for key in self._table.every(signing_keys()):
            material.keys[key.kid] = KeyRecord(
                kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms
            )
        return material

    async def store_missing(self, created: Material) -> Material:
        creates: list[Operation] = [Create(_row(key)) for key in created.keys.values()]
        creates += [Create(ServerSecret(name=name, value=value)) for name, value in created.secrets.items()]
        # All or nothing: of two nodes that start at once, one creates everything, and the other loads it.
        with contextlib.suppress(ConditionFailed):
            await self._table.write(keys=creates, pattern=store_keys)
        return await self.load()

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        drops = [Delete(SigningKey.key(kid=kid), when=always()) for kid in drop]
        await self._table.write(key=Create(_row(key)), old_keys=drops, pattern=store_keys)
        return await self.load()


def _row(key: KeyRecord) -> SigningKey:
    return SigningKey(kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms)


def _with_missing(stored: Material, created: Material) -> Material:
    return Material(keys=dict(stored.keys or created.keys), secrets={**created.secrets, **stored.secrets})


def _with_key(stored: Material, key: KeyRecord, drop: Sequence[str]) -> Material:
    keys = {kid: record for kid, record in stored.keys.items() if kid not in drop}
    return Material(keys={**keys, key.kid: key}, secrets=stored.secrets)


def _sync_folder(folder: Path) -> None:
    """Make the new file name durable, where directories can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
