"""What every domain does when an account is deleted, and the users whose deletion is still running.

The profile is emptied at once. A job removes what other domains store of a user, such as the name on a message and the
memberships, one domain after the other. The job can be interrupted and repeated. Until it has finished, readers mask
the names of the users in `PendingDeletions`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Refusal
from sobremesa.domains.accounts.entities import Departing, delete_user_data, pending_deletions
from sobremesa.table import Create, Table, Update, Upsert, add_to_set, delete_from_set
from sobremesa.table.errors import ConditionFailed

FRESH_MS = 1000
JOB = "account.depart"


class JobQueue(Protocol):
    """A queue of jobs that run after the request."""

    def new(self, kind: str, subject: str) -> Create[Any]:
        """Return the operation that adds a job, for the transaction that requires it."""
        ...

    def nudge(self) -> None:
        """Start new jobs without waiting for the next poll."""
        ...


class UserData(Protocol):
    """What another domain stores of a user."""

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return why this account cannot be deleted now, or None."""
        ...

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove or mask what this domain stores of a user. It is idempotent."""
        ...

    def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield everything that this domain stores of a user, as JSON values."""
        ...


UserDataOfDomains: TypeAlias = Callable[[], Sequence[UserData]]
"""Returns what the other domains store of a user: a function, since those domains are built after accounts."""


class PendingDeletions:
    """The users whose deletion is running."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._user_ids: frozenset[UserId] = frozenset()
        self._read_ms: int | None = None
        self._changes = 0

    async def user_ids(self) -> frozenset[UserId]:
        """Return the users whose deletion is running, at most one second old."""
        now = self._clock.now_ms()
        if self._read_ms is not None and 0 <= now - self._read_ms < FRESH_MS:
            return self._user_ids
        changes = self._changes
        row = await self._table.get(pending_deletions())
        user_ids = row.user_ids if row is not None else frozenset()
        if changes == self._changes:
            self._user_ids, self._read_ms = user_ids, now
        return user_ids

    def adding(self, user_id: UserId) -> Upsert[Departing]:
        """Return the operation that starts a deletion. Call `invalidate` after writing it."""
        return Upsert(Departing.key(), add_to_set(user_ids=[user_id]))

    async def end(self, user_id: UserId) -> None:
        """Remove a user whose data is removed everywhere."""
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Update(Departing.key(), delete_from_set(user_ids=[user_id])), pattern=delete_user_data
            )
        self.invalidate()

    def invalidate(self) -> None:
        """Read the table again at the next call of `user_ids`."""
        self._changes += 1
        self._read_ms = None
