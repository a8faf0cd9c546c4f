"""What imports of messages need of channels, and the members of an imported server."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.communities.entities import (
    CHANNELS,
    ChannelPointer,
    FormerMembership,
    ServerId,
    ServerMembership,
    add_imported_member,
    ban_of,
    membership,
    note_authors,
    pointer_of,
    server_by_id,
)
from sobremesa.domains.communities.invites import reserve_server
from sobremesa.rooms.importing import ImportRoom
from sobremesa.table import Check, Create, Table, absent, absent_or_null, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.quotas import Quotas

WRITES_AT_ONCE = 8


class ChannelImports:
    """Rooms of imports: channels."""

    kind = CHANNELS

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._quotas = Quotas(table, clock)

    async def find_room(self, room_id: RoomId) -> ImportRoom | None:
        pointer = await self._table.get(pointer_of(room_id=room_id))
        server = None if pointer is None else await self._table.get(server_by_id(server_id=pointer.server_id))
        if server is None or server.deleted_at is not None:
            return None
        return ImportRoom(self.kind, room_id, server.tenant or DEFAULT_TENANT)

    async def note_authors(self, room_id: RoomId, user_ids: Sequence[UserId]) -> None:
        pointer: ChannelPointer | None = await self._table.get(pointer_of(room_id=room_id))
        if pointer is None:
            raise NotFound
        server_id = pointer.server_id
        found = await self._table.get_many([membership(user_id=each, server_id=server_id) for each in user_ids])
        members = {row.user_id for row in found if row is not None}
        strangers = [user_id for user_id in user_ids if user_id not in members]
        await gather_bounded(WRITES_AT_ONCE, partial(self._note, server_id), strangers)

    async def moved(self, room_id: RoomId) -> None:
        pass

    async def add_members(self, server_id: ServerId, user_ids: Sequence[UserId]) -> None:
        """Make users members of a server, unless they are banned there or are members already."""
        await gather_bounded(WRITES_AT_ONCE, partial(self._add_member, server_id), user_ids)

    async def _note(self, server_id: ServerId, user_id: UserId) -> None:
        former = FormerMembership(user_id=user_id, server_id=server_id, left_at=self._clock.now())
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Create(former), pattern=note_authors)

    async def _add_member(self, server_id: ServerId, user_id: UserId) -> None:
        if await self._table.get(membership(user_id=user_id, server_id=server_id)) is not None:
            return
        with contextlib.suppress(ConditionFailed):
            await self._quotas.create(
                partial(reserve_server, self._quotas, user_id),
                member=Create(ServerMembership(user_id=user_id, server_id=server_id, joined_at=self._clock.now())),
                server=Check(server_by_id(server_id=server_id), when=present() & absent_or_null("deleted_at")),
                ban=Check(ban_of(server_id=server_id, user_id=user_id), when=absent()),
                user=Check(user_by_id(user_id=user_id), when=present() & absent_or_null("deleted_at")),
                pattern=add_imported_member,
            )
