"""The change log: a durable, ordered log of the changes of every transaction, kept for a day.

One row per transaction, numbered without gaps in commit order across processes. The newest row is never pruned, so a
number is never used twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import apsw
import msgspec

from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.engines.embedded.file import store_error
from sobremesa.table.engines.embedded.rows import RowChange
from sobremesa.table.engines.protocol import (
    NEWEST,
    OLDEST,
    ChangeBatch,
    Position,
    RawChange,
    RawKey,
    ShardBatch,
    ShardList,
    StreamShard,
)
from sobremesa.table.errors import BadCursor, PositionTrimmed, StoreClosed

RETENTION_MS = 24 * 60 * 60 * 1000
TRANSACTIONS_A_READ = 256
PRUNED_AT_ONCE = 250
"""A few milliseconds of the event loop: the sweep repeats until nothing is left to prune."""
POLL_SECONDS = 0.05
"""How often a waiting reader checks for changes of other processes; our own commits wake it at once."""
SHARD_ID = "log"
ITEMS_A_TRANSACTION = 1_000_000
"""More than a transaction can change: numbers of changes are made of the transaction's number and the item's."""
KEPT_IN_MEMORY = 1024
"""How many of the last transactions of this process are kept in memory for readers."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One changed item in the row of a transaction."""

    pk: str
    sk: str
    old: bytes | None
    new: bytes | None
    expired: bool


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Entry]).decode


class Logged(NamedTuple):
    """The changes of one transaction."""

    at_ms: int
    changes: Sequence[RowChange]
    expired: bool
    body: bytes
    """The encoded changes."""


def logged(at_ms: int, changes: Iterable[RowChange], *, expired: bool) -> Logged | None:
    """Return the log entry of a transaction; None if it changed nothing."""
    changed = [change for change in changes if not change.unchanged]
    if not changed:
        return None
    entries = [
        (change.key.pk, change.key.sk, change.old and change.old.body, change.new and change.new.body, expired)
        for change in changed
    ]
    return Logged(at_ms, changed, expired, _encode(entries))


