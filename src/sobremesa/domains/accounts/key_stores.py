"""Where a keyring is kept: in memory, in a file beside the store, or in the table.

Whoever comes second finds what the first one made: nothing that is there is ever replaced.
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
from sobremesa.domains.accounts.entities import ServerSecret, SigningKey, keep_keys, server_secrets, signing_keys
from sobremesa.table import Create, Delete, Operation, Table, always
from sobremesa.table.errors import ConditionFailed

OWNER_ONLY = 0o600
POLL_SECONDS = 0.02
WAIT_SECONDS = 10.0
ABANDONED_SECONDS = 5.0
"""Writing the file takes milliseconds: what is older was left by a process that died in the middle."""


class BadKeyFile(SobremesaError):
    """The file of the keys cannot be read as one."""


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A signing key as it is kept."""

    kid: str
    private: str
    public: str
    created_ms: int


class Material(msgspec.Struct, kw_only=True):
    """Keys by id, secrets by name."""

    keys: dict[str, KeyRecord] = {}
    secrets: dict[str, str] = {}


class KeyStore(Protocol):
    """Keeps keys and secrets."""

    async def load(self) -> Material:
        """All that is kept."""
        ...

    async def found(self, made: Material) -> Material:
        """Keep these where nobody else was first; all that is kept then."""
        ...

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        """Keep one more key and drop some; all that is kept then."""
        ...


class MemoryKeys:
    """Gone with the process, as the store is."""

    def __init__(self) -> None:
        self._material = Material()

    async def load(self) -> Material:
        return self._material

    async def found(self, made: Material) -> Material:
        self._material = _with_missing(self._material, made)
        return self._material

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        self._material = _with_key(self._material, key, drop)
        return self._material


class FileKeys:
    """A file that only its owner can read, and that is always whole."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._next = Path(f"{path}.new")

    async def load(self) -> Material:
        return await asyncio.to_thread(self._read)

    async def found(self, made: Material) -> Material:
        return await asyncio.to_thread(self._change, lambda kept: _with_missing(kept, made))

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        return await asyncio.to_thread(self._change, lambda kept: _with_key(kept, key, drop))

    def _read(self) -> Material:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Material)
        except FileNotFoundError:
            return Material()
        except msgspec.DecodeError as error:
            raise BadKeyFile(f"{self._path} holds no keys: {error}") from None

    def _change(self, change: Callable[[Material], Material]) -> Material:
        """Read, change and replace the file. The file that will replace it is also the lock, since one can make it."""
        descriptor = self._make_next()
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

    def _make_next(self) -> int:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                return os.open(self._next, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
            except FileExistsError:
                if time.monotonic() > deadline:
                    raise Busy(f"{self._next} is in the way: another process is writing the keys") from None
            self._remove_abandoned()
            time.sleep(POLL_SECONDS)

    def _remove_abandoned(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if time.time() - self._next.stat().st_mtime > ABANDONED_SECONDS:
                self._next.unlink()


class TableKeys:
    """Rows of the table, which all nodes share."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def load(self) -> Material:
        material = Material()
        # Secrets first: whoever starts between the two reads made both, and then no second key is needed.
        async for secret in self._table.every(server_secrets()):
            material.secrets[secret.name] = secret.value
        async for key in self._table.every(signing_keys()):
            material.keys[key.kid] = KeyRecord(
                kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms
            )
        return material

    async def found(self, made: Material) -> Material:
        creates: list[Operation] = [Create(_row(key)) for key in made.keys.values()]
        creates += [Create(ServerSecret(name=name, value=value)) for name, value in made.secrets.items()]
        # All or nothing, so that of two nodes that start at once one makes everything. Whoever asked looks again.
        with contextlib.suppress(ConditionFailed):
            await self._table.write(*creates, token=None, pattern=keep_keys)
        return await self.load()

    async def add(self, key: KeyRecord, *, drop: Sequence[str]) -> Material:
        drops = [Delete(SigningKey.key(kid=kid), when=always()) for kid in drop]
        await self._table.write(Create(_row(key)), *drops, token=None, pattern=keep_keys)
        return await self.load()


def _row(key: KeyRecord) -> SigningKey:
    return SigningKey(kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms)


def _with_missing(kept: Material, made: Material) -> Material:
    return Material(keys=dict(kept.keys or made.keys), secrets={**made.secrets, **kept.secrets})


def _with_key(kept: Material, key: KeyRecord, drop: Sequence[str]) -> Material:
    keys = {kid: record for kid, record in kept.keys.items() if kid not in drop}
    return Material(keys={**keys, key.kid: key}, secrets=kept.secrets)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
