"""Read access to messages of any kind of room, for attachments and others outside of rooms."""

from __future__ import annotations

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.access import RoomAccess
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.visibility import is_withheld, may_see
from sobremesa.table import Table


class RoomReaders:
    """Decides who may read messages, in all kinds of room."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._accesses: dict[str, tuple[RoomKind, RoomAccess]] = {}

    def add(self, kind: RoomKind, access: RoomAccess) -> None:
        """Register a kind of room."""
        self._accesses[kind.name] = kind, access

    async def may_read(self, user_id: UserId, room_kind: str, room_id: str, message_id: str | None) -> bool:
        """Return whether a user may see a message of a room, or the room itself if there is no message."""
        if room_kind not in self._accesses:
            return False
        kind, access = self._accesses[room_kind]
        try:
            seat = await access.authorize(Actor.of_user(user_id, ""), RoomId(room_id))
        except NotFound:
            return False
        if message_id is None:
            return "read" in seat.rights
        message = await find_message(kind, self._table, RoomId(room_id), MessageId(message_id))
        return message is not None and not message.deleted and may_see(seat, message)

    async def is_visible_to_all(self, room_kind: str, room_id: str, message_id: str) -> bool:
        """Return whether all users in the room may see a message: not if moderation may withhold it."""
        kind, _ = self._accesses[room_kind]
        message = await find_message(kind, self._table, RoomId(room_id), MessageId(message_id))
        return message is not None and not message.deleted and not is_withheld(message, safe_mode=True)
