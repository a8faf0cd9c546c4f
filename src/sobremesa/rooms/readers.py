"""Who may read a room, by its kind's own door: what everything else asks that shows what was said there."""

from __future__ import annotations

from collections.abc import Mapping

from sobremesa.errors import NotFound
from sobremesa.ids import RoomId
from sobremesa.people import Actor, UserId
from sobremesa.rooms.door import Door


class RoomReaders:
    """The doors of all kinds of room."""

    def __init__(self, doors: Mapping[str, Door]) -> None:
        self._doors = doors

    async def may_read(self, user_id: UserId, room_kind: str, room_id: str) -> bool:
        """Is this person inside now, with the right to read?"""
        door = self._doors.get(room_kind)
        if door is None:
            return False
        try:
            seat = await door.enter(Actor.of_person(user_id, ""), RoomId(room_id))
        except NotFound:
            return False
        return "read" in seat.rights
