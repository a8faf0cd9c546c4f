"""Members and bans of servers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from sobremesa.core.actor import Actor, PersonRequired, UserId
from sobremesa.core.clock import Clock, Instant, instant, lenient_ms
from sobremesa.core.errors import ChangedMeanwhile, NotFound, RankTooLow, UnknownUsers
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.accounts.tenancy import belongs_to, exists_in, is_person
from sobremesa.domains.communities.access import Access, Member, has_role, with_true_role
from sobremesa.domains.communities.entities import (
    Ban,
    BannedFrom,
    ChannelId,
    Server,
    ServerId,
    ServerMembership,
    access_of,
    add_member,
    ban_member,
    ban_of,
    banned_from,
    bans_of,
    change_role,
    former_membership,
    lift_ban,
    members_of,
    membership,
    remove_member,
    server_by_id,
    servers_of,
    transfer_server,
)
from sobremesa.domains.communities.errors import Banned, OwnerCannotLeave
from sobremesa.domains.communities.invites import reserve_server
from sobremesa.domains.communities.permissions import Role, outranks
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Put,
    Table,
    Update,
    Upsert,
    absent,
    absent_or_null,
    always,
    differs,
    equals,
    less_if_present,
    one_of,
    present,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Action
from sobremesa.work.quotas import Quotas


class Added(NamedTuple):
    """A membership, and whether it is new."""

    row: ServerMembership
    created: bool


class Members:
    """The members and bans of servers."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit, quotas: Quotas) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit
        self._quotas = quotas

    # Members

    async def add(self, actor: Actor, server_id: ServerId, user_id: UserId, *, role: Role = "member") -> Added:
        """Add a user to a server of the actor's tenant, for the product's backend. A member stays as they are.

        NotFound unless the server and the user are of this tenant, Banned if the user is banned.
        """
        actor.require_scope("rooms:write")
        server = await self._access.require_server(actor, server_id)
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or not belongs_to(user, actor.tenant):
            raise NotFound
        row = ServerMembership(user_id=user_id, server_id=server_id, role=role, joined_at=self._clock.now())

        details = {"role": role}
        try:
            await self._quotas.create(
                partial(reserve_server, self._quotas, user_id),
                member=Create(row),
                ban=Check(ban_of(server_id=server_id, user_id=user_id), when=absent()),
                server=Check(server.own_key(), when=present() & absent_or_null("deleted_at")),
                user=Check(user.own_key(), when=absent_or_null("deleted_at")),
                audit=self._audit.entry(server_id, actor, "member.add", target=user_id, details=details),
                pattern=add_member,
            )
        except ConditionFailed as failed:
            if "ban" in failed:
                raise Banned("This user is banned from the server.") from None
            existing = await self._table.get(row.own_key(), consistent=True)
            if existing is None:
                raise NotFound from None
            return Added(with_true_role(existing, server), False)

        return Added(row, True)

    async def list_members(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ServerMembership], str | None]:
        """Return a page of the members of a server. The server row determines who is the owner."""
        actor = actor.or_system("rooms:read")
        member = await self._access.require_member(actor, server_id)
        page = await self._table.query(members_of(server_id=server_id), limit=limit, cursor=cursor)
        return [with_true_role(row, member.server) for row in page.items], page.cursor

    async def list_in_channel(
        self, actor: Actor, channel_id: ChannelId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ServerMembership], str | None]:
        """Return a page of the members of a server who see a channel."""
        member, pointer = await self._access.channel_of(actor, channel_id)
        page = await self._table.query(members_of(server_id=pointer.server_id), limit=limit, cursor=cursor)
        rows = [with_true_role(row, member.server) for row in page.items]
        if pointer.access is None:
            return rows, page.cursor
        access = await self._table.get(access_of(server_id=pointer.server_id, channel_id=channel_id))
        return [row for row in rows if access is not None and access.allows(row.user_id, row.role)], page.cursor

    async def get(self, actor: Actor, server_id: ServerId, user_id: UserId) -> ServerMembership:
        """Return a member of a server that the actor is in."""
        actor = actor.or_system("rooms:read", "rooms:write")
        member = await self._access.require_member(actor, server_id)
        row = await self._table.get(membership(user_id=user_id, server_id=server_id))
        if row is None:
            raise NotFound
        return with_true_role(row, member.server)

    async def share_server(self, one: UserId, other: UserId) -> bool:
        """Return whether two users are members of the same server."""
        async for row in self._table.every(servers_of(user_id=one)):
            server_id = row.server_id
            theirs, server = await self._table.get_pair(
                membership(user_id=other, server_id=server_id), server_by_id(server_id=server_id), consistent=True
            )
            if theirs is not None and server is not None and server.deleted_at is None:
                return True
        return False

    async def change_role(self, actor: Actor, server_id: ServerId, user_id: UserId, *, role: Role) -> ServerMembership:
        """Change the role of a member. Both their old and their new role must be below the actor's."""
        actor = actor.or_system("rooms:write")
        member = await self._access.require_member(actor, server_id, "manage_roles")
        seen = (await self._require_below(member, user_id)).role
        if not outranks(member.role, role):
            raise RankTooLow

        details = {"from": seen, "to": role}
        try:
            await self._table.write(
                member=Update(membership(user_id=user_id, server_id=server_id), set_to(role=role), when=has_role(seen)),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "member.role", target=user_id, details=details),
                pattern=change_role,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self.get(actor, server_id, user_id)

    async def remove(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Leave a server, or remove a member with a lower role."""
        actor = actor.or_system("rooms:write")
        if user_id == actor.user_id:
            await self._leave(actor, server_id)
            return
        member = await self._access.require_member(actor, server_id, "remove_members")
        row = await self._require_below(member, user_id)

        try:
            await self._table.write(
                removal=self._removal(row, when=_is_below(member.role)),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "member.kick", target=user_id),
                pattern=remove_member,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

    async def transfer(self, actor: Actor, server_id: ServerId, user_id: UserId) -> Server:
        """Transfer the server to another member, not to a bot. The previous owner becomes an admin."""
        member = await self._access.require_member(actor, server_id, "transfer")
        if user_id == actor.user_id:
            return member.server

        now = self._clock.now()
        try:
            await self._table.write(
                server=Update(
                    server_by_id(server_id=server_id),
                    set_to(owner_id=user_id, updated_at=now),
                    when=equals("owner_id", actor.user_id) & absent_or_null("deleted_at"),
                ),
                new_owner=Update(membership(user_id=user_id, server_id=server_id), set_to(role="owner")),
                old_owner=Update(membership(user_id=actor.user_id, server_id=server_id), set_to(role="admin")),
                user=Check(user_by_id(user_id=user_id), when=absent_or_null("deleted_at") & is_person()),
                audit=self._audit.entry(server_id, actor, "server.transfer", target=user_id),
                pattern=transfer_server,
            )
        except ConditionFailed as failed:
            if "new_owner" in failed or "user" in failed:
                # Every member is of the server's tenant, so only the refusal depends on the user's.
                user = await self._table.get(user_by_id(user_id=user_id))
                if not belongs_to(user, actor.tenant):
                    raise UnknownUsers(user_ids=[user_id]) from None
                if user is not None and user.is_bot:
                    raise PersonRequired("A bot cannot own a server.") from None
                raise NotFound("This user is not a member of the server.") from None
            raise ChangedMeanwhile from None

        server = await self._table.get(server_by_id(server_id=server_id))
        return member.server if server is None else server

    # Bans

    async def list_bans(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Ban], str | None]:
        """Return a page of the bans of a server."""
        await self._access.require_member(actor, server_id, "remove_members")
        page = await self._table.query(bans_of(server_id=server_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def ban(self, actor: Actor, server_id: ServerId, user_id: UserId, *, reason: str | None = None) -> Ban:
        """Ban a user, and remove them if they are a member. Banning again returns the first ban.

        NotFound unless the user is a member, or at least exists in the actor's tenant.
        """
        member = await self._access.require_member(actor, server_id, "remove_members")
        if user_id == actor.user_id:
            raise RankTooLow
        row = await self._access.find_membership(member.server, user_id)
        if row is not None and not outranks(member.role, row.role):
            raise RankTooLow

        now = self._clock.now()
        ban = Ban(server_id=server_id, user_id=user_id, banned_by=actor.user_id, reason=reason, created_at=now)
        try:
            await self._table.write(
                ban=Create(ban),
                mark=Put(BannedFrom(user_id=user_id, server_id=server_id)),
                removal=self._ban_removal(server_id, user_id, row, member.role),
                user=Check(user_by_id(user_id=user_id), when=exists_in(actor.tenant)) if row is None else None,
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "member.ban", target=user_id),
                pattern=ban_member,
            )
        except ConditionFailed as failed:
            if "ban" not in failed:
                raise (NotFound if "user" in failed else ChangedMeanwhile) from None
            ban = await self._table.get(ban_of(server_id=server_id, user_id=user_id)) or ban

        return ban

    async def lift_ban(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Lift a ban. The user can join again by an invite."""
        member = await self._access.require_member(actor, server_id, "remove_members")

        try:
            await self._table.write(
                ban=Delete(ban_of(server_id=server_id, user_id=user_id)),
                mark=Delete(banned_from(user_id=user_id, server_id=server_id), when=always()),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "member.unban", target=user_id),
                pattern=lift_ban,
            )
        except ConditionFailed:
            raise NotFound from None

    # Internal

    async def _leave(self, actor: Actor, server_id: ServerId) -> None:
        member = await self._access.require_member(actor, server_id)
        if member.role == "owner":
            raise OwnerCannotLeave

        left = set_to(left_at=self._clock.now())
        try:
            await self._table.write(
                removal=self._end(server_id, actor.user_id, left, when=differs("role", "owner")),
                server=Check(server_by_id(server_id=server_id), when=differs("owner_id", actor.user_id)),
                pattern=remove_member,
            )
        except ConditionFailed as failed:
            if "server" in failed:
                raise OwnerCannotLeave from None
            raise NotFound from None

    async def _require_below(self, member: Member, user_id: UserId) -> ServerMembership:
        """Return a user's membership; RankTooLow unless its role is below the member's."""
        row = await self._access.find_membership(member.server, user_id)
        if row is None:
            raise NotFound
        if not outranks(member.role, row.role):
            raise RankTooLow
        return row

    def _removal(self, row: ServerMembership, *, when: Condition) -> tuple[Operation, Operation]:
        """Return the operations with which others end a membership, and so the invites that it created.

        Those are recognized by their membership's start, so the end that is recorded must be later, whatever the clocks
        of two nodes show, and also if both are in the same millisecond.
        """
        at = max(self._clock.now(), _just_after(row.joined_at))
        left = set_to(left_at=at, removed_at=at)
        return self._end(row.server_id, row.user_id, left, when=when & less_if_present("joined_at", at))

    def _end(
        self, server_id: ServerId, user_id: UserId, left: tuple[Action, ...], when: Condition
    ) -> tuple[Operation, Operation]:
        return (
            Delete(membership(user_id=user_id, server_id=server_id), when=when),
            Upsert(former_membership(user_id=user_id, server_id=server_id), left),
        )

    def _ban_removal(
        self, server_id: ServerId, user_id: UserId, row: ServerMembership | None, by: Role
    ) -> Sequence[Operation]:
        """Return the operations that remove a banned user, or check that they are not joining at the same time."""
        if row is None:
            return (Check(membership(user_id=user_id, server_id=server_id), when=absent()),)
        return self._removal(row, when=_is_below(by))


def _just_after(moment: Instant) -> Instant:
    """Return the next moment; another writer may have stored this one in any format."""
    return instant((lenient_ms(moment) or 0) + 1)


def _is_below(role: Role) -> Condition:
    """Return the condition that a membership has a lower role; a row without one has the role member."""
    roles: tuple[Role, ...] = ("owner", "admin", "moderator", "member")
    return one_of("role", [other for other in roles if outranks(role, other)]) | absent_or_null("role")
