"""Recounts the members and owners of workspaces."""

from __future__ import annotations

from functools import partial

from sobremesa.domains.workspaces.entities import Workspace, count_members, members_of, workspace_by_id
from sobremesa.table import Table, Update, absent_or_null, equals, set_to
from sobremesa.work.recounts import Drift, Found, Recount


def recount(table: Table) -> Recount[Workspace]:
    """Return the recount of workspaces."""

    def place(row: Workspace) -> str:
        return f"workspace {row.workspace_id}"

    return Recount(Workspace, partial(_check, table), label=place, once_for=place)


async def _check(table: Table, row: Workspace) -> Found | None:
    workspace = await table.get(workspace_by_id(workspace_id=row.workspace_id))
    if workspace is None or workspace.members is None or workspace.deleted_at is not None:
        return None
    question = members_of(workspace_id=row.workspace_id)
    members = [member async for member in table.every(question, consistent=True)]
    stored = {"members": workspace.members, "owners": workspace.owners}
    true = {"members": len(members), "owners": sum(member.role == "owner" for member in members)}
    drift = [Drift(name, stored[name], number) for name, number in true.items() if stored[name] != number]
    if not drift:
        return None
    as_seen = equals("members", workspace.members)
    as_seen &= absent_or_null("owners") if workspace.owners is None else equals("owners", workspace.owners)
    counted = Update(workspace.own_key(), set_to(**true), when=as_seen)
    return Found(drift, partial(table.write, counted, token=None, pattern=count_members))
