"""The lease of a migration: one process at a time runs it, and every write is conditional on the lease."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from typing import Any

from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import Busy
from sobremesa.table import Table, Update, equals, less, one_of, set_to
from sobremesa.table.errors import ConditionFailed, OutcomeUnknown, TableError
from sobremesa.table.updates import Changes
from sobremesa.work.migration.entities import Migration, Phase, change_phase, keep_progress, migration_of
from sobremesa.work.migration.errors import MigrationRunning, NotPlanned, WrongPhase

LEASE_SECONDS = 5.0
RENEW_SECONDS = 1.0
LOOK_SECONDS = 0.2
ATTEMPTS = 5


class Lease:
    """One process's lease on one migration."""

    def __init__(self, table: Table, clock: Clock, name: str, holder: str) -> None:
        self._table = table
        self._clock = clock
        self._key = migration_of(name=name)
        self._holder = holder
        self._phase: Phase = "planned"

    async def find(self) -> Migration | None:
        return await self._table.get(self._key)

    async def acquire(self, phases: Collection[Phase], to: Phase) -> Migration:
        """Acquire the lease and change the phase. Wait for the lease of a killed process to expire.

        Raise WrongPhase if the migration is in none of these phases, MigrationRunning if another process renews.
        """
        seen_until: int | None = None
        while True:
            now = self._clock.now_ms()
            free = less("leased_until_ms", now) | equals("holder", self._holder)
            lease = set_to(phase=to, holder=self._holder, leased_until_ms=self._until(), changed_at=instant(now))
            try:
                taken = await self._table.write(
                    Update(self._key, lease, when=one_of("phase", phases) & free),
                    pattern=change_phase,
                )
            except OutcomeUnknown:
                phases = {*phases, to}
            except ConditionFailed:
                migration = await self.get()
                if migration.phase not in phases:
                    raise WrongPhase(
                        f"The migration is in the phase {migration.phase}; this needs {' or '.join(sorted(phases))}.",
                        phase=migration.phase,
                    ) from None
                if seen_until is not None and migration.leased_until_ms > seen_until:
                    raise MigrationRunning from None
                seen_until = migration.leased_until_ms
                await asyncio.sleep(LOOK_SECONDS)
            else:
                self._phase = to
                return taken

    async def get(self) -> Migration:
        migration = await self.find()
        if migration is None:
            raise NotPlanned
        return migration

    async def save(self, **changes: Any) -> Migration:
        """Save progress and renew the lease; raise MigrationRunning if another process has acquired it."""
        return await self._write(set_to(leased_until_ms=self._until(), **changes))

    async def go_to(self, phase: Phase, **changes: Any) -> Migration:
        """Change the phase and renew the lease."""
        now = self._clock.now()
        on = set_to(phase=phase, changed_at=now, leased_until_ms=self._until(), **changes)
        done = await self._write(on, {self._phase, phase})
        self._phase = phase
        return done

    async def release(self) -> None:
        """Release the lease, if it is still ours."""
        await self._write(set_to(leased_until_ms=0))

    async def keep_renewing(self) -> None:
        """Renew the lease until cancelled. If it was lost, the next save raises, not this."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            with contextlib.suppress(MigrationRunning, Busy, TableError):
                await self.save()

    async def _write(self, changes: Changes, phases: Collection[Phase] = ()) -> Migration:
        """Write under the lease; retry if the outcome is unknown, since the write is idempotent."""
        mine = equals("holder", self._holder) & one_of("phase", phases or {self._phase})
        for _ in range(ATTEMPTS):
            try:
                return await self._table.write(Update(self._key, changes, when=mine), pattern=keep_progress)
            except OutcomeUnknown:
                continue
            except ConditionFailed:
                raise MigrationRunning from None
        raise Busy

    def _until(self) -> int:
        return self._clock.now_ms() + round(LEASE_SECONDS * 1000)
