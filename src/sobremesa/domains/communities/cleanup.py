"""Jobs that remove the rows of deleted servers, channels and accounts.

Each is the handler of a job: it deletes what it finds and may restart at any time. The rows are invisible already.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.errors import Refusal
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.accounts.errors import OwnsServers
from sobremesa.domains.accounts.tenancy import is_person
from sobremesa.domains.communities.connections import watched_rows
from sobremesa.domains.communities.entities import (
    CHANNELS,
    FormerMembership,
    ServerId,
    ServerMembership,
    access_lists_of,
    banned_from,
    banned_from_by,
    bans_of,
    channels_of,
    claim_of,
    clean_up,
    connections_of,
    everything_in,
    former_servers_of,
    invites_of,
    members_of,
    pointer_of,
    readers_of,
    reads_of,
    server_by_id,
    servers_of,
    share_of,
    transfer_server,
)
from sobremesa.domains.communities.permissions import RANK
from sobremesa.rooms.files import Files
from sobremesa.rooms.user_data import RoomUserData
from sobremesa.table import Check, Delete, Key, Put, Table, Update, equals, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.quotas import guard_of


class Cleanup:
    """Removes the rows of deleted servers, channels and accounts."""

    def __init__(self, table: Table, files: Files) -> None:
        self._table = table
        self._user_data = RoomUserData(CHANNELS, table, files, pattern=clean_up)

    # Servers and channels

    async def clean_server(self, subject: str) -> None:
        """Remove all rows of a deleted server, its own row last since the others are found by it."""
        server_id = ServerId(subject)
        async for channel in self._table.every(channels_of(server_id=server_id)):
            # The pointer first: without it no user can send to the channel.
            await self._delete([pointer_of(room_id=channel.channel_id)])
            await self.clean_channel(channel.channel_id)
            await self._delete([channel.own_key()])
        await self._table.delete_every(access_lists_of(server_id=server_id), pattern=clean_up)
        async for invite in self._table.every(invites_of(server_id=server_id)):
            shares = [share_of(code=invite.code, share=share) for share in range(invite.shares or 0)]
            await self._delete([*shares, claim_of(code=invite.code), invite.own_key()])
        async for ban in self._table.every(bans_of(server_id=server_id)):
            await self._delete([banned_from(user_id=ban.user_id, server_id=server_id), ban.own_key()])
        await self._table.delete_every(members_of(server_id=server_id), pattern=clean_up)
        await self._delete([guard_of(quota="channels", owner_id=server_id), server_by_id(server_id=server_id)])

    async def clean_channel(self, subject: str) -> None:
        """Remove all messages of a channel, and the read positions."""
        room_id = RoomId(subject)
        await self._user_data.discard_files(room_id)
        await self._table.delete_every(everything_in(room_id=room_id), pattern=clean_up)
        await self._table.delete_every(readers_of(room_id=room_id), pattern=clean_up)
        await self._delete([guard_of(quota="pins", owner_id=room_id)])

    # Deleted accounts

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return OwnsServers while the user owns servers, which would be lost with the account."""
        owned = [server_id async for server_id in self._owned_by(user_id)]
        return OwnsServers(server_ids=owned) if owned else None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove a user from all servers, and their name from all their messages.

        Memberships first: another node may accept the token for another second, and must not write the name again.
        """
        async for row in self._table.every(servers_of(user_id=user_id)):
            await self._hand_over(row)
            await self._leave(row)
        async for former in self._table.every(former_servers_of(user_id=user_id)):
            async for channel in self._table.every(channels_of(server_id=former.server_id)):
                await self._user_data.mask(channel.channel_id, user_id)
            await self._delete([former.own_key()])
        await self._table.delete_every(reads_of(user_id=user_id), pattern=clean_up)
        await self._table.delete_every(banned_from_by(user_id=user_id), pattern=clean_up)
        await self._delete([guard_of(quota="servers", owner_id=user_id)])
        await self._disconnect(user_id)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield a user's data in communities: memberships, read positions, messages and reactions."""
        async for row in self._table.every(servers_of(user_id=user_id)):
            yield {"kind": "membership", "serverId": row.server_id, "role": row.role, "joinedAt": row.joined_at}
        async for former in self._table.every(former_servers_of(user_id=user_id)):
            yield {"kind": "formerMembership", "serverId": former.server_id, "leftAt": former.left_at}
        async for read in self._table.every(reads_of(user_id=user_id)):
            yield {"kind": "lastRead", "channelId": read.room_id, "lastReadMessageId": read.last_read_message_id}
        for server_id in await self._servers_ever(user_id):
            async for channel in self._table.every(channels_of(server_id=server_id)):
                async for line in self._user_data.export(channel.channel_id, user_id):
                    yield line

    # Internal

    async def _servers_ever(self, user_id: UserId) -> list[ServerId]:
        now = [row.server_id async for row in self._table.every(servers_of(user_id=user_id))]
        before = [row.server_id async for row in self._table.every(former_servers_of(user_id=user_id))]
        return list(dict.fromkeys([*now, *before]))

    async def _owned_by(self, user_id: UserId) -> AsyncIterator[ServerId]:
        async for row in self._table.every(servers_of(user_id=user_id)):
            server = await self._table.get(server_by_id(server_id=row.server_id))
            if server is not None and server.owner_id == user_id and server.deleted_at is None:
                yield server.server_id

    async def _hand_over(self, row: ServerMembership) -> None:
        """Give a server of the user to another member, or remove it if there is none but bots.

        An owner cannot delete their account, but the server may have become theirs after that was checked.
        """
        server = await self._table.get(server_by_id(server_id=row.server_id))
        if server is None or server.owner_id != row.user_id or server.deleted_at is not None:
            return
        members = self._table.every(members_of(server_id=row.server_id))
        others = [member async for member in members if member.user_id != row.user_id]
        for successor in sorted(others, key=lambda member: (-RANK[member.role], member.joined_at, member.user_id)):
            owned_by = set_to(owner_id=successor.user_id)
            try:
                await self._table.write(
                    server=Update(server.own_key(), owned_by, when=equals("owner_id", row.user_id)),
                    successor=Update(successor.own_key(), set_to(role="owner")),
                    user=Check(user_by_id(user_id=successor.user_id), when=is_person()),
                    pattern=transfer_server,
                )
            except ConditionFailed as failed:
                if "server" in failed:
                    return  # another transfer was first
                # The index may list a member who has just left: then it is the next one's.
            else:
                return
        await self.clean_server(row.server_id)

    async def _leave(self, row: ServerMembership) -> None:
        former = FormerMembership(user_id=row.user_id, server_id=row.server_id, left_at=row.joined_at)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(member=Delete(row.own_key()), former=Put(former), pattern=clean_up)

    async def _disconnect(self, user_id: UserId) -> None:
        async for socket in self._table.every(connections_of(user_id=user_id)):
            await self._delete([*watched_rows(socket), socket.own_key()])

    async def _delete(self, keys: Sequence[Key[Any]]) -> None:
        await self._table.write_many([Delete(key) for key in keys], pattern=clean_up)
