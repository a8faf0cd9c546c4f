"""Completes the workspaces of another writer with member counts and an owner."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.domains.workspaces.entities import Workspace
from sobremesa.domains.workspaces.members import Members
from sobremesa.work.migration import Companions, Move, Step


def moves(members: Members) -> Sequence[Move]:
    """Return what completes workspaces."""

    async def missing(workspace: Workspace) -> Sequence[Step]:
        if workspace.members is not None:
            return ()
        return (Step("its members are not counted", await members.count_operations(workspace)),)

    return (Companions(Workspace, missing),)
