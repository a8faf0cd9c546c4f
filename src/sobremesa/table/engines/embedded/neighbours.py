"""Neighbours: has another process written to the same file?

With a write-ahead log, SQLite keeps an index of it in a file that all processes map into their memory. The header of
that index changes with every commit, and its layout is documented (https://www.sqlite.org/walformat.html): reading it
costs nothing, where a pragma would take and give back a lock. Bytes 8 to 11 count the transactions.
"""

from __future__ import annotations

import mmap
import sys
from pathlib import Path
from typing import Protocol

HEADER_BYTES = 48
_COUNT = slice(8, 12)


class Neighbours(Protocol):
    """Tells what others did to a store."""

    def have_written(self) -> bool:
        """Has anybody committed since this was asked last, or since `only_we_wrote`?"""
        ...

    def only_we_wrote(self) -> bool:
        """Just after a commit of ours: was it the only one since `have_written` said no?"""
        ...


class NoNeighbours:
    """Nobody else can reach what is in memory."""

    def have_written(self) -> bool:
        return False

    def only_we_wrote(self) -> bool:
        return True


class UnknownNeighbours:
    """Where it cannot be told, anybody may have written at any time."""

    def have_written(self) -> bool:
        return True

    def only_we_wrote(self) -> bool:
        return False


class WalNeighbours:
    """Other processes with the same file."""

    def __init__(self, wal_index: mmap.mmap) -> None:
        self._wal_index = wal_index
        self._header = b""

    def have_written(self) -> bool:
        header = self._wal_index[:HEADER_BYTES]
        if header == self._header:
            return False
        self._header = header
        return True

    def only_we_wrote(self) -> bool:
        before, self._header = self._header, self._wal_index[:HEADER_BYTES]
        if before == self._header:
            return True  # a transaction that changed nothing
        return (_transactions(self._header) - _transactions(before)) % (1 << 32) == 1


def watch(path: str, *, in_memory: bool) -> Neighbours:
    """Somebody who watches the neighbours of a store that is open already."""
    if in_memory:
        return NoNeighbours()
    try:
        with Path(f"{path}-shm").open("rb") as file:
            return WalNeighbours(mmap.mmap(file.fileno(), HEADER_BYTES, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return UnknownNeighbours()


def _transactions(header: bytes) -> int:
    return int.from_bytes(header[_COUNT], sys.byteorder)
