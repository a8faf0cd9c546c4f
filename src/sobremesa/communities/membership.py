"""Members, bans and invites: who comes into a server, who goes, and who may not come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from sobremesa.accounts.audit import Audit
from sobremesa.accounts.entities import user_by_id
from sobremesa.clock import Clock, Instant, instant
from sobremesa.codes import InviteCode, new_code
from sobremesa.communities.access import Access, Member, true_role
from sobremesa.communities.entities import (
    Ban,
    Connection,
    FormerMembership,
    Invite,
    InviteClaim,
    Server,
    ServerId,
    ServerMembership,
    ban_member,
    ban_of,
    bans_of,
    change_role,
    claim_of,
    connections_of,
    create_invite,
    drop_connections,
    invite_by_key,
    invite_in_index,
    invites_of,
    lift_ban,
    members_of,
    membership,
    redeem_invite,
    remove_member,
    revoke_invite,
    server_by_id,
    servers_of,
    transfer_server,
)
from sobremesa.communities.errors import (
    AlreadyMember,
    Banned,
    ChangedMeanwhile,
    InviteUsedUp,
    OwnerStays,
    RankTooLow,
    TooManyServers,
)
from sobremesa.communities.permissions import Role, outranks
from sobremesa.communities.service import MAX_SERVERS
from sobremesa.errors import NotFound, Unauthenticated
from sobremesa.idempotency import Idempotency
from sobremesa.people import Actor, UserId
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Put,
    Table,
    Update,
    absent,
    absent_or_null,
    add,
    attribute,
    differs,
    equals,
    greater,
    less,
    one_of,
    present,
    set_to,
)
from sobremesa.table.errors import ConditionFailed


class Redeemed(NamedTuple):
    """The server that an invite led to, and the place in it."""

    server: Server
    membership: ServerMembership


class InviteInfo(NamedTuple):
    """An invite, and the server that it leads to."""

    invite: Invite
    server: Server


class Membership:
    """Members, bans and invites of servers."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit, idempotency: Idempotency) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit
        self._idempotency = idempotency

    # Members

    async def list_members(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ServerMembership], str | None]:
        """Who is in a server that one is in; the owner's role is the server's own word."""
        member = await self._access.require_member(actor, server_id)
        page = await self._table.query(members_of(server_id=server_id), limit=limit, cursor=cursor)
        return [_with_true_role(place, member.server) for place in page.items], page.cursor

    async def get_member(self, actor: Actor, server_id: ServerId, user_id: UserId) -> ServerMembership:
        """Somebody in a server that one is in."""
        member = await self._access.require_member(actor, server_id)
        place = await self._table.get(membership(user_id=user_id, server_id=server_id))
        if place is None:
            raise NotFound
        return _with_true_role(place, member.server)

    async def change_role(self, actor: Actor, server_id: ServerId, user_id: UserId, *, role: Role) -> ServerMembership:
        """Give a member another role: those below oneself, and only roles below one's own."""
        member = await self._access.require_member(actor, server_id, "manage_roles")
        seen = await self._require_below(member, user_id)
        if not outranks(member.role, role):
            raise RankTooLow

        details = {"from": seen, "to": role}
        try:
            await self._table.write(
                Update(membership(user_id=user_id, server_id=server_id), set_to(role=role), when=equals("role", seen)),
                self._access.still(member),
                self._audit.entry(server_id, actor, "member.role", target=user_id, details=details),
                pattern=change_role,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self.get_member(actor, server_id, user_id)

    async def remove(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Leave, or take somebody of a lower role out of the server."""
        if user_id == actor.user_id:
            await self._leave(actor, server_id)
            return
        member = await self._access.require_member(actor, server_id, "remove_members")
        await self._require_below(member, user_id)

        try:
            await self._table.write(
                *self._removal(server_id, user_id, when=one_of("role", _roles_below(member.role))),
                self._access.still(member),
                self._audit.entry(server_id, actor, "member.kick", target=user_id),
                pattern=remove_member,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None
        await self._drop_connections(server_id, user_id)

    async def transfer(self, actor: Actor, server_id: ServerId, user_id: UserId) -> Server:
        """Hand the server to another member; who owned it becomes an admin."""
        member = await self._access.require_member(actor, server_id, "transfer")
        if user_id == actor.user_id:
            return member.server

        now = instant(self._clock.now_ms())
        try:
            await self._table.write(
                Update(
                    server_by_id(server_id=server_id),
                    set_to(owner_id=user_id, updated_at=now),
                    when=equals("owner_id", actor.user_id) & absent_or_null("deleted_at"),
                ),
                Update(membership(user_id=user_id, server_id=server_id), set_to(role="owner")),
                Update(membership(user_id=actor.user_id, server_id=server_id), set_to(role="admin")),
                Check(user_by_id(user_id=user_id), when=absent_or_null("deleted_at")),
                self._audit.entry(server_id, actor, "server.transfer", target=user_id),
                pattern=transfer_server,
            )
        except ConditionFailed as failed:
            if failed.at(1) or failed.at(3):
                raise NotFound("They are not in this server.") from None
            raise ChangedMeanwhile from None

        server = await self._table.get(server_by_id(server_id=server_id))
        return member.server if server is None else server

    # Bans

    async def list_bans(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Ban], str | None]:
        """Who may not come back."""
        await self._access.require_member(actor, server_id, "remove_members")
        page = await self._table.query(bans_of(server_id=server_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def ban(self, actor: Actor, server_id: ServerId, user_id: UserId, *, reason: str | None = None) -> Ban:
        """Take somebody out for good, or keep a stranger out. Banning again gives the first ban."""
        member = await self._access.require_member(actor, server_id, "remove_members")
        if user_id == actor.user_id:
            raise RankTooLow
        role = await self._access.find_role(member.server, user_id)
        if role is not None and not outranks(member.role, role):
            raise RankTooLow

        now = instant(self._clock.now_ms())
        ban = Ban(server_id=server_id, user_id=user_id, banned_by=actor.user_id, reason=reason, created_at=now)
        try:
            await self._table.write(
                Create(ban),
                *self._way_out(server_id, user_id, role, member.role),
                self._access.still(member),
                self._audit.entry(server_id, actor, "member.ban", target=user_id),
                pattern=ban_member,
            )
        except ConditionFailed as failed:
            if not failed.at(0):
                raise ChangedMeanwhile from None
            ban = await self._table.get(ban_of(server_id=server_id, user_id=user_id)) or ban
        await self._drop_connections(server_id, user_id)

        return ban

    async def lift_ban(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Let somebody come back, by an invite."""
        member = await self._access.require_member(actor, server_id, "remove_members")

        try:
            await self._table.write(
                Delete(ban_of(server_id=server_id, user_id=user_id)),
                self._access.still(member),
                self._audit.entry(server_id, actor, "member.unban", target=user_id),
                pattern=lift_ban,
            )
        except ConditionFailed:
            raise NotFound from None

    # Invites

    async def create_invite(
        self,
        actor: Actor,
        server_id: ServerId,
        *,
        max_uses: int | None = None,
        expires_in_seconds: int | None = None,
        key: str | None = None,
    ) -> Invite:
        """Make a code that lets people in, so often and for so long."""
        member = await self._access.require_member(actor, server_id, "invite")

        now_ms = self._clock.now_ms()
        code = new_code()
        ends_ms = None if expires_in_seconds is None else now_ms + expires_in_seconds * 1000
        invite = Invite(
            server_id=server_id,
            code=code,
            created_by=actor.user_id,
            expires_at=None if ends_ms is None else instant(ends_ms),
            max_uses=max_uses,
            created_at=instant(now_ms),
            # Rounded up: the time in the row decides to the millisecond, this one only takes it away.
            ttl=None if ends_ms is None else -(-ends_ms // 1000),
        )
        claim = self._idempotency.claim(actor, key, "invite", [server_id, max_uses, expires_in_seconds])
        try:
            await self._table.write(
                Create(invite),
                Create(InviteClaim(code=code, server_id=server_id, ttl=invite.ttl)),
                Check(member.server.own_key(), when=present() & absent_or_null("deleted_at")),
                *claim.operations(code),
                pattern=create_invite,
            )
        except ConditionFailed as failed:
            made = await claim.made(failed)
            if made is None:
                raise NotFound from None
            return (await self.get_invite(actor, InviteCode(made))).invite

        return invite

    async def list_invites(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Invite], str | None]:
        """The invites of a server that can still be used."""
        await self._access.require_member(actor, server_id, "manage_invites")
        page = await self._table.query(invites_of(server_id=server_id), limit=limit, cursor=cursor)
        return [invite for invite in page.items if self._is_open(invite)], page.cursor

    async def get_invite(self, actor: Actor, code: InviteCode) -> InviteInfo:
        """What a code leads to; whoever has it may know."""
        info = await self._look_at(actor, code)
        if not self._is_open(info.invite):
            raise NotFound
        return info

    async def _look_at(self, actor: Actor, code: InviteCode) -> InviteInfo:
        """What a code leads to, or has led to until it was used up; NotFound if it leads nowhere any more."""
        invite = await self._find_invite(code)
        if invite is None or invite.revoked or self._is_over(invite):
            raise NotFound
        server = await self._table.get(server_by_id(server_id=invite.server_id))
        if server is None or server.deleted_at is not None:
            raise NotFound
        return InviteInfo(invite, server)

    async def redeem(self, actor: Actor, code: InviteCode) -> Redeemed:
        """Come in by an invite: one transaction, in which one use goes and one member comes."""
        invite, server = await self._look_at(actor, code)
        joined = await self._table.count(servers_of(user_id=actor.user_id), at_most=MAX_SERVERS)
        if joined.count >= MAX_SERVERS:
            raise TooManyServers(limit=MAX_SERVERS)

        now = instant(self._clock.now_ms())
        place = ServerMembership(user_id=actor.user_id, server_id=server.server_id, role="member", joined_at=now)
        try:
            await self._table.write(
                Create(place),
                Check(ban_of(server_id=server.server_id, user_id=actor.user_id), when=absent()),
                Update(invite.own_key(), add(uses=1), when=self._may_be_used(now)),
                Check(server.own_key(), when=present() & absent_or_null("deleted_at")),
                Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")),
                pattern=redeem_invite,
            )
        except ConditionFailed as failed:
            raise _why_not_in(failed) from None

        return Redeemed(server, place)

    async def revoke_invite(self, actor: Actor, code: InviteCode) -> None:
        """Make a code useless: one's own, or with the right to manage them anybody's."""
        invite = await self._find_invite(code)
        if invite is None:
            raise NotFound
        member = await self._access.require_member(actor, invite.server_id)
        if invite.created_by != actor.user_id:
            member.require("manage_invites")

        operations: list[Operation] = [
            Delete(invite.own_key()),
            self._access.still(member),
            self._audit.entry(invite.server_id, actor, "invite.revoke", target=code),
        ]
        if await self._table.get(claim_of(code=code)) is not None:
            operations.append(Delete(claim_of(code=code)))
        try:
            await self._table.write(*operations, pattern=revoke_invite)
        except ConditionFailed:
            raise NotFound from None

    # Inside

    async def _leave(self, actor: Actor, server_id: ServerId) -> None:
        member = await self._access.require_member(actor, server_id)
        if member.role == "owner":
            raise OwnerStays

        try:
            await self._table.write(
                *self._removal(server_id, actor.user_id, when=differs("role", "owner")),
                Check(server_by_id(server_id=server_id), when=differs("owner_id", actor.user_id)),
                pattern=remove_member,
            )
        except ConditionFailed as failed:
            if failed.at(2):
                raise OwnerStays from None
            raise NotFound from None
        await self._drop_connections(server_id, actor.user_id)

    async def _require_below(self, member: Member, user_id: UserId) -> Role:
        """Somebody's role, which must be below the member's own."""
        role = await self._access.find_role(member.server, user_id)
        if role is None:
            raise NotFound
        if not outranks(member.role, role):
            raise RankTooLow
        return role

    def _removal(self, server_id: ServerId, user_id: UserId, *, when: Condition) -> tuple[Operation, Operation]:
        now = instant(self._clock.now_ms())
        return (
            Delete(membership(user_id=user_id, server_id=server_id), when=when),
            Put(FormerMembership(user_id=user_id, server_id=server_id, left_at=now)),
        )

    def _way_out(self, server_id: ServerId, user_id: UserId, role: Role | None, by: Role) -> Sequence[Operation]:
        """What takes a banned person out, who must not come in at this very moment if they are outside."""
        if role is None:
            return (Check(membership(user_id=user_id, server_id=server_id), when=absent()),)
        return self._removal(server_id, user_id, when=one_of("role", _roles_below(by)))

    async def _drop_connections(self, server_id: ServerId, user_id: UserId) -> None:
        """Forget the sockets with which somebody looks at channels of this server."""
        sockets = [socket async for socket in self._table.every(connections_of(user_id=user_id))]
        gone = [
            Delete(Connection.key(room_id=socket.channel_id, connection_id=socket.connection_id))
            for socket in sockets
            if socket.server_id == server_id and socket.channel_id is not None
        ]
        if gone:
            await self._table.write_many(gone, pattern=drop_connections)

    async def _find_invite(self, code: InviteCode) -> Invite | None:
        """The invite of a code, by its claim; one that another writer made without a claim, by the index."""
        claim = await self._table.get(claim_of(code=code))
        if claim is not None and claim.server_id is not None:
            return await self._table.get(invite_by_key(server_id=claim.server_id, code=code))
        return next(iter((await self._table.query(invite_in_index(code=code), limit=1)).items), None)

    def _is_open(self, invite: Invite) -> bool:
        if invite.revoked or (invite.max_uses is not None and invite.uses >= invite.max_uses):
            return False
        return not self._is_over(invite)

    def _is_over(self, invite: Invite) -> bool:
        return invite.expires_at is not None and invite.expires_at <= instant(self._clock.now_ms())

    def _may_be_used(self, now: Instant) -> Condition:
        """The rule of an invite, at the moment of its use."""
        return (
            (absent_or_null("expires_at") | greater("expires_at", now))
            & (absent_or_null("max_uses") | less("uses", attribute("max_uses")))
            & differs("revoked", True)
        )


_PLACE, _BAN, _INVITE, _SERVER, _PERSON = range(5)
"""Places among the operations of redeeming."""


def _why_not_in(failed: ConditionFailed) -> Exception:
    if failed.at(_PLACE):
        return AlreadyMember()
    if failed.at(_BAN):
        return Banned()
    if failed.at(_PERSON):
        return Unauthenticated()
    return NotFound() if failed.at(_SERVER) else InviteUsedUp()


def _roles_below(role: Role) -> tuple[Role, ...]:
    roles: tuple[Role, ...] = ("owner", "admin", "moderator", "member")
    return tuple(other for other in roles if outranks(role, other))


def _with_true_role(place: ServerMembership, server: Server) -> ServerMembership:
    return msgspec.structs.replace(place, role=true_role(place, server))
