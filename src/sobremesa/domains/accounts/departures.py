"""Departures: people whose account is deleted while their traces are still being removed.

The profile is empty at once. What other domains keep of a person (their name beside a message, their memberships) is
removed by a job, domain by domain, which can be killed and taken up again; until it is done, readers ask `names` and
mask what they meet.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any, Protocol

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Refusal
from sobremesa.domains.accounts.entities import Departing, departing_people, remove_traces
from sobremesa.table import Create, Table, Update, Upsert, add_to_set, delete_from_set
from sobremesa.table.errors import ConditionFailed

BELIEVED_MS = 1000
JOB = "account.depart"


class JobQueue(Protocol):
    """Work that outlives its request."""

    def new(self, kind: str, subject: str) -> Create[Any]:
        """The operation that asks for it, for the transaction that makes it needed."""
        ...

    def nudge(self) -> None:
        """There is new work."""
        ...


class Farewell(Protocol):
    """What a domain does when a person leaves for good."""

    async def objection(self, user_id: UserId) -> Refusal | None:
        """Why this person cannot leave now, or None."""
        ...

    async def depart(self, user_id: UserId) -> None:
        """Remove or mask what this domain keeps of a person. Doing it twice is the same as once."""
        ...


class Exporter(Protocol):
    """What a domain gives a person who asks for their own data."""

    def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Everything that this domain keeps of a person, as JSON values."""
        ...


class Departures:
    """Who is on their way out."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._names: frozenset[UserId] = frozenset()
        self._read_ms: int | None = None
        self._changes = 0

    async def names(self) -> frozenset[UserId]:
        """The people whose deletion is running, at most a second old."""
        now = self._clock.now_ms()
        if self._read_ms is not None and 0 <= now - self._read_ms < BELIEVED_MS:
            return self._names
        changes = self._changes
        row = await self._table.get(departing_people())
        names = row.user_ids if row is not None else frozenset()
        if changes == self._changes:
            self._names, self._read_ms = names, now
        return names

    def adding(self, user_id: UserId) -> Upsert[Departing]:
        """The operation that begins a departure; call `changed` after it."""
        return Upsert(Departing.key(), add_to_set(user_ids=[user_id]))

    async def end(self, user_id: UserId) -> None:
        """Nothing of this person is left to be masked."""
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Update(Departing.key(), delete_from_set(user_ids=[user_id])), pattern=remove_traces)
        self.changed()

    def changed(self) -> None:
        """Read again at the next question."""
        self._changes += 1
        self._read_ms = None
