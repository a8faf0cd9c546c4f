"""What another writer's workspaces lack: how many people are in them, and an owner."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.domains.workspaces.entities import Workspace
from sobremesa.domains.workspaces.members import Members
from sobremesa.work.migration import Companions, Move, Step


def moves(members: Members) -> Sequence[Move]:
    """What completes workspaces."""

    async def missing(workspace: Workspace) -> Sequence[Step]:
        if workspace.members is not None:
            return ()
        return (Step("its people are not counted", await members.numbering(workspace)),)

    return (Companions(Workspace, missing),)
