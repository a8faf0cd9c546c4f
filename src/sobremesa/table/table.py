"""The table: typed reads and writes over any engine.

Here items become entities and back: keys, cursors, expiry, and what everything costs. Below it, `calls` retries and
splits batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar, overload

from sobremesa.table.capacity import TRANSACTION_FACTOR, Capacity, write_units
from sobremesa.table.clock import Clock
from sobremesa.table.conditions import always, present
from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.protocol import DeleteItem, Engine, PutItem, Written
from sobremesa.table.entities import Entity
from sobremesa.table.errors import BadExpression, ConditionFailed, StoreError
from sobremesa.table.lowering import lower, with_original_keys
from sobremesa.table.operations import Check, Delete, Operation, Put, Update
from sobremesa.table.patterns import Question, WritePattern
from sobremesa.table.reads import TableReads
from sobremesa.table.retries import Retries
from sobremesa.table.values import weigh

E = TypeVar("E", bound=Entity)

DELETED_AT_ONCE = 100


class Watcher(Protocol):
    """Somebody who wants to know what this process writes; in bulk is what `write_many` wrote."""

    def __call__(self, operations: Sequence[Operation], *, in_bulk: bool) -> None: ...


class Table(TableReads):
    """One table, whatever keeps it."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Clock | None = None,
        cursor_secret: bytes = b"",
        retries: Retries | None = None,
    ) -> None:
        super().__init__(engine, clock=clock, cursor_secret=cursor_secret, retries=retries)
        self._watchers: list[Watcher] = []

    @property
    def write_error(self) -> StoreError | None:
        """Why the store did not take the last write, if it did not."""
        return self._calls.write_error

    def watch(self, watcher: Watcher) -> None:
        """Let somebody know of every write of this process right after it, before whoever asked for it does."""
        self._watchers.append(watcher)

    def seal_cursors_with(self, secret: bytes) -> None:
        """From now on nobody without the secret can make a cursor. The secret may be kept in the table itself."""
        self._cursors = Cursors(secret)

    async def close(self) -> None:
        await self.engine.close()

    @overload
    async def write(self, operation: Update[E], /, *, pattern: WritePattern | None = None) -> E: ...
    @overload
    async def write(self, operation: Put[E], /, *, pattern: WritePattern | None = None) -> E: ...
    @overload
    async def write(self, operation: Delete[E], /, *, pattern: WritePattern | None = None) -> E | None: ...
    @overload
    async def write(self, operation: Check[E], /, *, pattern: WritePattern | None = None) -> None: ...
    @overload
    async def write(
        self,
        first: Operation,
        second: Operation,
        /,
        *more: Operation,
        token: str | None = None,
        pattern: WritePattern | None = None,
    ) -> None: ...
    @overload
    async def write(
        self, operation: Operation, /, *, token: str | None, pattern: WritePattern | None = None
    ) -> None: ...
    async def write(
        self, *operations: Operation, token: str | None = None, pattern: WritePattern | None = None
    ) -> Entity | None:
        """One operation, or up to 100 as one transaction: all or none. ConditionFailed says which did not hold.

        One operation gives a row: an update the row after it, a put the row itself, a delete the row that was there
        (None also where an answer was lost and the deletion had to be asked for again).
        With a token, the same call again within ten minutes does nothing more.
        """
        now_seconds = self._now_seconds()
        if token is not None:
            _refuse_expiring(operations)
        lowered = [lower(operation, self.layout, now_seconds) for operation in operations]
        single = len(lowered) == 1 and token is None and not isinstance(operations[0], Check)
        name = pattern.id if pattern else None
        try:
            written = await (self._calls.write(lowered[0]) if single else self._calls.transact(lowered, token))
        except ConditionFailed as failed:
            self._record(name, _refused_units(failed, single))
            if self._spelling is None:
                raise
            raise with_original_keys(failed, operations) from None
        self._record(name, written.capacity)
        for watcher in self._watchers:
            watcher(operations, in_bulk=False)
        return self._result(operations[0], written) if single else None

    async def write_many(
        self, operations: Iterable[Put[Any] | Delete[Any]], *, pattern: WritePattern | None = None
    ) -> int:
        """Any number of unconditional puts and deletes, each by itself; how many were done."""
        now_seconds = self._now_seconds()
        waiting: list[PutItem | DeleteItem] = []
        operations = list(operations)
        for operation in operations:
            item_write = lower(operation, self.layout, now_seconds)
            if isinstance(item_write, PutItem) and item_write.when is None:
                waiting.append(item_write)
            elif isinstance(item_write, DeleteItem) and operation.when in (present(), always()):
                waiting.append(DeleteItem(item_write.key))
            else:
                raise BadExpression(f"write_many checks no conditions, but the write of {item_write.key} has one")
        self._record(pattern.id if pattern else None, await self._calls.write_many(waiting))
        for watcher in self._watchers:
            watcher(operations, in_bulk=True)
        return len(waiting)

    async def delete_every(self, question: Question[Any], *, pattern: WritePattern | None = None) -> int:
        """Take away every row that answers, some at a time; how many there were."""
        done = 0
        waiting: list[Delete[Any]] = []
        async for row in self.every(question):
            waiting.append(Delete(row.own_key()))
            if len(waiting) == DELETED_AT_ONCE:
                done += await self.write_many(waiting, pattern=pattern)
                waiting = []
        return done + await self.write_many(waiting, pattern=pattern)

    def _result(self, operation: Operation, written: Written) -> Entity | None:
        if isinstance(operation, Put):
            return operation.entity
        return None if written.item is None else self._load(written.item, operation.key.entity)


def _refuse_expiring(operations: Sequence[Operation]) -> None:
    """What expires has the time in its condition, so the same call a second later is not the same to a token."""
    for operation in operations:
        entity = operation.entity if isinstance(operation, Put) else operation.key.entity
        if entity.expires is not None:
            raise BadExpression(
                f"a {entity.shape.name} expires, and a token does not go with that: use a row of its own"
            )


def _refused_units(failed: ConditionFailed, single: bool) -> Capacity:
    """What DynamoDB charges for a condition that did not hold: the item that was there, as if it were written."""
    factor = 1 if single else TRANSACTION_FACTOR
    sizes = [weigh(failure.item)[1] if failure.item else 0 for failure in failed.failures]
    return Capacity(write=float(factor * sum(map(write_units, sizes))))
