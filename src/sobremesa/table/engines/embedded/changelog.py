"""The change log: a durable, ordered log of the changes of every transaction, kept for a day.

Transactions are numbered without gaps in commit order across processes. The newest row is never deleted, so a number is
never used twice. `log_rows` has the rows of the file.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple

import apsw

from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.engines.embedded.file import store_error
from sobremesa.table.engines.embedded.log_rows import LoggedTransaction, LogRows, encode_transaction
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
POLL_SECONDS = 0.05
"""How often a waiting reader checks for changes of other processes; our own commits wake it at once."""
SHARD_ID = "log"
ITEMS_A_TRANSACTION = 1_000_000
"""More than a transaction can change: numbers of changes are made of the transaction's number and the item's."""
KEPT_IN_MEMORY = 1024
"""How many of the last transactions of this process are kept in memory for readers."""


class Logged(NamedTuple):
    """The changes of one transaction."""

    at_ms: int
    changes: Sequence[RowChange]
    expired: bool
    body: bytes
    """The encoded transaction."""


def logged(at_ms: int, changes: Iterable[RowChange], *, expired: bool) -> Logged | None:
    """Return the log entry of a transaction; None if it changed nothing."""
    changed = [change for change in changes if not change.unchanged]
    if not changed:
        return None
    entries = [
        (change.key.pk, change.key.sk, change.old and change.old.body, change.new and change.new.body, expired)
        for change in changed
    ]
    return Logged(at_ms, changed, expired, encode_transaction((at_ms, entries)))


class ChangeLog:
    """Writes the log inside the writer's transactions, and reads it."""

    def __init__(self, connection: apsw.Connection, store_id: str) -> None:
        self._rows = LogRows(connection)
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
            newest = self._rows.append([each.body for each in transactions], max(each.at_ms for each in transactions))
            self._written = (newest, transactions)

    def roll_back(self) -> None:
        """Forget what was written since the last commit."""
        self._written = (0, ())
        self._rows.forget_uncommitted()

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
            _finish(waiting)
        self._waiting.clear()

    def trim(self, now_ms: int, stopwatch: Callable[[], float]) -> bool:
        """Delete some rows older than a day, for some milliseconds; return whether more may be due."""
        last, more = self._rows.trim(now_ms - RETENTION_MS, stopwatch)
        while last is not None and self._recent and self._newest - len(self._recent) < last:
            self._recent.popleft()  # what is deleted must not be read from memory either
        return more

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
        with closing(self._rows.after(sequence)) as rows:
            for number, transaction in islice(rows, TRANSACTIONS_A_READ):
                if number != sequence + 1:
                    oldest = self.position(number - 1)
                    raise PositionTrimmed("the changes after this position are no longer kept", oldest)
                sequence = number
                changes += self._stored_changes(number, transaction)
        return changes, sequence

    def _read_recent(self, sequence: int, first: int) -> tuple[list[RawChange], int]:
        """Return the same from memory, without decoding."""
        transactions = list(islice(self._recent, first, first + TRANSACTIONS_A_READ))
        return [change for changes in transactions for change in changes], sequence + len(transactions)

    def _stored_changes(self, sequence: int, transaction: LoggedTransaction) -> list[RawChange]:
        """Return the changes of a transaction from the file."""
        return [
            RawChange(
                f"{self._store_id}-{sequence}-{number}",
                transaction.at_ms,
                RawKey(change.pk, change.sk),
                unpack(change.old) if change.old is not None else None,
                unpack(change.new) if change.new is not None else None,
                change.expired,
                SHARD_ID,
                sequence_of(sequence, number),
            )
            for number, change in enumerate(transaction.changes)
        ]

    def _raw_changes(self, sequence: int, logged: Logged) -> list[RawChange]:
        """Return the changes of a transaction as readers receive them; created once for all readers."""
        at_ms, changed, expired, _ = logged
        id, first = f"{self._store_id}-{sequence}-", sequence * ITEMS_A_TRANSACTION
        return [
            RawChange(
                f"{id}{number}",
                at_ms,
                change.key,
                change.old.item if change.old is not None else None,
                change.new.item if change.new is not None else None,
                expired,
                SHARD_ID,
                str(first + number),
            )
            for number, change in enumerate(changed)
        ]

    async def next_commit(self, seconds: float) -> None:
        """Wait for a commit of this process, at most this long."""
        # Not `asyncio.wait`, which returns an iteration of the loop later: what a commit publishes would be written to
        # sockets after the results of its writes, with system calls of its own.
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._waiting.add(waiting)
        timer = loop.call_later(seconds, _finish, waiting)
        try:
            await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)

    def close(self) -> None:
        self._closed = True
        self._wake()

    def refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")

    def _sequence_at(self, position: Position) -> int:
        oldest, newest = self._rows.oldest(), self._rows.newest()
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


def _finish(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


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
