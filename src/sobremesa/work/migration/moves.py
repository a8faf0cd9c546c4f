"""Recipes: which old rows there are, and what becomes of each kind of them.

A `Copy` makes one new row of each old one and keeps it the same until somebody changes it here. `Companions` complete a
row that stays as it is: a claim, a pointer, a key in an index. Both decide by what they read and write on the condition
that it is still so, so they may run at any time, again, and beside everybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from sobremesa.core.errors import Busy
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
from sobremesa.work.migration.copies import Copied, print_of
from sobremesa.work.migration.entities import Migration, move_rows

O = TypeVar("O", bound=Entity)  # noqa: E741 - old
N = TypeVar("N", bound=Copied)

Outcome: TypeAlias = Literal["made", "renewed", "removed", "same", "ours"]
WRITTEN: frozenset[Outcome] = frozenset({"made", "renewed", "removed"})
AT_ONCE = 25
UNDONE_AT_ONCE = 100
TURN_ROWS = 500
"""After so many rows others get a turn: reads of a file do not wait."""
ATTEMPTS = 5


class OldRow(NamedTuple):
    """An old row as it is stored: None if it is gone."""

    key: RawKey
    item: Item | None


class Complaint(NamedTuple):
    """Something that is not as it should be. With the old row's key it can be looked at again."""

    says: str
    key: RawKey | None = None


class Move(Protocol):
    """What becomes of one kind of old row."""

    @property
    def old(self) -> type[Entity]: ...

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        """Bring the new rows in line with these old ones, as they are now."""
        ...

    async def complaints(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Complaint]:
        """What is not as it should be after `apply`."""
        ...

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Complaint]:
        """New rows that none of all old rows, whose keys were seen, has made; or that one has made twice."""
        ...

    def undo(self, table: Table, plan: Migration) -> AsyncIterator[int]:
        """Take away what was made and nobody has changed, some at a time; how many rows each time."""
        ...


class Recipe(NamedTuple):
    """One use of the tool."""

    name: str
    moves: Sequence[Move]
    prefixes: Sequence[str] = ()
    """How the partition keys of old rows begin; none: the whole table is looked at."""
    units_a_row: float = 4.0
    """About what one row costs, so that a small pace is kept evenly."""


