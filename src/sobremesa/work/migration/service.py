"""Migrations: plan, backfill, verify, cut over, roll back; and tell where it stands."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.table import Put, Table, absent, equals
from sobremesa.table.errors import ConditionFailed, TableError
from sobremesa.work.migration.entities import Migration, Phase, migration_of, plan_migration
from sobremesa.work.migration.errors import MigrationRunning, NotProven, WrongPhase
from sobremesa.work.migration.lease import Lease
from sobremesa.work.migration.moves import Complaint, Outcome, Recipe
from sobremesa.work.migration.pace import Pace
from sobremesa.work.migration.passes import Passes, Progress, Watch

PROOFS = 5
"""How often a cut-over looks again, when something was written to an old row while it looked."""
COMPLAINTS_TOLD = 20
PLANNED_FROM: frozenset[Phase] = frozenset({"rolled_back", "cut_over"})


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a piece of work came to."""

    migration: Migration
    old_rows: int
    outcomes: dict[Outcome, int] = {}
    complaints: list[str] = []
    units: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not self.complaints


def unwatched(progress: Progress) -> None:
    """Nobody watches."""


class Migrations:
    """One recipe over one table."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        recipe: Recipe,
        *,
        units_a_second: float | None = None,
        watch: Watch = unwatched,
    ) -> None:
        self._table = table
        self._clock = clock
        self._recipe = recipe
        self._pace = Pace(units_a_second)
        self._passes = Passes(table, clock, recipe, self._pace, watch)
        self._lease = Lease(table, clock, recipe.name, ids.mint())

    async def plan(self, options: Mapping[str, str]) -> Report:
        """Begin: from now on changes of old rows are followed, and readers look for old rows too.

        The same plan again changes nothing. Another one needs a migration that was rolled back or is done.
        """
        before = await self._lease.find()
        if before is not None and before.phase not in PLANNED_FROM:
            if before.options == dict(options):
                return self._report(before, before.old_rows)
            raise WrongPhase("It is planned already with other options: roll it back first.", phase=before.phase)
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
        """Make every new row, and follow what was changed meanwhile. It may be killed anywhere and begun again."""
        async with self._held({"planned", "copying", "copied"}, "copying") as taken:
            await self._passes.up_to_date(self._lease, taken, "backfill")
            plan = await self._lease.go_to("copied")
        return self._report(plan, plan.looked_at)

    async def adopt(self) -> Report:
        """All of it at once, for a recipe that nobody must decide about: plan, backfill, verify, done.

        What was left in the middle goes on; what was done is done once more. Complaints are told, and stop nothing.
        """
        before = await self._lease.find()
        if before is None or before.phase in PLANNED_FROM:
            await self.plan({})
        async with self._held({"planned", "copying", "copied", "cutting"}, "copying") as taken:
            plan = await self._passes.up_to_date(self._lease, taken, "adopt")
            old_rows, complaints = await self._passes.check(plan)
            plan = await self._passes.up_to_date(self._lease, plan, "adopt")
            plan = await self._lease.go_to("cut_over")
        return self._report(plan, old_rows, complaints)

    async def verify(self) -> Report:
        """Compare every new row with its old one, by content; it writes nothing."""
        plan = await self._lease.get()
        old_rows, complaints = await self._passes.check(plan)
        return self._report(plan, old_rows, complaints)

    async def cut_over(self) -> Report:
        """Compare everything once more, bring it in line, prove it, and only then leave the old rows.

        NotProven, and the phase before it, if the proof fails.
        """
        async with self._held({"copied", "cutting"}, "cutting") as taken:
            plan = await self._passes.afresh(self._lease, taken, "compare")
            old_rows, complaints = await self._passes.check(plan)
            for _ in range(PROOFS):
                if not complaints:
                    break
                plan = await self._lease.keep()
                complaints = await self._passes.look_again(complaints, plan)
            if complaints:
                await self._lease.go_to("copied")
                raise NotProven(complaints=[complaint.says for complaint in complaints[:COMPLAINTS_TOLD]])
            plan = await self._lease.go_to("cut_over")
            # What was written to an old row between the proof and this moment.
            plan = await self._passes.up_to_date(self._lease, plan, "follow")
        return self._report(plan, old_rows)

    async def roll_back(self) -> Report:
        """One step back: from the cut-over to reading both, and from there to before the plan.

        What was written through us stays; copies that nobody has changed are taken away in the second step.
        """
        plan = await self._lease.get()
        if plan.phase == "cut_over":
            async with self._held({"cut_over"}, "copied") as back:
                return self._report(back, back.old_rows)
        async with self._held({"planned", "copying", "copied", "cutting", "undoing"}, "undoing") as taken:
            removed = await self._passes.undo(taken)
            plan = await self._lease.go_to("rolled_back")
        return self._report(plan, plan.old_rows, outcomes={"removed": removed})

    async def status(self) -> Migration | None:
        """Where it stands; None if it was never planned."""
        return await self._table.get(migration_of(name=self._recipe.name))

    # Inside

    @asynccontextmanager
    async def _held(self, phases: Collection[Phase], to: Phase) -> AsyncIterator[Migration]:
        """The migration in a new phase, for ourselves until the end of the block."""
        plan = await self._lease.take(phases, to)
        renewing = asyncio.create_task(self._lease.renew())
        try:
            yield plan
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing
            with contextlib.suppress(MigrationRunning, TableError):
                await self._lease.release()

    def _report(
        self,
        plan: Migration,
        old_rows: int,
        complaints: Sequence[Complaint] = (),
        outcomes: dict[Outcome, int] | None = None,
    ) -> Report:
        return Report(
            migration=plan,
            old_rows=old_rows,
            outcomes=dict(self._passes.outcomes) if outcomes is None else outcomes,
            complaints=[complaint.says for complaint in complaints],
            units=self._pace.units,
        )
