"""Recounts: what a row keeps of other rows is counted again, reported where it is wrong, and repaired.

A `Recount` looks at rows of one kind, met in a scan of the whole table. It reads everything itself, consistently, and
compares. Where something differs it looks a second time: only what is wrong twice in the same way is drift, since
between two reads somebody may have written. A repair has what it saw as its condition, so it may run beside a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sobremesa.table import Entity, Registry, Table
from sobremesa.table.errors import ConditionFailed

E = TypeVar("E", bound=Entity)

ATTEMPTS = 5


class Drift(NamedTuple):
    """Something that a row keeps, as it is stored and as it should be."""

    what: str
    stored: object
    true: object


class Found(NamedTuple):
    """What is wrong at a place, and what repairs it; ConditionFailed if it has changed meanwhile."""

    drift: Sequence[Drift]
    repair: Callable[[], Awaitable[object]]


Check: TypeAlias = Callable[[E], Awaitable[Found | None]]


class Recounted(NamedTuple):
    """A place that was counted again, and what was wrong there."""

    place: str
    drift: Sequence[Drift]


class Recount(Generic[E]):
    """Counts again for each row of one kind."""

    def __init__(
        self, entity: type[E], check: Check[E], *, place: Callable[[E], str], once_for: Callable[[E], Hashable]
    ) -> None:
        """`place` names a row for people; of rows in succession with the same `once_for` only the first is checked."""
        self.entity: type[Entity] = entity
        self._check = check
        self._place = place
        self._once_for = once_for
        self._last: Hashable = None

    async def run(self, row: E, *, dry: bool) -> Recounted | None:
        """Check a row, and repair what is wrong unless it is a dry run; None if its group was checked just now."""
        group = self._once_for(row)
        if group == self._last:
            return None
        self._last = group
        return Recounted(self._place(row), await self._settle(row, dry=dry))

    async def _settle(self, row: E, *, dry: bool) -> Sequence[Drift]:
        first = await self._check(row)
        for _ in range(ATTEMPTS):
            if first is None:
                return ()
            second = await self._check(row)
            if second is not None and second.drift == first.drift:
                try:
                    if not dry:
                        await second.repair()
                except ConditionFailed:
                    pass
                else:
                    return second.drift
            first = second
        return ()  # it is being written to all the time: the next run will see


class Recounts:
    """Counts everything again."""

    def __init__(self, table: Table, recounts: Iterable[Recount[Any]]) -> None:
        self._table = table
        self._recounts = {recount.entity: recount for recount in recounts}
        self._kinds = Registry(self._recounts)

    async def run(self, *, dry: bool = False) -> AsyncIterator[Recounted]:
        """Every place, one after the other; a dry run only tells what is wrong."""
        async for item in self._table.scan(consistent=True):
            kind = self._kinds.entity_of(item, self._table.layout)
            row = None if kind is None else self._table.as_entity(item, kind)
            if kind is None or row is None:
                continue
            recounted = await self._recounts[kind].run(row, dry=dry)
            if recounted is not None:
                yield recounted
