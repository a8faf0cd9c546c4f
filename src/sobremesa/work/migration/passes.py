"""Passes over the old rows: a scan of the whole table, which resumes, and a replay of the change log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.table import NEWEST, Condition, Position, RawChange, RawKey, Table, any_of, begins_with, measure
from sobremesa.table.entities import match_entity
from sobremesa.table.errors import PositionTrimmed
from sobremesa.table.values import Item
from sobremesa.work.migration.entities import Migration
from sobremesa.work.migration.moves import WRITTEN, Mismatch, Move, OldRow, Outcome, Recipe
from sobremesa.work.migration.pace import Pace
from sobremesa.work.migration.state import State

SCANNED_AT_ONCE = 1000
DONE_AT_ONCE = 100
QUIET_SECONDS = 0.3
"""How long to wait for a change before the log counts as read to its end."""
BEHIND_MS = 1000


class Progress(NamedTuple):
    """The progress of one step."""

    what: str
    done: int
    expected: int
    units: float


Watch = Callable[[Progress], None]


class Passes:
    """Processes the old rows of one recipe."""

    def __init__(self, table: Table, clock: Clock, recipe: Recipe, pace: Pace, watch: Watch) -> None:
        self._table = table
        self._clock = clock
        self._recipe = recipe
        self._pace = pace
        self._watch = watch
        self._moves = {move.old: move for move in recipe.moves}
        self._olds = list(self._moves)
        self.outcomes: Counter[Outcome] = Counter()

    # The scan

    async def count(self) -> int:
        """Return the number of old rows."""
        return sum([len(rows) async for rows, _ in self._portions(None)])

    async def scan_table(self, state: State, plan: Migration, what: str) -> Migration:
        """Update the copy of every old row, from where the last scan stopped; save the progress after each portion."""
        start = None if plan.scanned_pk is None else RawKey(plan.scanned_pk, str(plan.scanned_sk))
        async for rows, upto in self._portions(start):
            with measure() as used:
                written = await self._apply(rows, plan)
            plan = await state.save(
                scanned_pk=upto.pk,
                scanned_sk=upto.sk,
                looked_at=plan.looked_at + len(rows),
                written=plan.written + written,
            )
            self._report_progress(what, plan.looked_at, plan.old_rows)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        return await state.save(is_scanned=True, scanned_pk=None, scanned_sk=None)

    async def check(self, plan: Migration) -> tuple[int, list[Mismatch]]:
        """Return the number of old rows and all mismatches."""
        mismatches: list[Mismatch] = []
        seen: set[RawKey] = set()
        async for rows, _ in self._portions(None):
            with measure() as used:
                for move, some in self._by_move(rows):
                    mismatches += await move.mismatches(self._table, some, plan)
            seen.update(row.key for row in rows)
            self._report_progress("verify", len(seen), plan.old_rows)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        for move in self._recipe.moves:
            mismatches += await move.strays(self._table, seen, plan)
        return len(seen), mismatches

    async def recheck(self, mismatches: Sequence[Mismatch], plan: Migration) -> list[Mismatch]:
        """Update the mismatched rows once more, and return the mismatches that remain.

        A row that changes while it is checked is a mismatch; it may not be the second time.
        """
        left = [mismatch for mismatch in mismatches if mismatch.key is None]
        keys = list(dict.fromkeys(mismatch.key for mismatch in mismatches if mismatch.key is not None))
        for offset in range(0, len(keys), DONE_AT_ONCE):
            rows = await self._read_rows(keys[offset : offset + DONE_AT_ONCE])
            await self._apply(rows, plan)
            for move, some in self._by_move(rows):
                left += await move.mismatches(self._table, some, plan)
        return left

    # The change log

    async def position(self) -> Position:
        """Return the current end of the change log."""
        reader = await self._table.changes(NEWEST)
        try:
            return (await reader.read(0)).position
        finally:
            await reader.close()

    async def replay_log(self, state: State, plan: Migration) -> Migration:
        """Update the copies of all old rows that changed since the saved position.

        Raise PositionTrimmed if the log no longer reaches back that far: then the table must be scanned.
        """
        started_ms = self._clock.now_ms()
        reader = await self._table.changes(Position(plan.position))
        followed = 0
        try:
            while (batch := await reader.read(QUIET_SECONDS)).changes:
                keys = list(dict.fromkeys(change.key for change in batch.changes if self._is_old(change)))
                if keys:
                    # Only then, because saving the progress adds to the log itself.
                    plan = await self._update_copies(state, plan, keys)
                    plan = await state.save(position=batch.position)
                    followed += len(keys)
                    self._report_progress("follow", followed, 0)
                # On a busy table the log never ends; some of its shards may be a little behind the others.
                if min(change.at_ms for change in batch.changes) >= started_ms + BEHIND_MS:
                    break
            return await state.save(position=batch.position)
        finally:
            await reader.close()

    async def start_over(self, state: State, plan: Migration, what: str) -> Migration:
        """Scan the whole table, then replay the log from its end before the scan."""
        position = await self.position()
        plan = await state.save(position=position, is_scanned=False, scanned_pk=None, scanned_sk=None, looked_at=0)
        return await self.replay_log(state, await self.scan_table(state, plan, what))

    async def catch_up(self, state: State, plan: Migration, what: str) -> Migration:
        """Finish the scan and replay the log; start over if the log does not reach back that far."""
        if not plan.is_scanned:
            plan = await self.scan_table(state, plan, what)
        try:
            return await self.replay_log(state, plan)
        except PositionTrimmed:
            return await self.start_over(state, plan, what)

    async def undo(self, plan: Migration) -> int:
        """Remove the copies that were not changed since, and return how many."""
        done = 0
        for move in self._recipe.moves:
            async for removed in move.undo(self._table, plan):
                done += removed
                self._report_progress("undo", done, plan.written)
        return done

    # Inside

    async def _portions(self, start: RawKey | None) -> AsyncIterator[tuple[list[OldRow], RawKey]]:
        """Yield the old rows in portions, which may be empty, with the key that the scan has reached."""
        size = self._pace.portion(DONE_AT_ONCE, self._recipe.units_a_row)
        looked_at = self._pace.portion(SCANNED_AT_ONCE, 0.25)
        while True:
            with measure() as used:
                page = await self._table.raw.scan(start=start, limit=looked_at, where=self._where())
            await asyncio.sleep(self._pace.spend(used.read))
            rows = [OldRow(self._key_of(item), item) for item in page.items if self._kind_of(item) is not None]
            for offset in range(0, len(rows), size):
                portion = rows[offset : offset + size]
                yield portion, portion[-1].key
            if not isinstance(page.last, RawKey):
                return
            start = page.last
            yield [], start

    async def _update_copies(self, state: State, plan: Migration, keys: Sequence[RawKey]) -> Migration:
        """Update the copies of these old rows, as they are now, so that the order of changes does not matter."""
        size = self._pace.portion(DONE_AT_ONCE, self._recipe.units_a_row)
        for offset in range(0, len(keys), size):
            with measure() as used:
                written = await self._apply(await self._read_rows(keys[offset : offset + size]), plan)
            plan = await state.save(written=plan.written + written)
            await asyncio.sleep(self._pace.spend(used.read + used.write))
        return plan

    async def _read_rows(self, keys: Sequence[RawKey]) -> list[OldRow]:
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
        """Return the move of a stored row; None if it is not an old row."""
        entity = match_entity(item, self._olds, self._table.layout)
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

    def _report_progress(self, what: str, done: int, expected: int) -> None:
        self._watch(Progress(what, done, expected, self._pace.units))
