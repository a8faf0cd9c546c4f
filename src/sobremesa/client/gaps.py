"""Fetches the messages that are not delivered as events: what a `gap` or a `channel.activity` names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

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
    after: str | None
    """None if the server does not know it: those of one page are fetched."""
    until: str


class Gap(Model, frozen=True):
    """The payload of `gap`."""

    rooms: list[MissedRoom]


class ActiveChannel(Model, frozen=True):
    """A channel in which something happened; `until` is its newest new message, None if there is none."""

    channel_id: str
    after: str | None
    until: str | None


class ChannelActivity(Model, frozen=True):
    """The payload of `channel.activity`."""

    channels: list[ActiveChannel]


class _Page(msgspec.Struct, frozen=True):
    items: list[Message]
    next: str | None = None


NAMES_MESSAGES = ("gap", "channel.activity")


async def missed_messages(
    transport: Transport, event: Event, watched: Mapping[str, str | None]
) -> AsyncIterator[Message]:
    """Yield the messages that an event names, room by room, oldest first.

    Without those of watched channels, which came as events after the message that was the last one then.
    """
    for missed in _rooms_of(event):
        if event.t != "gap" and missed.room_id in watched and (watched[missed.room_id] or "") <= (missed.after or ""):
            continue
        try:
            async for message in _messages_of(transport, missed):
                yield message
        except ApiError as error:
            if error.status != 404:  # the room was deleted, or the user removed from it, meanwhile
                raise


def _rooms_of(event: Event) -> list[MissedRoom]:
    if event.t == "gap":
        return msgspec.convert(event.d, Gap).rooms
    return [
        MissedRoom(room_kind="channel", room_id=each.channel_id, after=each.after, until=each.until)
        for each in msgspec.convert(event.d, ChannelActivity).channels
        if each.until is not None
    ]


async def _messages_of(transport: Transport, missed: MissedRoom) -> AsyncIterator[Message]:
    path = f"{Room(missed.room_kind, missed.room_id).path}/messages"
    query: dict[str, str | int] = {"limit": PAGE}
    if missed.after is None:
        reply = await transport.send("GET", path, query=query)
        for message in reversed(msgspec.json.decode(reply.body, type=_Page).items):
            if message.message_id <= missed.until and not message.deleted:
                yield message
        return
    query["after"] = missed.after
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
