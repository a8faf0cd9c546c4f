"""The table: typed reads and writes on any engine.

`reads` has the reads; below both, `calls` retries and splits batches.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar, overload

from sobremesa.table.capacity import TRANSACTION_FACTOR, Capacity, write_units
from sobremesa.table.clock import Clock
from sobremesa.table.conditions import always, present
from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.protocol import DeleteItem, Engine, ItemWrite, PutItem, Written
from sobremesa.table.entities import Entity
from sobremesa.table.errors import BadExpression, ConditionFailed, StoreError
from sobremesa.table.lowering import described, lower
from sobremesa.table.operations import Check, Create, Delete, Operation, Operations, Put, Update, in_order
from sobremesa.table.patterns import Question, WritePattern
from sobremesa.table.reads import TableReads
from sobremesa.table.retries import Retries
from sobremesa.table.values import weigh
from sobremesa.table.versions import is_outdated, rewrite

E = TypeVar("E", bound=Entity)

DELETED_AT_ONCE = 100


class Watcher(Protocol):
    """Called after every write of this process; `in_bulk` is True for `write_many`."""

    def __call__(self, operations: Sequence[Operation], *, in_bulk: bool) -> None: ...


class Table(TableReads):
    """One table, on any engine."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Clock | None = None,
        cursor_secret: bytes = b"",
        retries: Retries | None = None,
    ) -> None:
        super().__init__(engine, clock=clock, cursor_secret=cursor_secret, retries=retries)
        self._watchers: list[tuple[frozenset[type[Entity]], Watcher]] = []

    @property
    def write_error(self) -> StoreError | None:
        """The error of the last write, or None if it succeeded."""
        return self._calls.write_error

    def watch(self, watcher: Watcher, *entities: type[Entity]) -> None:
        """Call `watcher` after every write of this process, or of these entities, before the write returns."""
        self._watchers.append((frozenset(entities), watcher))

    def seal_cursors_with(self, secret: bytes) -> None:
        """Sign cursors with a secret from now on. The secret may be stored in the table itself."""
        self.cursors = Cursors(secret)

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
        self, operation: Operation, /, *, token: str | None, pattern: WritePattern | None = None
    ) -> None: ...
    @overload
    async def write(
        self,
        /,
        *,
        token: str | None = None,
        pattern: WritePattern | None = None,
        retry_conflicts: bool = True,
        **named: Operations,
    ) -> None: ...
    async def write(
        self,
        /,
        *unnamed: Operation,
        token: str | None = None,
        pattern: WritePattern | None = None,
        retry_conflicts: bool = True,
        **named: Operations,
    ) -> Entity | None:
        """Run one operation, or up to 100 named ones as one transaction: all or none.

            await table.write(message=Create(message), head=Update(...), seats=[Update(...), Update(...)])

        A name stands for an operation, a list of similar ones, or None. A single operation needs no name and returns a
        row: an update the new row, a put the row itself, a delete the deleted row (None also if a response was lost and
        the deletion was retried). Raise ConditionFailed with those that failed: `"head" in failed`.
        With a token, repeating the call within ten minutes has no effect. A transaction that another one conflicts with
        is retried, or raises Conflict without `retry_conflicts`: the caller then writes it anew.
        """
        if len(unnamed) > 1 or (unnamed and named):
            raise TypeError("every operation of a transaction needs a name")
        operations, names = (unnamed, ()) if unnamed else in_order(named)
        now_seconds = self._now_seconds()
        if token is not None:
            _refuse_expiring(operations)
        lowered = [lower(each, self.layout, now_seconds) for each in operations]
        single = len(lowered) == 1 and token is None and not isinstance(operations[0], Check)
        pattern_id = pattern.id if pattern else None
        try:
            written = await self._send(
                operations, lowered, token, single=single, pattern=pattern_id, retry_conflicts=retry_conflicts
            )
        except ConditionFailed as failed:
            self._record(pattern_id, _refused_units(failed, single))
            raise described(failed, operations, names, named) from None
        self._record(pattern_id, written.capacity)
        self._notify(operations, in_bulk=False)
        return self._result(operations[0], written) if single and unnamed else None

    async def write_many(
        self, operations: Iterable[Put[Any] | Delete[Any]], *, pattern: WritePattern | None = None
    ) -> int:
        """Run any number of independent, unconditional puts and deletes, and return how many."""
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
        self._notify(operations, in_bulk=True)
        return len(waiting)

    async def delete_every(self, question: Question[Any], *, pattern: WritePattern | None = None) -> int:
        """Delete every row of a question, in batches, and return how many."""
        if question.pattern.into is not None:
            raise BadExpression(f"pattern {question.pattern.id} returns no whole rows, which delete_every needs")
        done = 0
        waiting: list[Delete[Any]] = []
        async for row in self.every(question):
            waiting.append(Delete(row.own_key()))
            if len(waiting) == DELETED_AT_ONCE:
                done += await self.write_many(waiting, pattern=pattern)
                waiting = []
        return done + await self.write_many(waiting, pattern=pattern)

    def _notify(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        written = {type(each.entity) if isinstance(each, Put) else each.key.entity for each in operations}
        for entities, watcher in self._watchers:
            if not entities or not entities.isdisjoint(written):
                watcher(operations, in_bulk=in_bulk)

    async def _send(
        self,
        operations: Sequence[Operation],
        lowered: Sequence[ItemWrite],
        token: str | None,
        *,
        single: bool,
        pattern: str | None,
        retry_conflicts: bool,
    ) -> Written:
        """Send a write, and again after an upgrade of the rows whose older version made it fail."""
        while True:
            try:
                if single:
                    return await self._calls.write(lowered[0])
                return await self._calls.transact(lowered, token, retry_conflicts=retry_conflicts)
            except ConditionFailed as failed:
                if not await self._upgrade_rows(failed, operations, pattern):
                    raise
                self._record(pattern, _refused_units(failed, single))

    async def _upgrade_rows(
        self, failed: ConditionFailed, operations: Sequence[Operation], pattern: str | None
    ) -> bool:
        """Store the current version of rows that made a write fail because theirs is older; return if there are any."""
        found = False
        for failure in failed.failures:
            operation = operations[failure.index]
            entity = type(operation.entity) if isinstance(operation, Put) else operation.key.entity
            if failure.item is None or isinstance(operation, Create):
                continue
            if is_outdated(failure.item, entity.shape, self.layout):
                found = True
                # If it changed meanwhile, the write that is repeated finds out.
                with contextlib.suppress(ConditionFailed):
                    written = await self._calls.write(rewrite(dict(failure.item), entity, self.layout))
                    self._record(pattern, written.capacity)
        return found

    def _result(self, operation: Operation, written: Written) -> Entity | None:
        if isinstance(operation, Put):
            return operation.entity
        return None if written.item is None else self._load(written.item, (operation.key.entity,), self._now_seconds())


def _refuse_expiring(operations: Sequence[Operation]) -> None:
    """Raise BadExpression for rows that expire: their condition has the current time, so a repeated call differs."""
    for operation in operations:
        entity = operation.entity if isinstance(operation, Put) else operation.key.entity
        if entity.expires is not None:
            raise BadExpression(f"a {entity.shape.name} expires, so it cannot be written with a token: use another row")


def _refused_units(failed: ConditionFailed, single: bool) -> Capacity:
    """Return what DynamoDB charges for a failed condition: the existing item, as if it were written."""
    factor = 1 if single else TRANSACTION_FACTOR
    sizes = [weigh(failure.item)[1] if failure.item else 0 for failure in failed.failures]
    return Capacity(write=float(factor * sum(map(write_units, sizes))))
