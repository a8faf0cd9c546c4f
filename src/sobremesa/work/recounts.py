"""Recounts: compute again what a row stores about other rows, report where it is wrong, and repair it.

A `Recount` checks the rows of one kind, found by a scan of the whole table. It reads everything consistently and
compares. A difference is checked a second time: only one that is found twice is drift, since a write may have come
between two reads. A repair is conditional on what was read, so it may run beside a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from sobremesa.table import Entity, Registry, Table
from sobremesa.table.errors import ConditionFailed

E = TypeVar("E", bound=Entity)

ATTEMPTS = 5


class Drift(NamedTuple):
    """A value that a row stores about other rows, as it is and as it should be."""

    what: str
    stored: object
    true: object


class Found(NamedTuple):
    """The drift of a row, and the repair; it raises ConditionFailed if the row has changed meanwhile."""

    drift: Sequence[Drift]
    repair: Callable[[], Awaitable[object]]


Check: TypeAlias = Callable[[E], Awaitable[Found | None]]


class Recounted(NamedTuple):
    """A row or group that was checked, and its drift."""

    label: str
    drift: Sequence[Drift]


class Recount(Generic[E]):
    """Checks each row of one kind."""

    def __init__(
        self, entity: type[E], check: Check[E], *, label: Callable[[E], str], once_for: Callable[[E], Hashable]
    ) -> None:
        """`label` names a row in reports; of successive rows with the same `once_for` only the first is checked."""
        self.entity: type[Entity] = entity
        self._check = check
        self._label = label
        self._once_for = once_for
        self._last: Hashable = None

    async def run(self, row: E, *, dry: bool) -> Recounted | None:
        """Check a row, and repair drift unless it is a dry run; return None if its group was just checked."""
        group = self._once_for(row)
        if group == self._last:
            return None
        self._last = group
        return Recounted(self._label(row), await self._check_and_repair(row, dry=dry))

    async def _check_and_repair(self, row: E, *, dry: bool) -> Sequence[Drift]:
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
        return ()  # it changes all the time: the next run will check it


class Recounts:
    """Runs all recounts of a table."""

    def __init__(self, table: Table, recounts: Iterable[Recount[Any]]) -> None:
        self._table = table
        self._recounts = {recount.entity: recount for recount in recounts}
        self._kinds = Registry(self._recounts)

    async def run(self, *, dry: bool = False) -> AsyncIterator[Recounted]:
        """Yield the result of every check; a dry run repairs nothing."""
        async for item in self._table.scan(consistent=True):
            kind = self._kinds.entity_of(item, self._table.layout)
            row = None if kind is None else self._table.as_entity(item, kind)
            if kind is None or row is None:
                continue
            recounted = await self._recounts[kind].run(row, dry=dry)
            if recounted is not None:
                yield recounted