class Copy(Generic[O, N]):
    """Rows of a new shape, each made of one old row."""

    def __init__(
        self,
        old: type[O],
        *,
        made: Callable[[O, Migration], N],
        key: Callable[[RawKey, Migration], Key[N]],
        old_key: Callable[[N], RawKey],
        copies: Callable[[Migration], Question[N]],
        renewed: Callable[[N, N], N] = lambda new, before: new,
        free: Sequence[str] = (),
    ) -> None:
        """
        `made` maps an old row to its new one, `key` and `old_key` lead from one to the other, `copies` asks for all new
        rows, `renewed` gives the row that takes the place of an older copy, `free` names fields that may differ.
        """
        self.old: type[Entity] = old
        self._old = old
        self._made = made
        self._key = key
        self._old_key = old_key
        self._copies = copies
        self._renewed = renewed
        self._free = {"legacy_print", "other", *free}

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        stored = await self._stored(table, rows, plan)
        return await _together(self._bring(table, row, found, plan) for row, found in zip(rows, stored, strict=True))

    async def complaints(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Complaint]:
        pairs = zip(rows, await self._stored(table, rows, plan), strict=True)
        told = [(row.key, self._complaint(table, row, found, plan)) for row, found in pairs]
        return [Complaint(f"{_told(key)} {says}", key) for key, says in told if says is not None]

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Complaint]:
        strays: list[Complaint] = []
        made: set[RawKey] = set()
        looked_at = 0
        async for row in table.every(self._copies(plan)):
            looked_at += 1
            if looked_at % TURN_ROWS == 0:
                await asyncio.sleep(0)
            if row.legacy_print is None:
                continue
            key = self._old_key(row)
            if key not in seen:
                strays.append(Complaint(f"{_told(key)} is gone, but not its copy", key))
            if key in made:
                strays.append(Complaint(f"{_told(key)} has made two rows, one of them {_told(row.own_key().raw)}"))
            made.add(key)
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
        return sum(await _together(_written(table, each) for each in gone))

    async def _stored(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[N | None]:
        return await table.get_many([self._key(row.key, plan) for row in rows], consistent=True)

    async def _bring(self, table: Table, row: OldRow, found: N | None, plan: Migration) -> Outcome:
        if row.item is None:
            if found is None or found.legacy_print is None:
                return "same" if found is None else "ours"
            gone = Delete(found.own_key(), when=equals("legacy_print", found.legacy_print))
            return "removed" if await _written(table, gone) else "ours"
        new = self._new(table, row.item, plan)
        if found is None:
            return "made" if await _written(table, Create(new)) else "ours"
        if found.legacy_print is None:
            return "ours"
        if found.legacy_print == new.legacy_print:
            return "same"
        renewed = Put(self._renewed(new, found), when=equals("legacy_print", found.legacy_print))
        return "renewed" if await _written(table, renewed) else "ours"

    def _complaint(self, table: Table, row: OldRow, found: N | None, plan: Migration) -> str | None:
        if row.item is None:
            return None if found is None or found.legacy_print is None else "is gone, but not its copy"
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
        made = self._made(self._old.from_item(item, table.layout), plan)
        return msgspec.structs.replace(made, legacy_print=print_of(item))


class Step(NamedTuple):
    """One thing that a row lacks: what writes it, or why nothing can."""

    says: str
    operations: Sequence[Operation] = ()


class Companions(Generic[O]):
    """Rows and keys that go with a row, which stays where it is."""

    def __init__(
        self,
        old: type[O],
        missing: Callable[[O], Awaitable[Sequence[Step]]],
        *,
        indexed_by: Callable[[O], Awaitable[Mapping[str, Any]]] | None = None,
    ) -> None:
        """`missing` tells what a row lacks: nothing, if it is complete.

        `indexed_by` gives the fields that index keys are made of, as keys hold them; it is asked about rows that lack a
        key, which other writers leave out.
        """
        self.old: type[Entity] = old
        self._old = old
        self._missing = missing
        self._indexed_by = indexed_by

    async def apply(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Outcome]:
        return await _together(self._complete(table, row) for row in rows)

    async def complaints(self, table: Table, rows: Sequence[OldRow], plan: Migration) -> list[Complaint]:
        steps = await _together(self._lacking(table, row) for row in rows)
        pairs = zip(rows, steps, strict=True)
        return [Complaint(f"{_told(row.key)}: {step.says}", row.key) for row, lacking in pairs for step in lacking]

    async def strays(self, table: Table, seen: set[RawKey], plan: Migration) -> list[Complaint]:
        return []

    async def undo(self, table: Table, plan: Migration) -> AsyncIterator[int]:
        return
        yield

    async def _complete(self, table: Table, row: OldRow) -> Outcome:
        outcome: Outcome = "same"
        for step in await self._lacking(table, row):
            if step.operations and await _written(table, *step.operations):
                outcome = "made"
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
        """What puts a row into the indexes that it belongs in and does not stand in."""
        indexes = old.shape.by_index
        lacking = [index for index in indexes if item.get(table.layout.indexes[index].pk) is None]
        if self._indexed_by is None or not lacking:
            return ()
        fields = await self._indexed_by(old)
        placed = msgspec.structs.replace(old, **fields)
        if all(index_key(indexes[index], placed.__getattribute__) is None for index in lacking):
            return ()
        return (Step("it is not in an index", [Update(old.own_key(), set_to(**fields), when=_has_still(old, fields))]),)


T = TypeVar("T")


async def _together(work: Any) -> list[Any]:
    """The results of many small pieces of work, some at a time."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(piece: Coroutine[Any, Any, T]) -> T:
        async with places:
            return await piece

    return list(await asyncio.gather(*map(one, work)))


async def _written(table: Table, *operations: Operation) -> bool:
    """Write; False if what was seen is no longer so, and there is nothing to do.

    A lost answer is asked for again: if it was done, its own condition no longer holds.
    """
    for _ in range(ATTEMPTS):
        try:
            await table.write(operations[0], *operations[1:], pattern=move_rows)
        except OutcomeUnknown:
            continue
        except ConditionFailed:
            return False
        return True
    raise Busy


def _has_still(row: Entity, fields: Mapping[str, Any]) -> Condition:
    """That a row says in these fields what it said when it was read; what it does not say counts as its default."""
    same = [
        absent_or_null(field) if value is None else equals(field, value) | absent_or_null(field)
        for field, value in ((field, getattr(row, field)) for field in fields)
    ]
    return all_of(present(), *same)


def _differ(one: Entity, other: Entity, field: str) -> bool:
    """Do two rows differ in a field, as they are stored?"""
    return bool(getattr(one, field) != getattr(other, field))


def _told(key: RawKey) -> str:
    return f"{key.pk} / {key.sk}"
