"""Passes over the old rows: through the whole table from where the last one stopped, and along the change log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.table import NEWEST, Condition, Position, RawChange, RawKey, Table, any_of, begins_with, measure
from sobremesa.table.entities import fits
from sobremesa.table.errors import PositionTrimmed
from sobremesa.table.values import Item
from sobremesa.work.migration.entities import Migration
from sobremesa.work.migration.lease import Lease
from sobremesa.work.migration.moves import WRITTEN, Complaint, Move, OldRow, Outcome, Recipe
from sobremesa.work.migration.pace import Pace

SCANNED_AT_ONCE = 1000
DONE_AT_ONCE = 100
QUIET_SECONDS = 0.3
"""How long to wait for a change before the log counts as read."""
BEHIND_MS = 1000


class Progress(NamedTuple):
    """How far a piece of work is."""

    what: str
    done: int
    expected: int
    units: float


Watch = Callable[[Progress], None]


class Passes:
    """Goes over the old rows of one recipe."""

    def __init__(self, table: Table, clock: Clock, recipe: Recipe, pace: Pace, watch: Watch) -> None:
        self._table = table
        self._clock = clock
        self._recipe = recipe
        self._pace = pace
        self._watch = watch
        self._moves = {move.old: move for move in recipe.moves}
        self._olds = list(self._moves)
        self.outcomes: Counter[Outcome] = Counter()

    # Through the table

    async def count(self) -> int:
        """How many old rows there are."""
        return sum([len(rows) async for rows, _ in self._portions(None)])

    async def through(self, lease: Lease, plan: Migration, what: str) -> Migration:
        """Bring every old row's new row in line, from where the last pass stopped; written down after each portion."""
        start = None if plan.scanned_pk is None else RawKey(plan.scanned_pk, str(plan.scanned_sk))
        async for rows, upto in self._portions(start):
            with measure() as used:
                written = await self._apply(rows, plan)
            plan = await lease.keep(
                scanned_pk=upto.pk,
                scanned_sk=upto.sk,
                looked_at=plan.looked_at + len(rows),
                written=plan.written + written,
            )
            self._tell(what, plan.looked_at, plan.old_rows)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        return await lease.keep(is_scanned=True, scanned_pk=None, scanned_sk=None)

    async def check(self, plan: Migration) -> tuple[int, list[Complaint]]:
        """How many old rows there are, and everything that is not as it should be."""
        complaints: list[Complaint] = []
        seen: set[RawKey] = set()
        async for rows, _ in self._portions(None):
            with measure() as used:
                for move, some in self._by_move(rows):
                    complaints += await move.complaints(self._table, some, plan)
            seen.update(row.key for row in rows)
            self._tell("verify", len(seen), plan.old_rows)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        for move in self._recipe.moves:
            complaints += await move.strays(self._table, seen, plan)
        return len(seen), complaints

    async def look_again(self, complaints: Sequence[Complaint], plan: Migration) -> list[Complaint]:
        """Bring what is complained of in line once more, and tell what is still wrong.

        A row that is written to while it is looked at is complained of; it need not be the second time.
        """
        left = [complaint for complaint in complaints if complaint.key is None]
        keys = list(dict.fromkeys(complaint.key for complaint in complaints if complaint.key is not None))
        for begin in range(0, len(keys), DONE_AT_ONCE):
            rows = await self._as_now(keys[begin : begin + DONE_AT_ONCE])
            await self._apply(rows, plan)
            for move, some in self._by_move(rows):
                left += await move.complaints(self._table, some, plan)
        return left

    # Along the change log

    async def position(self) -> Position:
        """The end of the change log, as it is now."""
        reader = await self._table.changes(NEWEST)
        try:
            return (await reader.read(0)).position
        finally:
            await reader.close()

    async def along(self, lease: Lease, plan: Migration) -> Migration:
        """Do for every old row that was changed until now what a pass would do.

        PositionTrimmed if the log no longer reaches back so far: then only a pass through the table helps.
        """
        started_ms = self._clock.now_ms()
        reader = await self._table.changes(Position(plan.position))
        followed = 0
        try:
            while (batch := await reader.read(QUIET_SECONDS)).changes:
                keys = list(dict.fromkeys(change.key for change in batch.changes if self._is_old(change)))
                if keys:
                    # Only then: what is written down here comes along in the log, too.
                    plan = await self._catch_up(lease, plan, keys)
                    plan = await lease.keep(position=batch.position)
                    followed += len(keys)
                    self._tell("follow", followed, 0)
                # On a busy table it never ends by itself; parts of the log may be a little behind the others.
                if min(change.at_ms for change in batch.changes) >= started_ms + BEHIND_MS:
                    break
            return await lease.keep(position=batch.position)
        finally:
            await reader.close()

    async def afresh(self, lease: Lease, plan: Migration, what: str) -> Migration:
        """A whole pass from the beginning, and then along the log from where it stood before that."""
        position = await self.position()
        plan = await lease.keep(position=position, is_scanned=False, scanned_pk=None, scanned_sk=None, looked_at=0)
        return await self.along(lease, await self.through(lease, plan, what))

    async def up_to_date(self, lease: Lease, plan: Migration, what: str) -> Migration:
        """What is left of the pass, and along the log; from the beginning if the log does not reach back so far."""
        if not plan.is_scanned:
            plan = await self.through(lease, plan, what)
        try:
            return await self.along(lease, plan)
        except PositionTrimmed:
            return await self.afresh(lease, plan, what)

    async def undo(self, plan: Migration) -> int:
        """Take away what was made and nobody has changed."""
        done = 0
        for move in self._recipe.moves:
            async for removed in move.undo(self._table, plan):
                done += removed
                self._tell("undo", done, plan.written)
        return done

    # Inside

    async def _portions(self, start: RawKey | None) -> AsyncIterator[tuple[list[OldRow], RawKey]]:
        """The old rows of the table, some or none at a time, and the key up to which the scan has come."""
        size = self._pace.portion(DONE_AT_ONCE, self._recipe.units_a_row)
        looked_at = self._pace.portion(SCANNED_AT_ONCE, 0.25)
        while True:
            with measure() as used:
                page = await self._table.raw.scan(start=start, limit=looked_at, where=self._where())
            await asyncio.sleep(self._pace.spend(used.read))
            rows = [OldRow(self._key_of(item), item) for item in page.items if self._kind_of(item) is not None]
            for begin in range(0, len(rows), size):
                portion = rows[begin : begin + size]
                yield portion, portion[-1].key
            if not isinstance(page.last, RawKey):
                return
            start = page.last
            yield [], start

    async def _catch_up(self, lease: Lease, plan: Migration, keys: Sequence[RawKey]) -> Migration:
        """Bring the new rows of these old ones in line, as they are now; the order of changes does not matter then."""
        size = self._pace.portion(DONE_AT_ONCE, self._recipe.units_a_row)
        for begin in range(0, len(keys), size):
            with measure() as used:
                written = await self._apply(await self._as_now(keys[begin : begin + size]), plan)
            plan = await lease.keep(written=plan.written + written)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        return plan

    async def _as_now(self, keys: Sequence[RawKey]) -> list[OldRow]:
        found = await self._table.raw.get_many(keys)
        return [OldRow(key, found.get(key)) for key in keys]

    async def _apply(self, rows: Sequence[OldRow], plan: Migration) -> int:
        written = 0
        for move, some in self._by_move(rows):
            outcomes = await move.apply(self._table, some, plan)
            self.outcomes.update(outcomes)
            written += sum(outcome in WRITTEN for outcome in outcomes)
        return written

    def _by_move(self, rows: Sequence[OldRow]) -> list[tuple[Move, list[OldRow]]]:
        kinds: dict[int, tuple[Move, list[OldRow]]] = {}
        for row in rows:
            move = self._kind_of(row.item if row.item is not None else self._only_key(row.key))
            if move is not None:
                kinds.setdefault(id(move), (move, []))[1].append(row)
        return list(kinds.values())

    def _kind_of(self, item: Item) -> Move | None:
        """What becomes of a stored row; None if it is no old one."""
        entity = fits(item, self._olds, self._table.layout)
        return None if entity is None else self._moves[entity]

    def _key_of(self, item: Item) -> RawKey:
        return RawKey(item[self._table.layout.pk], item[self._table.layout.sk])

    def _only_key(self, key: RawKey) -> Item:
        return {self._table.layout.pk: key.pk, self._table.layout.sk: key.sk}

    def _is_old(self, change: RawChange) -> bool:
        item = change.new or change.old
        return item is not None and self._kind_of(item) is not None

    def _where(self) -> Condition | None:
        layout = self._table.layout
        prefixes = [layout.spelling.key(each) if layout.spelling else each for each in self._recipe.prefixes]
        return any_of(*(begins_with(layout.pk, prefix) for prefix in prefixes)) if prefixes else None

    def _tell(self, what: str, done: int, expected: int) -> None:
        self._watch(Progress(what, done, expected, self._pace.units))
