"""Private channels: the access list of a channel, by roles and users.

A channel without a list is seen by every member. From the first list on, the channel has a row with its list, and a
topic of its own for events, until it is deleted; making it public again empties the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, UnknownUsers
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access, Member
from sobremesa.domains.communities.entities import (
    ChannelAccess,
    ChannelId,
    ChannelPointer,
    Server,
    ServerId,
    access_of,
    change_access,
    channel_by_key,
    membership,
    server_by_id,
)
from sobremesa.domains.communities.permissions import Role
from sobremesa.table import (
    Condition,
    Create,
    Key,
    Operation,
    Put,
    Table,
    Update,
    absent_or_null,
    equals,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

MAX_USERS = 100
"""How many users an access list may name; more belong into a role."""


class AccessList(NamedTuple):
    """The roles and users who see a private channel, besides those who manage channels."""

    roles: Sequence[Role] = ()
    user_ids: Sequence[UserId] = ()


class Privacy:
    """Makes channels private and public."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, access: Access, audit: Audit) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._access = access
        self._audit = audit

    async def find(self, actor: Actor, channel_id: ChannelId) -> AccessList | None:
        """Return the access list of a channel, with its current members; None if the channel is public."""
        member, pointer = await self._access.channel_of(actor, channel_id, "manage_channels")
        row = None if pointer.access is None else await self._table.get(_key(member, channel_id))
        if row is None or not row.is_private:
            return None
        there = await self._members_among(member.server.server_id, row.user_ids or [])
        return AccessList(row.roles or [], [user_id for user_id in row.user_ids or [] if user_id in there])

    async def change(self, actor: Actor, channel_id: ChannelId, wanted: AccessList | None) -> AccessList | None:
        """Set the access list of a channel; None makes it public. UnknownUsers if it names users who are no members."""
        member, pointer = await self._access.channel_of(actor, channel_id, "manage_channels")
        before = None if pointer.access is None else await self._table.get(_key(member, channel_id))
        if wanted is None and (before is None or not before.is_private):
            return None
        wanted = None if wanted is None else await self._checked(member, wanted)
        row = self.new_row(member, channel_id, wanted, was_public=before is None or not before.is_private)

        try:
            await self._write(member, pointer, before, row)
        except ConditionFailed:
            raise ChangedMeanwhile from None
        return wanted

    async def new_list(self, member: Member, channel_id: ChannelId, wanted: AccessList) -> ChannelAccess:
        """Return the access list of a channel that is about to be created; UnknownUsers as for a change."""
        return self.new_row(member, channel_id, await self._checked(member, wanted), was_public=False)

    def new_row(
        self, member: Member, channel_id: ChannelId, wanted: AccessList | None, *, was_public: bool
    ) -> ChannelAccess:
        return ChannelAccess(
            server_id=member.server.server_id,
            channel_id=channel_id,
            version=self._ids.mint(),
            roles=None if wanted is None else list(wanted.roles),
            user_ids=None if wanted is None else list(wanted.user_ids),
            was_public=was_public,
            updated_at=self._clock.now(),
        )

    async def _write(
        self, member: Member, pointer: ChannelPointer, before: ChannelAccess | None, row: ChannelAccess
    ) -> None:
        server_id, channel_id = row.server_id, row.channel_id
        is_same: Condition = absent_or_null("access") if before is None else equals("access", before.version)
        details = {"private": "true" if row.is_private else "false"}
        await self._table.write(
            access=Create(row) if before is None else Put(row, when=equals("version", before.version)),
            pointer=Update(pointer.own_key(), set_to(access=row.version), when=is_same),
            channel=Update(
                channel_by_key(server_id=server_id, channel_id=channel_id),
                set_to(private=row.is_private, updated_at=row.updated_at),
            ),
            server=server_with_lists(member.server, row.version),
            actor=self._access.role_check(member),
            audit=self._audit.entry(server_id, member.actor, "channel.access", target=channel_id, details=details),
            pattern=change_access,
        )

    async def _checked(self, member: Member, wanted: AccessList) -> AccessList:
        """Return the list without repetitions; UnknownUsers if it names users who are not members of the server."""
        user_ids = list(dict.fromkeys(wanted.user_ids))
        there = await self._members_among(member.server.server_id, user_ids)
        unknown = [user_id for user_id in user_ids if user_id not in there]
        if unknown:
            raise UnknownUsers("Some of these users are not members of the server.", user_ids=unknown)
        return AccessList(list(dict.fromkeys(wanted.roles)), user_ids)

    async def _members_among(self, server_id: ServerId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [membership(user_id=user_id, server_id=server_id) for user_id in user_ids]
        return {row.user_id for row in await self._table.get_many(keys, consistent=True) if row is not None}


def server_with_lists(server: Server, version: str) -> Operation:
    """Return the operation on the server of a channel with an access list, with a new version of its channels."""
    key = server_by_id(server_id=server.server_id)
    return Update(key, set_to(has_access_lists=True, channels_version=version), when=absent_or_null("deleted_at"))


def _key(member: Member, channel_id: ChannelId) -> Key[ChannelAccess]:
    return access_of(server_id=member.server.server_id, channel_id=channel_id)
