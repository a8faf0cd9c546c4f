"""Migrations: plan, backfill, verify, cut over, roll back, and status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.table import Put, Table, absent, equals
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.migration.entities import Migration, Phase, migration_of, plan_migration
from sobremesa.work.migration.errors import MigrationRunning, NotProven, WrongPhase
from sobremesa.work.migration.moves import Mismatch, Outcome, Recipe
from sobremesa.work.migration.pace import Pace
from sobremesa.work.migration.passes import Passes, Progress, Watch
from sobremesa.work.migration.state import State

PROOFS = 5
"""How often a cut-over checks again if an old row changed during the check."""
MISMATCHES_REPORTED = 20
PLANNED_FROM: frozenset[Phase] = frozenset({"rolled_back", "cut_over"})


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one step."""

    migration: Migration
    old_rows: int
    outcomes: dict[Outcome, int] = {}
    mismatches: list[str] = []
    units: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not self.mismatches


def no_watch(progress: Progress) -> None:
    """Ignore the progress."""


class Migrations:
    """One migration of one table."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        recipe: Recipe,
        *,
        units_a_second: float | None = None,
        watch: Watch = no_watch,
    ) -> None:
        self._table = table
        self._clock = clock
        self._recipe = recipe
        self._pace = Pace(units_a_second)
        self._passes = Passes(table, clock, recipe, self._pace, watch)
        self._state = State(table, clock, recipe.name, ids.mint())

    async def plan(self, options: Mapping[str, str]) -> Report:
        """Start the migration: from now on changes of old rows are tracked, and readers look for old rows too.

        Repeating the same plan changes nothing. A different one requires that it was rolled back or is done.
        """
        before = await self._state.find()
        if before is not None and before.phase not in PLANNED_FROM:
            if before.options == dict(options):
                return self._report(before, before.old_rows)
            raise WrongPhase(
                "The migration is already planned with other options. Roll it back first.", phase=before.phase
            )
        position = await self._passes.position()
        old_rows = await self._passes.count()

        now = self._clock.now()
        plan = Migration(
            name=self._recipe.name,
            phase="planned",
            options=dict(options),
            planned_at=now,
            changed_at=now,
            old_rows=old_rows,
            position=position,
        )
        still = absent() if before is None else equals("phase", before.phase) & equals("changed_at", before.changed_at)
        try:
            await self._table.write(Put(plan, when=still), pattern=plan_migration)
        except ConditionFailed:
            raise MigrationRunning from None

        return self._report(plan, old_rows)

    async def backfill(self) -> Report:
        """Create every new row and apply the changes made meanwhile. It may be killed at any time and run again."""
        async with self._state.held({"planned", "copying", "copied"}, "copying") as taken:
            await self._passes.catch_up(self._state, taken, "backfill")
            plan = await self._state.go_to("copied")
        return self._report(plan, plan.looked_at)

    async def adopt(self) -> Report:
        """Run all phases, for a recipe that needs no decisions: plan, backfill, verify, done.

        An interrupted migration resumes; a finished one runs again. Mismatches are reported and do not stop it.
        """
        before = await self._state.find()
        if before is None or before.phase in PLANNED_FROM:
            await self.plan({})
        async with self._state.held({"planned", "copying", "copied", "cutting"}, "copying") as taken:
            plan = await self._passes.catch_up(self._state, taken, "adopt")
            old_rows, mismatches = await self._passes.check(plan)
            plan = await self._passes.catch_up(self._state, plan, "adopt")
            plan = await self._state.go_to("cut_over")
        return self._report(plan, old_rows, mismatches)

    async def verify(self) -> Report:
        """Compare every new row with its old one, without writing."""
        plan = await self._state.get()
        old_rows, mismatches = await self._passes.check(plan)
        return self._report(plan, old_rows, mismatches)

    async def cut_over(self) -> Report:
        """Compare and update all rows once more, verify them, and only then stop reading the old rows.

        Raise NotProven and return to the phase before if the verification fails.
        """
        async with self._state.held({"copied", "cutting"}, "cutting") as taken:
            plan = await self._passes.start_over(self._state, taken, "compare")
            old_rows, mismatches = await self._passes.check(plan)
            for _ in range(PROOFS):
                if not mismatches:
                    break
                plan = await self._state.save()
                mismatches = await self._passes.recheck(mismatches, plan)
            if mismatches:
                await self._state.go_to("copied")
                raise NotProven(mismatches=[mismatch.message for mismatch in mismatches[:MISMATCHES_REPORTED]])
            plan = await self._state.go_to("cut_over")
            # Changes of old rows between the verification and now.
            plan = await self._passes.catch_up(self._state, plan, "follow")
        return self._report(plan, old_rows)

    async def roll_back(self) -> Report:
        """Go back one step: from the cut-over to reading both, and from there to before the plan.

        Rows written through Sobremesa stay; the second step removes copies that were not changed.
        """
        plan = await self._state.get()
        if plan.phase == "cut_over":
            async with self._state.held({"cut_over"}, "copied") as back:
                return self._report(back, back.old_rows)
        async with self._state.held({"planned", "copying", "copied", "cutting", "undoing"}, "undoing") as taken:
            removed = await self._passes.undo(taken)
            plan = await self._state.go_to("rolled_back")
        return self._report(plan, plan.old_rows, outcomes={"removed": removed})

    async def status(self) -> Migration | None:
        """Return the state; None if it was never planned."""
        return await self._table.get(migration_of(name=self._recipe.name))

    # Inside

    def _report(
        self,
        plan: Migration,
        old_rows: int,
        mismatches: Sequence[Mismatch] = (),
        outcomes: dict[Outcome, int] | None = None,
    ) -> Report:
        return Report(
            migration=plan,
            old_rows=old_rows,
            outcomes=dict(self._passes.outcomes) if outcomes is None else outcomes,
            mismatches=[mismatch.message for mismatch in mismatches],
            units=self._pace.units,
        )
