"""Composes the parts of workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.invites import Invites
from sobremesa.domains.workspaces.access import Access
from sobremesa.domains.workspaces.cleanup import Cleanup
from sobremesa.domains.workspaces.invites import WorkspaceInviteKind, WorkspaceInvites
from sobremesa.domains.workspaces.items import Items
from sobremesa.domains.workspaces.legacy import NAME as LEGACY_ROWS
from sobremesa.domains.workspaces.legacy import Legacy
from sobremesa.domains.workspaces.members import Members
from sobremesa.domains.workspaces.service import Workspaces
from sobremesa.domains.workspaces.settings import WorkspaceSettings
from sobremesa.table import Table
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Jobs
from sobremesa.work.migration import Phases


class Opened(NamedTuple):
    """The parts of workspaces that others use."""

    workspaces: Workspaces
    members: Members
    invites: WorkspaceInvites
    items: Items
    settings: WorkspaceSettings
    cleanup: Cleanup


def open_workspaces(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    audit: Audit,
    idempotency: Idempotency,
    jobs: Jobs,
    setting_types: Mapping[str, Any] | None = None,
) -> Opened:
    """Open workspaces over a table."""
    access = Access(table)
    members = Members(table, access, audit)
    legacy = Legacy(table, Phases(table, clock, LEGACY_ROWS))
    return Opened(
        Workspaces(table, clock, ids, access, audit, idempotency, jobs, members, legacy),
        members,
        Invites(WorkspaceInviteKind(table, access, members), table, clock, audit, idempotency),
        Items(table, clock, ids, access, idempotency, legacy),
        WorkspaceSettings(table, clock, access, legacy, setting_types),
        Cleanup(table, clock, members, jobs),
    )
