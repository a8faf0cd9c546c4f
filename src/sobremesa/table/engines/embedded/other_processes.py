"""Detects writes of other processes to the same file.

With a write-ahead log, SQLite keeps an index of it in a file that all processes map into their memory. The header of
that index changes with every commit, and its layout is documented (https://www.sqlite.org/walformat.html): reading it
costs nothing, while a pragma would acquire and release a lock. Bytes 8 to 11 count the transactions.
"""

from __future__ import annotations

import mmap
import os
import sys
from typing import ClassVar, Protocol

HEADER_BYTES = 48
_COUNT = slice(8, 12)


class OtherProcesses(Protocol):
    """Detects writes of other processes to a store."""

    def have_written(self) -> bool:
        """Return whether there was a commit since the last call of this method or of `only_we_wrote`."""
        ...

    def only_we_wrote(self) -> bool:
        """Return, right after our own commit with changes, whether it was the only one since `have_written`."""
        ...

    def close(self) -> None: ...


class NoOtherProcesses:
    """For a store in memory, which no other process can reach."""

    def have_written(self) -> bool:
        return False

    def only_we_wrote(self) -> bool:
        return True

    def close(self) -> None:
        pass


class UnknownProcesses:
    """For a store without a shared index: another process may have written at any time."""

    def have_written(self) -> bool:
        return True

    def only_we_wrote(self) -> bool:
        return False

    def close(self) -> None:
        pass


class WalProcesses:
    """For a file with a write-ahead log."""

    def __init__(self, wal_index: _WalIndex) -> None:
        self._wal_index = wal_index
        self._bytes = wal_index.map
        self._header = b""

    def have_written(self) -> bool:
        header = self._bytes[:HEADER_BYTES]
        if header == self._header:
            return False
        self._header = header
        return True

    def only_we_wrote(self) -> bool:
        before, self._header = self._header, self._bytes[:HEADER_BYTES]
        return (_transactions(self._header) - _transactions(before)) % (1 << 32) == 1

    def close(self) -> None:
        self._wal_index.leave()


class _WalIndex:
    """The mapped index of one file, shared by all its watchers in this process.

    Closing any descriptor of a file drops every lock that the process has on it, including SQLite's own, and the next
    process would believe that it is the first. So there is one descriptor, and it is closed after the last connection.
    """

    _open: ClassVar[dict[tuple[int, int], _WalIndex]] = {}

    def __init__(self, identity: tuple[int, int], descriptor: int) -> None:
        self._identity = identity
        self._descriptor = descriptor
        self._watchers = 0
        self.map = mmap.mmap(descriptor, HEADER_BYTES, access=mmap.ACCESS_READ)

    @classmethod
    def join(cls, path: str) -> _WalIndex:
        facts = os.stat(path)
        identity = (facts.st_dev, facts.st_ino)
        index = cls._open.get(identity)
        if index is None:
            index = cls._open[identity] = cls(identity, os.open(path, os.O_RDONLY))
        index._watchers += 1
        return index

    def leave(self) -> None:
        self._watchers -= 1
        if not self._watchers:
            del self._open[self._identity]
            self.map.close()
            os.close(self._descriptor)


def watch(path: str, *, in_memory: bool) -> OtherProcesses:
    """Return the watcher of an open store; close it after the connection."""
    if in_memory:
        return NoOtherProcesses()
    try:
        return WalProcesses(_WalIndex.join(f"{path}-shm"))
    except (OSError, ValueError):
        return UnknownProcesses()


def _transactions(header: bytes) -> int:
    return int.from_bytes(header[_COUNT], sys.byteorder)
