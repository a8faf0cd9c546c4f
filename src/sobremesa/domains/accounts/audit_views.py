"""The audit log in responses."""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import AuditEntry
from sobremesa.http.endpoints import Output


class AuditView(Output):
    """An entry of the audit log."""

    entry_id: str
    at: Instant
    actor: str
    action: str
    target: str | None
    details: dict[str, Any]


def audit_view(entry: AuditEntry) -> AuditView:
    return AuditView(entry.entry_id, entry.at, entry.actor, entry.action, entry.target, entry.details)
