"""Invites of workspaces: their rows, permissions, and the conditions of joining."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Instant
from sobremesa.core.errors import AlreadyMember, NotFound
from sobremesa.domains.invites import Guard, InviteKind, Invites, Joining, NewInvite, Permit
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.workspaces.access import Access
from sobremesa.domains.workspaces.entities import (
    Invite,
    InviteRef,
    Member,
    Workspace,
    WorkspaceId,
    create_invite,
    invite_by_code,
    invite_ref,
    invites_of,
    membership,
    redeem_invite,
    revoke_invite,
)
from sobremesa.domains.workspaces.errors import TooManyMembers
from sobremesa.domains.workspaces.members import MAX_MEMBERS, Members, has_room
from sobremesa.table import Check, Entity, Key, Operation, Table, Update, add, present


class WorkspaceInviteInfo(NamedTuple):
    """An invite, and its workspace."""

    invite: Invite
    workspace: Workspace


class Joined(NamedTuple):
    """The workspace that a user joined, and their membership."""

    workspace: Workspace
    member: Member


WorkspaceInvites: TypeAlias = Invites[Invite, Workspace, WorkspaceInviteInfo, Joined]


class WorkspaceInviteKind(InviteKind[Invite, Workspace, WorkspaceInviteInfo, Joined]):
    """The invites of workspaces."""

    claims_as = "workspace invite"
    create = create_invite
    redeem = redeem_invite
    revoke = revoke_invite

    def __init__(self, table: Table, access: Access, members: Members) -> None:
        self._table = table
        self._access = access
        self._members = members

    async def authorize(self, actor: Actor, target_id: str, act: Literal["create", "list"]) -> Permit:
        return Permit((await self._access.require_member(actor, WorkspaceId(target_id), "invite")).still())

    async def authorize_revoke(self, actor: Actor, invite: Invite) -> Sequence[Operation]:
        return (await self.authorize(actor, _workspace_of(invite), "list")).conditions

    def rows(self, target_id: str, new: NewInvite) -> tuple[Invite, Sequence[Entity]]:
        workspace_id = WorkspaceId(target_id)
        ref = InviteRef(workspace_id=workspace_id, code=new.code, ttl=new.ttl)
        return Invite(workspace_id=workspace_id, **new._asdict()), [ref]

    async def companion(self, invite: Invite) -> Key[Any] | None:
        key = invite_ref(workspace_id=_workspace_of(invite), code=invite.code)
        return None if await self._table.get(key) is None else key

    async def page(self, target_id: str, limit: int, cursor: str | None) -> tuple[list[Invite], str | None]:
        page = await self._table.query(invites_of(workspace_id=WorkspaceId(target_id)), limit=limit, cursor=cursor)
        keys = [invite_by_code(code=ref.code) for ref in page.items]
        invites = await self._table.get_many(keys, consistent=True)
        return [invite for invite in invites if invite is not None], page.cursor

    async def find(self, code: InviteCode) -> Invite | None:
        invite = await self._table.get(invite_by_code(code=code))
        return None if invite is None or invite.workspace_id is None else invite

    async def find_target(self, invite: Invite) -> Workspace | None:
        workspace = await self._members.counted(_workspace_of(invite))
        return None if workspace is None or workspace.deleted_at is not None else workspace

    def tenant_of(self, target: Workspace) -> Tenant | None:
        return target.tenant

    async def ended_with_creator(self, invites: Sequence[Invite]) -> set[InviteCode]:
        creators = {invite.created_by: key for invite in invites if (key := _creator(invite)) is not None}
        there = await self._table.get_many(list(creators.values()), consistent=True)
        inside = {member.user_id for member in there if member is not None}
        return {invite.code for invite in invites if invite.created_by is not None and invite.created_by not in inside}

    async def joining(self, actor: Actor, invite: Invite, target: Workspace, now: Instant) -> Joining[Joined]:
        def full_or_gone() -> Exception:
            return TooManyMembers(limit=MAX_MEMBERS) if (target.members or 0) >= MAX_MEMBERS else NotFound()

        member = Member(workspace_id=target.workspace_id, user_id=actor.user_id, joined_at=now)
        guards = [Guard(Update(target.own_key(), add(members=1), when=has_room()), full_or_gone)]
        creator = _creator(invite)
        if creator is not None:
            if invite.created_by == actor.user_id:
                # One transaction cannot both check and create the same row, and here there is nothing to write.
                raise NotFound if await self._table.get(creator) is None else AlreadyMember
            guards.append(Guard(Check(creator, when=present()), NotFound))
        return Joining(member, guards, Joined(target, member))

    def scope_of(self, invite: Invite) -> str:
        return _workspace_of(invite)

    def found(self, invite: Invite, target: Workspace) -> WorkspaceInviteInfo:
        return WorkspaceInviteInfo(invite, target)


def _workspace_of(invite: Invite) -> WorkspaceId:
    if invite.workspace_id is None:
        raise NotFound
    return invite.workspace_id


def _creator(invite: Invite) -> Key[Member] | None:
    """Return the membership of the creator, which the invite ends with; another writer may omit the creator."""
    if invite.created_by is None:
        return None
    return membership(workspace_id=_workspace_of(invite), user_id=invite.created_by)
