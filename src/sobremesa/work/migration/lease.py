"""Holding a migration: one process at a time has the work, in one phase, and every step of it says so."""

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
    """One process's lease of one migration."""

    def __init__(self, table: Table, clock: Clock, name: str, holder: str) -> None:
        self._table = table
        self._clock = clock
        self._key = migration_of(name=name)
        self._holder = holder
        self._phase: Phase = "planned"

    async def find(self) -> Migration | None:
        return await self._table.get(self._key)

    async def take(self, phases: Collection[Phase], to: Phase) -> Migration:
        """Have the work, in a new phase. A lease that was left by a killed process is waited for.

        WrongPhase if it is in none of these phases, MigrationRunning if somebody is at work.
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

    async def keep(self, **changes: Any) -> Migration:
        """Write down how far it is; MigrationRunning if somebody else has taken it meanwhile."""
        return await self._write(set_to(leased_until_ms=self._until(), **changes))

    async def go_to(self, phase: Phase, **changes: Any) -> Migration:
        """Go on to another phase, still at work."""
        now = self._clock.now()
        on = set_to(phase=phase, changed_at=now, leased_until_ms=self._until(), **changes)
        done = await self._write(on, {self._phase, phase})
        self._phase = phase
        return done

    async def release(self) -> None:
        """Let go of it, if it is still ours."""
        await self._write(set_to(leased_until_ms=0))

    async def renew(self) -> None:
        """Keep the work until cancelled. That it was lost shows at the next step, not here."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            with contextlib.suppress(MigrationRunning, Busy, TableError):
                await self.keep()

    async def _write(self, changes: Changes, phases: Collection[Phase] = ()) -> Migration:
        """Change what is ours; a lost answer is asked for again, since doing it twice is the same as once."""
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
