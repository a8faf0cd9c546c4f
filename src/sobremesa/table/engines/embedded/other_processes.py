"""OtherProcesses: has another process written to the same file?

With a write-ahead log, SQLite keeps an index of it in a file that all processes map into their memory. The header of
that index changes with every commit, and its layout is documented (https://www.sqlite.org/walformat.html): reading it
costs nothing, where a pragma would take and give back a lock. Bytes 8 to 11 count the transactions.
"""

from __future__ import annotations

import mmap
import os
import sys
from typing import ClassVar, Protocol

HEADER_BYTES = 48
_COUNT = slice(8, 12)


class OtherProcesses(Protocol):
    """Tells what others did to a store."""

    def have_written(self) -> bool:
        """Has anybody committed since this was asked last, or since `only_we_wrote`?"""
        ...

    def only_we_wrote(self) -> bool:
        """Just after a commit of ours that changed something: was it the only one since `have_written`?"""
        ...

    def close(self) -> None: ...


class NoOtherProcesses:
    """Nobody else can reach what is in memory."""

    def have_written(self) -> bool:
        return False

    def only_we_wrote(self) -> bool:
        return True

    def close(self) -> None:
        pass


class UnknownProcesses:
    """Where it cannot be told, anybody may have written at any time."""

    def have_written(self) -> bool:
        return True

    def only_we_wrote(self) -> bool:
        return False

    def close(self) -> None:
        pass


class WalProcesses:
    """Other processes with the same file."""

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
    """The mapped index of one file, shared by all who watch it in this process.

    To close any descriptor of a file drops every lock that the process has on it, SQLite's own among them, and the next
    process would take itself for the first. So there is one descriptor, and it is closed after the last connection.
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
    """Somebody who watches the neighbours of a store that is open already; to be closed after its connection."""
    if in_memory:
        return NoOtherProcesses()
    try:
        return WalProcesses(_WalIndex.join(f"{path}-shm"))
    except (OSError, ValueError):
        return UnknownProcesses()


def _transactions(header: bytes) -> int:
    return int.from_bytes(header[_COUNT], sys.byteorder)
