"""Invitations: codes that let people into a workspace, so often and for so long."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.accounts.entities import user_by_id
from sobremesa.clock import Clock, Instant, instant
from sobremesa.codes import InviteCode, new_code
from sobremesa.errors import NotFound, Unauthenticated
from sobremesa.idempotency import Idempotency
from sobremesa.people import Actor
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Table,
    Update,
    absent_or_null,
    add,
    attribute,
    differs,
    equals,
    greater,
    less,
    present,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.workspaces.access import Access, Seat
from sobremesa.workspaces.entities import (
    Invite,
    InviteRef,
    Member,
    Workspace,
    WorkspaceId,
    create_invite,
    invite_by_code,
    invite_ref,
    invites_of,
    redeem_invite,
    revoke_invite,
)
from sobremesa.workspaces.errors import AlreadyMember, InviteUsedUp, TooManyMembers
from sobremesa.workspaces.members import MAX_MEMBERS, Members


class Invitation(NamedTuple):
    """An invite, and the workspace that it leads to."""

    invite: Invite
    workspace: Workspace


class Joined(NamedTuple):
    """The workspace that an invite led to, and the place in it."""

    workspace: Workspace
    place: Member


class Invitations:
    """Invites of workspaces."""

    def __init__(self, table: Table, clock: Clock, access: Access, members: Members, idempotency: Idempotency) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._members = members
        self._idempotency = idempotency

    async def create(
        self,
        actor: Actor,
        workspace_id: WorkspaceId,
        *,
        max_uses: int | None = None,
        expires_in_seconds: int | None = None,
        key: str | None = None,
    ) -> Invite:
        """Make a code that lets people in, so often and for so long."""
        seat = await self._access.enter(actor, workspace_id, "invite")
        claim = self._idempotency.claim(actor, key, "workspace invite", [workspace_id, max_uses, expires_in_seconds])

        invite = self._new(seat, max_uses, expires_in_seconds)
        try:
            await self._table.write(
                Create(invite),
                Create(InviteRef(workspace_id=workspace_id, code=invite.code, ttl=invite.ttl)),
                seat.still(),
                *claim.operations(invite.code),
                pattern=create_invite,
            )
        except ConditionFailed as failed:
            made = await claim.made(failed)
            if made is None:
                raise NotFound from None
            return (await self.get(actor, InviteCode(made))).invite

        return invite

    async def list_invites(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Invite], str | None]:
        """The invites of a workspace that can still be used."""
        await self._access.enter(actor, workspace_id, "invite")
        page = await self._table.query(invites_of(workspace_id=workspace_id), limit=limit, cursor=cursor)
        keys = [invite_by_code(code=ref.code) for ref in page.items]
        invites = await self._table.get_many(keys, consistent=True)
        return [invite for invite in invites if invite is not None and self._is_open(invite)], page.cursor

    async def find_invite(self, code: InviteCode) -> Invite | None:
        """The invite of a code that leads to a workspace; None if it leads elsewhere, or nowhere."""
        invite = await self._table.get(invite_by_code(code=code))
        return None if invite is None or invite.workspace_id is None else invite

    async def get(self, actor: Actor, code: InviteCode) -> Invitation:
        """What a code leads to; whoever has it may know."""
        found = await self._look_at(code)
        if not self._is_open(found.invite):
            raise NotFound
        return found

    async def redeem(self, actor: Actor, code: InviteCode) -> Joined:
        """Come in by an invite: one transaction, in which one use goes and one member comes."""
        invite, workspace = await self._look_at(code)

        now = instant(self._clock.now_ms())
        place = Member(workspace_id=workspace.workspace_id, user_id=actor.user_id, joined_at=now)
        try:
            await self._table.write(
                Create(place),
                Update(invite.own_key(), add(uses=1), when=_may_be_used(now)),
                Update(
                    workspace.own_key(),
                    add(members=1),
                    when=absent_or_null("deleted_at") & less("members", MAX_MEMBERS),
                ),
                Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")),
                pattern=redeem_invite,
            )
        except ConditionFailed as failed:
            raise _why_not_in(failed, workspace) from None

        return Joined(workspace, place)

    async def revoke(self, actor: Actor, code: InviteCode) -> None:
        """Make a code useless."""
        invite = await self.find_invite(code)
        if invite is None or invite.workspace_id is None:
            raise NotFound
        seat = await self._access.enter(actor, invite.workspace_id, "invite")

        ref = invite_ref(workspace_id=invite.workspace_id, code=code)
        operations: list[Operation] = [Delete(invite.own_key(), when=equals("workspace_id", invite.workspace_id))]
        if await self._table.get(ref) is not None:
            operations.append(Delete(ref))
        try:
            await self._table.write(seat.still(), *operations, pattern=revoke_invite)
        except ConditionFailed:
            raise NotFound from None

    # Inside

    def _new(self, seat: Seat, max_uses: int | None, expires_in_seconds: int | None) -> Invite:
        now_ms = self._clock.now_ms()
        ends_ms = None if expires_in_seconds is None else now_ms + expires_in_seconds * 1000
        return Invite(
            code=new_code(),
            workspace_id=seat.workspace_id,
            created_by=seat.actor.user_id,
            expires_at=None if ends_ms is None else instant(ends_ms),
            max_uses=max_uses,
            created_at=instant(now_ms),
            # Rounded up: the time in the row decides to the millisecond, this one only takes it away.
            ttl=None if ends_ms is None else -(-ends_ms // 1000),
        )

    async def _look_at(self, code: InviteCode) -> Invitation:
        """What a code leads to, or has led to until it was used up; NotFound if it leads nowhere any more."""
        invite = await self.find_invite(code)
        if invite is None or invite.workspace_id is None or invite.revoked or self._is_over(invite):
            raise NotFound
        workspace = await self._members.counted(invite.workspace_id)
        if workspace is None or workspace.deleted_at is not None:
            raise NotFound
        return Invitation(invite, workspace)

    def _is_open(self, invite: Invite) -> bool:
        if invite.revoked or (invite.max_uses is not None and invite.uses >= invite.max_uses):
            return False
        return not self._is_over(invite)

    def _is_over(self, invite: Invite) -> bool:
        return invite.expires_at is not None and invite.expires_at <= instant(self._clock.now_ms())


def _may_be_used(now: Instant) -> Condition:
    """The rule of an invite, at the moment of its use."""
    return (
        present()
        & (absent_or_null("expires_at") | greater("expires_at", now))
        & (absent_or_null("max_uses") | absent_or_null("uses") | less("uses", attribute("max_uses")))
        & differs("revoked", True)
    )


_PLACE, _INVITE, _WORKSPACE, _PERSON = range(4)
"""Places among the operations of redeeming."""


def _why_not_in(failed: ConditionFailed, workspace: Workspace) -> Exception:
    if failed.at(_PLACE):
        return AlreadyMember()
    if failed.at(_PERSON):
        return Unauthenticated()
    if failed.at(_WORKSPACE):
        return TooManyMembers(limit=MAX_MEMBERS) if (workspace.members or 0) >= MAX_MEMBERS else NotFound()
    return InviteUsedUp()
