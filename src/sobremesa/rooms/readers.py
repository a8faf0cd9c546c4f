"""Who may read a message, by the door of its room and the one rule of visibility: what files and others ask."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.errors import NotFound
from sobremesa.ids import MessageId, RoomId
from sobremesa.people import Actor, UserId
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.door import Door
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.visibility import may_see
from sobremesa.table import Table


class RoomReaders:
    """The doors of all kinds of room."""

    def __init__(self, table: Table, doors: Sequence[tuple[RoomKind, Door]]) -> None:
        self._table = table
        self._doors: dict[str, tuple[RoomKind, Door]] = {kind.name: (kind, door) for kind, door in doors}

    async def may_read(self, user_id: UserId, room_kind: str, room_id: str, message_id: str) -> bool:
        """Is this person inside now, and may they see this message?"""
        if room_kind not in self._doors:
            return False
        kind, door = self._doors[room_kind]
        try:
            seat = await door.enter(Actor.of_person(user_id, ""), RoomId(room_id))
        except NotFound:
            return False
        message = await find_message(kind, self._table, RoomId(room_id), MessageId(message_id))
        return message is not None and not message.deleted and may_see(seat, message)
