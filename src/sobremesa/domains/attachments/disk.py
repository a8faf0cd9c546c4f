"""The file store on disk: each file is written to a temporary path, synced and moved into place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import IO

from sobremesa.domains.attachments.errors import FilesUnavailable
from sobremesa.domains.attachments.stores import Presigned, StorageKey

PIECE_BYTES = 262_144
FOLDER_CHARACTERS = 2
OWNER_ONLY = 0o700
OWNER_ONLY_FILE = 0o600
PARTIAL_SUFFIX = ".part"


class DiskStore:
    """A folder, created when the first file is stored."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._is_temporary = folder is None

    async def spool(self, name: str) -> Path:
        # On the same file system as its final path, so that it can be renamed.
        return await asyncio.to_thread(self._ensure_folder, "incoming") / f"{name}{PARTIAL_SUFFIX}"

    async def put(self, key: StorageKey, path: Path, mime: str) -> None:
        try:
            await asyncio.to_thread(self._put, key, path)
        except OSError as error:
            raise FilesUnavailable(f"could not store a file: {error.strerror}") from error

    async def size(self, key: StorageKey) -> int | None:
        try:
            return (await asyncio.to_thread(self._path_of(key).stat)).st_size
        except FileNotFoundError:
            return None

    async def read(self, key: StorageKey, start: int, end: int) -> AsyncGenerator[bytes, None]:
        file: IO[bytes] = await asyncio.to_thread(self._path_of(key).open, "rb", 0)
        try:
            await asyncio.to_thread(file.seek, start)
            while start < end:
                piece = await asyncio.to_thread(file.read, min(PIECE_BYTES, end - start))
                if not piece:
                    raise FilesUnavailable("a stored file is shorter than before")
                start += len(piece)
                yield piece
        finally:
            file.close()

    async def presign_download(self, key: StorageKey, mime: str, disposition: str) -> str | None:
        return None

    async def presign_upload(self, key: StorageKey, mime: str, size: int) -> Presigned | None:
        return None

    async def fetch(self, key: StorageKey, path: Path, limit: int) -> int | None:
        raise NotImplementedError("the disk store has no presigned uploads")

    async def delete(self, keys: Sequence[StorageKey]) -> None:
        try:
            await asyncio.to_thread(self._delete, keys)
        except OSError as error:
            raise FilesUnavailable(f"could not delete a file: {error.strerror}") from error

    async def iter_keys(self) -> AsyncIterator[list[StorageKey]]:
        for folder in await asyncio.to_thread(self._folders):
            try:
                names = await asyncio.to_thread(os.listdir, folder)
            except OSError as error:
                raise FilesUnavailable(f"could not list files: {error.strerror}") from error
            yield [StorageKey(name) for name in names]

    async def close(self) -> None:
        if self._is_temporary and self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def _root(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="sobremesa-files-"))
        return self._folder

    def _ensure_folder(self, name: str) -> Path:
        """Create a subfolder durably, if it does not exist, and return it."""
        root = self._root()
        for folder in (root, root / name):
            if not folder.is_dir():
                folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
                _sync_folder(folder.parent)
        return root / name

    def _path_of(self, key: StorageKey) -> Path:
        if key.endswith(PARTIAL_SUFFIX):
            return self._root() / "incoming" / key
        # The end of a key is random, so the folders fill evenly.
        return self._root() / key[-FOLDER_CHARACTERS:] / key

    def _put(self, key: StorageKey, path: Path) -> None:
        target = self._path_of(key)
        self._ensure_folder(target.parent.name)
        with path.open("rb") as file:
            os.fchmod(file.fileno(), OWNER_ONLY_FILE)
            os.fsync(file.fileno())
        path.rename(target)
        _sync_folder(target.parent)

    def _delete(self, keys: Sequence[StorageKey]) -> None:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                self._path_of(key).unlink()

    def _folders(self) -> list[Path]:
        if self._folder is None or not self._folder.is_dir():
            return []
        return [folder for folder in self._folder.iterdir() if folder.is_dir()]


def _sync_folder(folder: Path) -> None:
    """Make the entries of a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