class ChangeLog:
    """Writes the log inside the writer's transactions, and reads it."""

    def __init__(self, connection: apsw.Connection, store_id: str) -> None:
        self._connection = connection
        cursor = connection.cursor()
        self._execute = cursor.execute
        self._execute_many = cursor.executemany
        self._store_id = store_id
        self._closed = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._written: tuple[int, Sequence[Logged]] = (0, ())
        """The number of the last transaction of the current commit, and its log entries."""
        self._recent: deque[list[RawChange]] = deque(maxlen=KEPT_IN_MEMORY)
        self._newest = 0
        """The number of the last transaction in memory; those before it are consecutive."""

    def write(self, transactions: Sequence[Logged]) -> None:
        """Write the log entries of some transactions."""
        self._written = (0, ())
        if transactions:
            self._execute_many(
                "INSERT INTO changes (at_ms, body) VALUES (?, ?)", [(each.at_ms, each.body) for each in transactions]
            )
            self._written = (self._connection.last_insert_rowid(), transactions)

    def publish(self) -> None:
        """Keep the committed changes in memory, and wake the readers."""
        newest, transactions = self._written
        if transactions:
            if newest - len(transactions) != self._newest:
                self._recent.clear()  # another process has written in between
            first = newest - len(transactions) + 1
            self._recent.extend(self._raw_changes(first + number, each) for number, each in enumerate(transactions))
            self._newest = newest
            self._written = (0, ())
        self._wake()

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    def prune(self, now_ms: int) -> bool:
        """Delete some transactions older than a day; return whether there are more."""
        # Only from the start: a clock that was set back must not leave a hole.
        self._execute(
            "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)"
            " AND seq < (SELECT min(seq) FROM changes) + ?2"
            " AND seq < coalesce((SELECT seq FROM changes WHERE at_ms >= ?1 ORDER BY seq LIMIT 1), seq + 1)",
            (now_ms - RETENTION_MS, PRUNED_AT_ONCE),
        )
        pruned = self._connection.changes()
        if pruned:
            self._recent.clear()  # pruned changes must not be read from memory either
        return pruned == PRUNED_AT_ONCE

    def reader(self, position: Position) -> LogReader:
        return LogReader(self, self._sequence_at(position))

    def shards(self) -> ShardList:
        """Return the log as the only shard of a stream that only this store has."""
        return ShardList(self._store_id, [StreamShard(SHARD_ID, None)])

    def shard_reader(self, after: Position) -> LogShardReader:
        if after in (OLDEST, NEWEST):
            return LogShardReader(self, self._sequence_at(after))
        if not (after.isdecimal() and after.isascii() and len(after) < 25):
            raise BadCursor("this is not a sequence number of a change")
        return LogShardReader(self, self._sequence_at(self.position(int(after) // ITEMS_A_TRANSACTION)))

    def shard_positions(self, position: Position) -> dict[str, Position | None]:
        """Return a position as one in the only shard."""
        return {SHARD_ID: Position(sequence_of(self._sequence_at(position)))}

    def position(self, sequence: int) -> Position:
        return Position(f"{self._store_id}-{sequence}")

    def read_after(self, sequence: int) -> tuple[list[RawChange], int]:
        """Return the changes of the next transactions, and the number of the last one."""
        behind = self._newest - sequence
        if 0 < behind <= len(self._recent):
            return self._read_recent(sequence, len(self._recent) - behind)
        changes: list[RawChange] = []
        rows: list[Any] = self._execute(
            "SELECT seq, at_ms, body FROM changes WHERE seq > ? ORDER BY seq LIMIT ?", (sequence, TRANSACTIONS_A_READ)
        ).fetchall()
        for number, at_ms, body in rows:
            if number != sequence + 1:
                raise PositionTrimmed("the changes after this position are no longer kept", self.position(number - 1))
            sequence = number
            for item, entry in enumerate(_decode(body)):
                changes.append(
                    RawChange(
                        f"{self._store_id}-{number}-{item}",
                        at_ms,
                        RawKey(entry.pk, entry.sk),
                        unpack(entry.old) if entry.old is not None else None,
                        unpack(entry.new) if entry.new is not None else None,
                        entry.expired,
                        SHARD_ID,
                        sequence_of(number, item),
                    )
                )
        return changes, sequence

    def _read_recent(self, sequence: int, first: int) -> tuple[list[RawChange], int]:
        """Return the same from memory, without decoding."""
        transactions = list(islice(self._recent, first, first + TRANSACTIONS_A_READ))
        return [change for changes in transactions for change in changes], sequence + len(transactions)

    def _raw_changes(self, sequence: int, logged: Logged) -> list[RawChange]:
        """Return the changes of a transaction as readers receive them; created once for all readers."""
        at_ms, changed, expired, _ = logged
        return [
            RawChange(
                f"{self._store_id}-{sequence}-{number}",
                at_ms,
                change.key,
                change.old.item if change.old is not None else None,
                change.new.item if change.new is not None else None,
                expired,
                SHARD_ID,
                sequence_of(sequence, number),
            )
            for number, change in enumerate(changed)
        ]

    async def next_commit(self, seconds: float) -> None:
        """Wait for a commit of this process, at most this long."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        await asyncio.wait((waiting,), timeout=seconds)
        self._waiting.discard(waiting)

    def close(self) -> None:
        self._closed = True
        self._wake()

    def refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")

    def _sequence_at(self, position: Position) -> int:
        oldest: int = (self._execute("SELECT min(seq) FROM changes").get or 1) - 1
        newest: int = self._execute("SELECT max(seq) FROM changes").get or 0
        if position == OLDEST:
            return oldest
        if position == NEWEST:
            return newest
        store_id, _, number = position.rpartition("-")
        if not (store_id and number.isdecimal() and number.isascii() and len(number) < 20):
            raise BadCursor("this is not a position in a change stream")
        if store_id != self._store_id or int(number) > newest:
            raise PositionTrimmed("this position is of another store", self.position(oldest))
        if int(number) < oldest:
            raise PositionTrimmed("the changes after this position are no longer kept", self.position(oldest))
        return int(number)


def sequence_of(transaction: int, item: int = ITEMS_A_TRANSACTION - 1) -> str:
    """Return the number of a change in the whole log; by default a number that follows the transaction."""
    return str(transaction * ITEMS_A_TRANSACTION + item)


class LogShardReader:
    """Reads the log as the only shard of its stream."""

    pause_seconds = 0.0

    def __init__(self, log: ChangeLog, transaction: int) -> None:
        self._log = log
        self._transaction = transaction

    async def read(self) -> ShardBatch:
        """Return the changes of the next transactions."""
        self._log.refuse_closed()
        before = self._transaction
        try:
            changes, self._transaction = self._log.read_after(before)
        except apsw.Error as error:
            raise store_error(error) from error
        is_full = self._transaction - before >= TRANSACTIONS_A_READ
        return ShardBatch(changes, Position(sequence_of(self._transaction)), is_full=is_full)


class LogReader:
    """Reads the log from a sequence number on."""

    def __init__(self, log: ChangeLog, sequence: int) -> None:
        self._log = log
        self._sequence = sequence

    async def read(self, wait_seconds: float) -> ChangeBatch:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_seconds
        while True:
            self._log.refuse_closed()
            try:
                changes, self._sequence = self._log.read_after(self._sequence)
            except apsw.Error as error:
                raise store_error(error) from error
            remaining = until - loop.time()
            if changes or remaining <= 0:
                return ChangeBatch(changes, self._log.position(self._sequence))
            await self._log.next_commit(min(remaining, POLL_SECONDS))

    def nudge(self) -> None:
        """Do nothing: a commit wakes waiting readers."""

    def has_reached(self, goal: Position) -> bool:
        return self._sequence >= int(goal.rpartition("-")[2])

    def includes(self, position: Position, change: RawChange) -> bool:
        return int(change.id.split("-")[-2]) <= int(position.rpartition("-")[2])

    async def close(self) -> None:
        """Do nothing: a reader holds no resources."""
