"""Invites to servers: their rows, rights and conditions."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.errors import NotFound
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.entities import (
    FormerMembership,
    Invite,
    InviteClaim,
    InviteShare,
    Server,
    ServerId,
    ServerMembership,
    ban_of,
    banned_from,
    claim_of,
    count_uses,
    create_invite,
    former_membership,
    invite_by_key,
    invite_in_index,
    invites_of,
    redeem_invite,
    revoke_invite,
    server_by_id,
    servers_of,
    share_of,
    undo_join,
)
from sobremesa.domains.communities.errors import Banned, TooManyServers
from sobremesa.domains.communities.permissions import Right
from sobremesa.domains.invites import Guard, InviteKind, Invites, Joining, NewInvite, Permit
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.invites.rules import shares_of
from sobremesa.table import (
    Check,
    Condition,
    Delete,
    Entity,
    Key,
    Operation,
    Table,
    absent,
    absent_or_null,
    at_most,
    equals,
    less,
    present,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.quotas import CountChanged, Quotas

MAX_SERVERS = 200
"""How many servers a user may be in."""


class InviteInfo(NamedTuple):
    """An invite, and the server that it leads to."""

    invite: Invite
    server: Server


class Redeemed(NamedTuple):
    """The server that a user joined, and their membership."""

    server: Server
    membership: ServerMembership


ServerInvites: TypeAlias = Invites[Invite, Server, InviteInfo, Redeemed]


class ServerInviteKind(InviteKind[Invite, Server, InviteInfo, Redeemed]):
    """Invites that lead to servers."""

    claims_as = "invite"
    create = create_invite
    redeem = redeem_invite
    revoke = revoke_invite
    count = count_uses

    def __init__(self, table: Table, access: Access, quotas: Quotas) -> None:
        self._table = table
        self._access = access
        self._quotas = quotas

    async def authorize(self, actor: Actor, target_id: str, act: Literal["create", "list"]) -> Permit:
        right: Right = "invite" if act == "create" else "manage_invites"
        member = await self._access.require_member(actor, ServerId(target_id), right)
        is_there = Check(member.server.own_key(), when=present() & absent_or_null("deleted_at"))
        return Permit((is_there, *self._access.role_check(member)), member.row.joined_at)

    async def authorize_revoke(self, actor: Actor, invite: Invite) -> Sequence[Operation]:
        member = await self._access.require_member(actor, invite.server_id)
        if invite.created_by != actor.user_id:
            member.require("manage_invites")
        return self._access.role_check(member)

    def rows(self, target_id: str, new: NewInvite) -> tuple[Invite, Sequence[Entity]]:
        server_id, code = ServerId(target_id), new.code
        left = shares_of(new.max_uses)
        invite = Invite(server_id=server_id, shares=len(left) or None, **new._asdict())
        shares = [InviteShare(code=code, share=share, left=uses, ttl=new.ttl) for share, uses in enumerate(left)]
        return invite, [InviteClaim(code=code, server_id=server_id, ttl=new.ttl), *shares]

    def share(self, invite: Invite, share: int) -> Key[InviteShare]:
        return share_of(code=invite.code, share=share)

    async def companion(self, invite: Invite) -> Key[Any] | None:
        key = claim_of(code=invite.code)
        return None if await self._table.get(key) is None else key

    async def page(self, target_id: str, limit: int, cursor: str | None) -> tuple[list[Invite], str | None]:
        page = await self._table.query(invites_of(server_id=ServerId(target_id)), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def find(self, code: InviteCode) -> Invite | None:
        """Find by the claim of the code; an invite that another writer created without one, by the index."""
        claim = await self._table.get(claim_of(code=code))
        if claim is not None and claim.server_id is not None:
            return await self._table.get(invite_by_key(server_id=claim.server_id, code=code))
        return next(iter((await self._table.query(invite_in_index(code=code), limit=1)).items), None)

    async def find_target(self, invite: Invite) -> Server | None:
        """Find the server as it was within the last second; a redemption looks again."""
        server = await self._access.recent_servers.find(invite.server_id)
        return None if server is None or server.deleted_at is not None else server

    def tenant_of(self, target: Server) -> Tenant | None:
        return target.tenant

    async def ended_with_creator(self, invites: Sequence[Invite]) -> set[InviteCode]:
        creators = {invite.created_by: invite.server_id for invite in invites}
        keys = [former_membership(user_id=user_id, server_id=server_id) for user_id, server_id in creators.items()]
        former = {row.user_id: row for row in await self._table.get_many(keys, consistent=True) if row is not None}
        return {invite.code for invite in invites if _ended_with(former.get(invite.created_by), invite)}

    async def joining(self, actor: Actor, invite: Invite, target: Server, now: Instant) -> Joining[Redeemed]:
        """Return how the actor joins: all rows of the transaction are their own, so that any number can join at once.

        What ends the invite is read: a user who began to join before may still become a member.
        """
        if await self.ended_with_creator([invite]):
            raise NotFound
        server_id = target.server_id
        if await self._is_banned(server_id, actor.user_id):
            raise Banned
        reserved = await reserve_server(self._quotas, actor.user_id)
        row = ServerMembership(user_id=actor.user_id, server_id=server_id, role="member", joined_at=now)
        guards = [
            Guard(Check(banned_from(user_id=actor.user_id, server_id=server_id), when=absent()), Banned),
            Guard(reserved, CountChanged),
        ]
        if invite.created_by == actor.user_id:
            # Else a member who repeats this could return by it at the moment of their removal.
            former = former_membership(user_id=actor.user_id, server_id=server_id)
            guards.append(Guard(Check(former, when=_not_ended(invite)), NotFound))
        return Joining(row, guards, Redeemed(target, row))

    async def confirm(self, joined: Redeemed) -> bool:
        """Return whether the server still exists, whose members may all have been removed already."""
        server = await self._table.get(server_by_id(server_id=joined.server.server_id))
        if server is not None and server.deleted_at is None:
            return True
        row = joined.membership
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(row.own_key(), when=equals("joined_at", row.joined_at)), pattern=undo_join)
        return False

    async def _is_banned(self, server_id: ServerId, user_id: UserId) -> bool:
        """Return whether a user was banned by an earlier version, which wrote no row that a join can check."""
        key = ban_of(server_id=server_id, user_id=user_id)
        return (
            await self._table.get(key, consistent=False) is not None
            and await self._table.get(key, consistent=True) is not None
        )

    def scope_of(self, invite: Invite) -> str:
        return invite.server_id

    def found(self, invite: Invite, target: Server) -> InviteInfo:
        return InviteInfo(invite, target)


def _ended_with(creator: FormerMembership | None, invite: Invite) -> bool:
    """Return whether the creator was kicked or banned after creating it. Leaving does not end invites."""
    if creator is None or creator.removed_at is None:
        return False
    if invite.creator_joined_at is not None:
        return creator.removed_at > invite.creator_joined_at
    return creator.removed_at >= invite.created_at


def _not_ended(invite: Invite) -> Condition:
    """Return the opposite, as a condition on the creator's former membership."""
    if invite.creator_joined_at is not None:
        return absent_or_null("removed_at") | at_most("removed_at", invite.creator_joined_at)
    return absent_or_null("removed_at") | less("removed_at", invite.created_at)


async def reserve_server(quotas: Quotas, user_id: UserId) -> Operation:
    """Return the operation that counts one more server of a user; TooManyServers if they have the maximum."""
    reserved = await quotas.reserve("servers", user_id, servers_of(user_id=user_id), MAX_SERVERS)
    if reserved is None:
        raise TooManyServers(limit=MAX_SERVERS)
    return reserved
