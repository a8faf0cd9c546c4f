"""The stored state of a migration, changed under a lease: one process at a time runs it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.table import Table, one_of, set_to
from sobremesa.table.errors import OutcomeUnknown, TableError
from sobremesa.table.updates import Changes
from sobremesa.work.migration.entities import Migration, Phase, change_phase, keep_progress, migration_of
from sobremesa.work.migration.errors import MigrationRunning, NotPlanned, WrongPhase

LEASE_SECONDS = 5.0
LOOK_SECONDS = 0.2


class State:
    """The state of one migration, and this process's lease on it."""

    def __init__(self, table: Table, clock: Clock, name: str, holder: str) -> None:
        self._table = table
        self._clock = clock
        self._key = migration_of(name=name)
        self._holder = holder
        self._lease = Lease(table, clock, self._key, seconds=LEASE_SECONDS, pattern=keep_progress)
        self._phase: Phase = "planned"

    async def find(self) -> Migration | None:
        return await self._table.get(self._key)

    async def get(self) -> Migration:
        migration = await self.find()
        if migration is None:
            raise NotPlanned
        return migration

    @asynccontextmanager
    async def held(self, phases: Collection[Phase], to: Phase) -> AsyncIterator[Migration]:
        """Hold the lease in a new phase until the end of the block."""
        migration = await self._acquire(phases, to)
        try:
            async with self._lease.renewing():
                yield migration
        except LeaseLost:
            raise MigrationRunning from None
        finally:
            with contextlib.suppress(TableError):
                await self._lease.release()

    async def save(self, **changes: Any) -> Migration:
        """Save progress and renew the lease; raise MigrationRunning if another process has acquired it."""
        return await self._write(set_to(**changes), {self._phase})

    async def go_to(self, phase: Phase) -> Migration:
        """Change the phase and renew the lease."""
        done = await self._write(set_to(phase=phase, changed_at=self._clock.now()), {self._phase, phase})
        self._phase = phase
        return done

    async def _acquire(self, phases: Collection[Phase], to: Phase) -> Migration:
        """Acquire the lease and change the phase. Wait for the lease of a killed process to expire.

        Raise WrongPhase if the migration is in none of these phases, MigrationRunning if another process renews.
        """
        seen_until: int | None = None
        while True:
            changes = set_to(phase=to, holder=self._holder, changed_at=self._clock.now())
            try:
                acquired = await self._lease.acquire(changes, when=one_of("phase", phases), pattern=change_phase)
            except OutcomeUnknown:
                phases = {*phases, to}
                continue
            if acquired is not None:
                self._phase = to
                return acquired
            migration = await self.get()
            if migration.phase not in phases:
                raise WrongPhase(
                    f"The migration is in the phase {migration.phase}; this needs {' or '.join(sorted(phases))}.",
                    phase=migration.phase,
                )
            if seen_until is not None and migration.leased_until_ms > seen_until:
                raise MigrationRunning
            seen_until = migration.leased_until_ms
            await asyncio.sleep(LOOK_SECONDS)

    async def _write(self, changes: Changes, phases: Collection[Phase]) -> Migration:
        try:
            return await self._lease.renew(changes, when=one_of("phase", phases))
        except LeaseLost:
            raise MigrationRunning from None
        except OutcomeUnknown:
            raise Busy from None
