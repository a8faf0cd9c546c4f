"""Recipes: which old rows there are, and what is written for each kind.

A `Copy` creates one new row for each old one and keeps it equal until it is changed through Sobremesa. `Companions`
complete a row that stays as it is: a claim, a pointer, a key in an index. Both write on the condition that what they
read is unchanged, so they may run at any time, repeatedly, and beside other writers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from sobremesa.core.errors import Busy
from sobremesa.core.gather import gather_bounded
from sobremesa.table import (
    Condition,
    Create,
    Delete,
    Entity,
    Key,
    Operation,
    Put,
    Question,
    RawKey,
    Table,
    Update,
    absent_or_null,
    all_of,
    equals,
    present,
    set_to,
)
from sobremesa.table.entities import index_key
from sobremesa.table.errors import BadRow, ConditionFailed, OutcomeUnknown
from sobremesa.table.values import Item
from sobremesa.work.migration.copies import Copied, fingerprint_of
from sobremesa.work.migration.entities import Migration, move_rows

O = TypeVar("O", bound=Entity)  # noqa: E741 - old
N = TypeVar("N", bound=Copied)

Outcome: TypeAlias = Literal["created", "renewed", "removed", "same", "ours"]
WRITTEN: frozenset[Outcome] = frozenset({"created", "renewed", "removed"})
AT_ONCE = 25
UNDONE_AT_ONCE = 100
TURN_ROWS = 500
"""Yield to other tasks after this many rows, since reads of a file do not wait."""
ATTEMPTS = 5


class OldRow(NamedTuple):
    """An old row as it is stored; None if it was deleted."""

    key: RawKey
    item: Item | None


class Mismatch(NamedTuple):
    """A difference between old and new rows. With the key of the old row it can be checked again."""

    message: str
    key: RawKey | None = None


class Move(Protocol):
    """How one kind of old row is migrated."""

    @property
    def old(self) -> type[Entity]: ...

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        """Update the new rows of these old rows, as they are now."""
        ...

    async def mismatches(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Mismatch]:
        """Return what differs after `apply`."""
        ...

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Mismatch]:
        """Return new rows whose old row is not among the keys seen, or that have the same old row as another."""
        ...

    def undo(self, table: Table, plan: Migration) -> AsyncIterator[int]:
        """Remove the new rows that were not changed since, in portions; yield the number of rows of each."""
        ...


class Recipe(NamedTuple):
    """The definition of one migration."""

    name: str
    moves: Sequence[Move]
    prefixes: Sequence[str] = ()
    """The prefixes of the partition keys of old rows; empty means every row is examined."""
    units_a_row: float = 4.0
    """The approximate cost of one row, so that a low limit is used evenly."""


class Copy(Generic[O, N]):
    """Rows of a new shape, each created from one old row."""

    def __init__(
        self,
        old: type[O],
        *,
        convert: Callable[[O, Migration], N],
        key: Callable[[RawKey, Migration], Key[N]],
        old_key: Callable[[N], RawKey],
        copies: Callable[[Migration], Question[N]],
        renewed: Callable[[N, N], N] = lambda new, before: new,
        free: Sequence[str] = (),
    ) -> None:
        """
        `convert` maps an old row to its new one, `key` and `old_key` map their keys, `copies` is the question for all
        new rows, `renewed` returns the row that replaces an older copy, `free` names fields that may differ.
        """
        self.old: type[Entity] = old
        self._old = old
        self._convert = convert
        self._key = key
        self._old_key = old_key
        self._copies = copies
        self._renewed = renewed
        self._free = {"legacy_print", "other", *free}

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        stored = await self._stored(table, rows, plan)
        pairs = zip(rows, stored, strict=True)
        return await gather_bounded(AT_ONCE, lambda pair: self._apply_one(table, *pair, plan), pairs)

    async def mismatches(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Mismatch]:
        pairs = zip(rows, await self._stored(table, rows, plan), strict=True)
        found_in = [(row.key, self._mismatch(table, row, found, plan)) for row, found in pairs]
        return [
            Mismatch(f"{_key_text(key)} {difference}", key) for key, difference in found_in if difference is not None
        ]

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Mismatch]:
        strays: list[Mismatch] = []
        copied: set[RawKey] = set()
        looked_at = 0
        async for row in table.every(self._copies(plan)):
            looked_at += 1
            if looked_at % TURN_ROWS == 0:
                await asyncio.sleep(0)
            if row.legacy_print is None:
                continue
            key = self._old_key(row)
            if key not in seen:
                strays.append(Mismatch(f"{_key_text(key)} was deleted, but its copy was not", key))
            if key in copied:
                strays.append(Mismatch(f"{_key_text(key)} has two copies, one of them {_key_text(row.own_key().raw)}"))
            copied.add(key)
        return strays

    async def undo(self, table: Table, plan: Migration) -> AsyncIterator[int]:
        waiting: list[N] = []
        async for row in table.every(self._copies(plan)):
            if row.legacy_print is not None:
                waiting.append(row)
            if len(waiting) == UNDONE_AT_ONCE:
                yield await self._remove(table, waiting)
                waiting = []
        yield await self._remove(table, waiting)

    async def _remove(self, table: Table, copies: Sequence[N]) -> int:
        gone = [Delete(row.own_key(), when=equals("legacy_print", row.legacy_print)) for row in copies]
        return sum(await gather_bounded(AT_ONCE, partial(_written, table), gone))

    async def _stored(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[N | None]:
        return await table.get_many([self._key(row.key, plan) for row in rows], consistent=True)

    async def _apply_one(self, table: Table, row: OldRow, found: N | None, plan: Migration) -> Outcome:
        if row.item is None:
            if found is None or found.legacy_print is None:
                return "same" if found is None else "ours"
            gone = Delete(found.own_key(), when=equals("legacy_print", found.legacy_print))
            return "removed" if await _written(table, gone) else "ours"
        new = self._new(table, row.item, plan)
        if found is None:
            return "created" if await _written(table, Create(new)) else "ours"
        if found.legacy_print is None:
            return "ours"
        if found.legacy_print == new.legacy_print:
            return "same"
        renewed = Put(self._renewed(new, found), when=equals("legacy_print", found.legacy_print))
        return "renewed" if await _written(table, renewed) else "ours"

    def _mismatch(self, table: Table, row: OldRow, found: N | None, plan: Migration) -> str | None:
        if row.item is None:
            return None if found is None or found.legacy_print is None else "was deleted, but its copy was not"
        if found is None:
            return "has no new row"
        if found.legacy_print is None:
            return None
        new = self._new(table, row.item, plan)
        if found.legacy_print != new.legacy_print:
            return "has changed since it was copied"
        wrong = [field for field in new.shape.attributes if field not in self._free and _differ(new, found, field)]
        return f"differs from its copy in {', '.join(wrong)}" if wrong else None

    def _new(self, table: Table, item: Item, plan: Migration) -> N:
        created = self._convert(self._old.from_item(item, table.layout), plan)
        return msgspec.structs.replace(created, legacy_print=fingerprint_of(item))


class Step(NamedTuple):
    """One thing that a row lacks: the operations that write it, or why there are none."""

    message: str
    operations: Sequence[Operation] = ()


class Companions(Generic[O]):
    """Rows and keys that belong to a row, which is not moved."""

    def __init__(
        self,
        old: type[O],
        missing: Callable[[O], Awaitable[Sequence[Step]]],
        *,
        indexed_by: Callable[[O], Awaitable[Mapping[str, Any]]] | None = None,
    ) -> None:
        """`missing` returns what a row lacks; nothing if it is complete.

        `indexed_by` returns the fields of index keys, in the format of keys; it is called for rows that lack a key,
        which other writers omit.
        """
        self.old: type[Entity] = old
        self._old = old
        self._missing = missing
        self._indexed_by = indexed_by

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        return await gather_bounded(AT_ONCE, partial(self._complete, table), rows)

    async def mismatches(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Mismatch]:
        steps = await gather_bounded(AT_ONCE, partial(self._lacking, table), rows)
        pairs = zip(rows, steps, strict=True)
        return [
            Mismatch(f"{_key_text(row.key)}: {step.message}", row.key) for row, lacking in pairs for step in lacking
        ]

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Mismatch]:
        return []

    async def undo(self, table: Table, plan: Migration) -> AsyncIterator[int]:
        return
        yield

    async def _complete(self, table: Table, row: OldRow) -> Outcome:
        outcome: Outcome = "same"
        for step in await self._lacking(table, row):
            if step.operations and await _written(table, *step.operations):
                outcome = "created"
        return outcome

    async def _lacking(self, table: Table, row: OldRow) -> Sequence[Step]:
        if row.item is None:
            return ()
        try:
            old = self._old.from_item(row.item, table.layout)
        except BadRow as unreadable:
            return (Step(str(unreadable)),)
        return (*await self._unindexed(table, old, row.item), *await self._missing(old))

    async def _unindexed(self, table: Table, old: O, item: Item) -> Sequence[Step]:
        """Return the steps that add a row to the indexes that it is missing from."""
        indexes = old.shape.by_index
        lacking = [index for index in indexes if item.get(table.layout.indexes[index].pk) is None]
        if self._indexed_by is None or not lacking:
            return ()
        fields = await self._indexed_by(old)
        placed = msgspec.structs.replace(old, **fields)
        if all(index_key(indexes[index], placed.__getattribute__) is None for index in lacking):
            return ()
        add = Update(old.own_key(), set_to(**fields), when=_is_unchanged(old, fields))
        return (Step("it is missing from an index", [add]),)


async def _written(table: Table, *operations: Operation) -> bool:
    """Write; return False if the condition no longer holds, and there is nothing to do.

    Retry if the outcome is unknown: if the write was done, its own condition no longer holds.
    """
    for _ in range(ATTEMPTS):
        try:
            await table.write(operations=operations, pattern=move_rows)
        except OutcomeUnknown:
            continue
        except ConditionFailed:
            return False
        return True
    raise Busy


def _is_unchanged(row: Entity, fields: Mapping[str, Any]) -> Condition:
    """Return the condition that these fields of a row are unchanged; an absent field counts as its default."""
    same = [
        absent_or_null(field) if value is None else equals(field, value) | absent_or_null(field)
        for field, value in ((field, getattr(row, field)) for field in fields)
    ]
    return all_of(present(), *same)


def _differ(one: Entity, other: Entity, field: str) -> bool:
    """Return whether two rows differ in a field, as they are stored."""
    return bool(getattr(one, field) != getattr(other, field))


def _key_text(key: RawKey) -> str:
    return f"{key.pk} / {key.sk}"
