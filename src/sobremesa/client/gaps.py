"""Fetches what a `gap` names: the messages that were missed and are no longer delivered as events."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from sobremesa.client.errors import ApiError
from sobremesa.client.frames import Event
from sobremesa.client.models import Message, Model, Room, RoomKind
from sobremesa.client.transport import Transport

PAGE = 100


class MissedRoom(Model, frozen=True):
    """A room with messages after one and up to another."""

    room_kind: RoomKind
    room_id: str
    after: str
    until: str


class Gap(Model, frozen=True):
    """The payload of `gap`."""

    rooms: list[MissedRoom]


class _Page(msgspec.Struct, frozen=True):
    items: list[Message]
    next: str | None = None


async def missed_messages(transport: Transport, gap: Event) -> AsyncIterator[Message]:
    """Yield the messages that a gap names, room by room, oldest first."""
    for missed in msgspec.convert(gap.d, Gap).rooms:
        try:
            async for message in _messages_of(transport, missed):
                yield message
        except ApiError as error:
            if error.status != 404:  # the room was deleted, or the user removed from it, meanwhile
                raise


async def _messages_of(transport: Transport, missed: MissedRoom) -> AsyncIterator[Message]:
    path = f"{Room(missed.room_kind, missed.room_id).path}/messages"
    query: dict[str, str | int] = {"limit": PAGE, "after": missed.after}
    while True:
        reply = await transport.send("GET", path, query=query)
        page = msgspec.json.decode(reply.body, type=_Page)
        for message in page.items:
            if message.message_id > missed.until:
                return  # it is delivered as an event after the new `ready`
            if not message.deleted:
                yield message
        if page.next is None:
            return
        query["cursor"] = page.next
