"""The audit log: actor, action and target, stored by scope and month.

An operation writes its entry in its own transaction, so that there is an entry exactly when it took effect. Readers
start at the newest month.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.ids import Ids, time_of
from sobremesa.domains.accounts.entities import AuditEntry, audit_of
from sobremesa.table import Create, Table

MONTHS_AT_ONCE = 24
"""How many empty months one page may skip."""

OPERATOR = "operator"
"""The actor of the command line, and of library calls without a user."""
SYSTEM_SCOPE = "system"


class AuditPage(NamedTuple):
    """A page of entries, newest first, and the cursor of the next one."""

    items: list[AuditEntry]
    next: str | None


class Audit:
    """Writes and reads the audit log."""

    def __init__(self, table: Table, clock: Clock, ids: Ids) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids

    def entry(
        self,
        scope: str,
        actor: Actor | str,
        action: str,
        *,
        target: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> Create[AuditEntry]:
        """Return the operation that records an action, for the transaction of that action.

        The actor is a user or a server key, or OPERATOR for the command line and for library calls without a user. If a
        key acts as a user, the entry names the user as the actor and the key in its details. The id of the entry is a
        ULID, which contains its time.
        """
        entry_id = self._ids.mint()
        if isinstance(actor, Actor) and actor.user is not None and actor.key_id is not None:
            details = {**(details or {}), "key": actor.key_id}
        at = instant(time_of(entry_id))
        return Create(
            AuditEntry(
                scope=scope,
                month=_month(at),
                entry_id=entry_id,
                at=at,
                actor=actor if isinstance(actor, str) else actor.user or str(actor.key_id),
                action=action,
                target=target,
                details=dict(details or {}),
            )
        )

    async def list_entries(
        self, scope: str, *, since: Instant, limit: int = 50, cursor: str | None = None
    ) -> AuditPage:
        """Return a page of the entries of a scope, newest first, back to the month of `since`."""
        first = _month(since)
        asked, cursors = f"audit {scope}".encode(), self._table.cursors
        month, inner = (_month(self._clock.now()), "") if cursor is None else cursors.open(cursor, asked, 2)
        items: list[AuditEntry] = []
        for _ in range(MONTHS_AT_ONCE):
            if month < first:
                return AuditPage(items, None)
            question = audit_of(scope=scope, month=month)
            page = await self._table.query(question, limit=limit - len(items), cursor=inner or None)
            items += page.items
            if page.cursor is not None:
                return AuditPage(items, cursors.seal([month, page.cursor], asked))
            month, inner = _month_before(month), ""
            if len(items) >= limit:
                break
        return AuditPage(items, cursors.seal([month, ""], asked) if month >= first else None)


def tenant_scope(tenant: Tenant) -> str:
    """Return the scope of a tenant, for its keys and its administrators."""
    return f"tenant:{tenant}"


def key_scope(tenant: Tenant, key_id: KeyId) -> str:
    """Return the scope of a server key, for what it does as a user: a busy key has partitions of its own."""
    return f"tenant:{tenant}:key:{key_id}"


def _month(at: Instant) -> str:
    return at[:4] + at[5:7]


def _month_before(month: str) -> str:
    year, number = int(month[:4]), int(month[4:])
    return f"{year:04}{number - 1:02}" if number > 1 else f"{year - 1:04}12"
