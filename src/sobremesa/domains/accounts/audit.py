"""The audit log: who did what to whom, kept by scope and month.

A verb puts its entry into its own transaction, so that there is an entry exactly when it happened. Readers go from
the newest month back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.ids import Ids, time_of
from sobremesa.domains.accounts.entities import AuditEntry, audit_of
from sobremesa.table import Create, Table
from sobremesa.table.errors import BadCursor

MONTHS_AT_ONCE = 24
"""How many empty months one page may pass."""

OPERATOR = "operator"
"""Who acts by the command line, or by the library without a user."""
SYSTEM_SCOPE = "system"

_CURSOR = re.compile(r"(\d{6})\.([A-Za-z0-9_-]*)")


class AuditPage(NamedTuple):
    """Some entries, newest first, and the cursor of the page after them."""

    items: list[AuditEntry]
    next: str | None


class Audit:
    """Writes and reads the log."""

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
        """The operation that records an act, for the transaction of the act. Its id, a ULID, tells the time.

        The actor is a user or a server key, or OPERATOR where the command line or the library acts by itself.
        """
        entry_id = self._ids.mint()
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
        """A page of what was done in a scope, newest first, back to the month of `since`."""
        first = _month(since)
        month, inner = _opened(cursor) if cursor is not None else (_month(self._clock.now()), None)
        items: list[AuditEntry] = []
        for _ in range(MONTHS_AT_ONCE):
            if month < first:
                return AuditPage(items, None)
            question = audit_of(scope=scope, month=month)
            page = await self._table.query(question, limit=limit - len(items), cursor=inner)
            items += page.items
            if page.cursor is not None:
                return AuditPage(items, f"{month}.{page.cursor}")
            month, inner = _month_before(month), None
            if len(items) >= limit:
                break
        return AuditPage(items, f"{month}." if month >= first else None)


def tenant_scope(tenant: Tenant) -> str:
    """The scope of what is done to a tenant: its keys and its administrators."""
    return f"tenant:{tenant}"


def _month(at: Instant) -> str:
    return at[:4] + at[5:7]


def _month_before(month: str) -> str:
    year, number = int(month[:4]), int(month[4:])
    return f"{year:04}{number - 1:02}" if number > 1 else f"{year - 1:04}12"


def _opened(cursor: str) -> tuple[str, str | None]:
    match = _CURSOR.fullmatch(cursor)
    if match is None or not 1 <= int(match[1][4:]) <= 12:
        raise BadCursor("this is no cursor")
    return match[1], match[2] or None
