"""The data of a client's state: plain JSON by id, as the API returns it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import msgspec

from sobremesa.client.models import Json, Room

Inbox: TypeAlias = tuple[str, str]
"""A tenant and an inbox."""
Rows: TypeAlias = dict[str, Json]
"""Items of one kind by id."""


class StateData(msgspec.Struct):
    """All data. The first part comes with the snapshot; the second is empty until it is loaded.

    An event about something that was not loaded changes nothing: a later load includes it.
    """

    user: Json
    servers: Rows
    channels: Rows
    conversations: Rows
    threads: Rows
    inboxes: dict[Inbox, Json]
    workspaces: Rows
    online: set[str]

    messages: dict[Room, Rows] = {}
    pins: dict[Room, Rows] = {}
    cursors: dict[Room, dict[str, str | None]] = {}
    """The read cursor of each user."""
    participants: dict[Room, Rows] = {}
    members: dict[str, Rows] = {}
    cards: dict[str, Rows] = {}
    tabs: dict[str, Rows] = {}
    inbox_messages: dict[Inbox, Rows] = {}
    workspace_members: dict[str, Rows] = {}
    items: dict[str, Rows] = {}
    settings: dict[str, Rows] = {}

    counted: dict[Room, str] = {}
    """Up to which message unread messages are counted. Not compared, since it does not affect the content."""
    wanted: set[str] = set()
    """What must be fetched, since no event carries it: paths of the API, each for `State.load`."""

    @property
    def user_id(self) -> str:
        return str(self.user["userId"])

    def rooms(self) -> Iterator[tuple[Room, Json]]:
        """Yield every room of the user, with its entry in the snapshot."""
        yield from ((Room("channel", room_id), entry) for room_id, entry in self.channels.items())
        yield from ((Room("conversation", room_id), entry) for room_id, entry in self.conversations.items())
        yield from ((Room("thread", room_id), entry) for room_id, entry in self.threads.items())

    def entry(self, room: Room) -> Json | None:
        """Return the snapshot's entry of a room, if the user is in it."""
        kinds = {"channel": self.channels, "conversation": self.conversations, "thread": self.threads}
        return kinds[room.kind].get(room.room_id)

    def count_up_to(self, room: Room, message_id: str | None) -> None:
        """Note that messages up to this one are counted as unread, or read."""
        self.counted[room] = max(self.counted.get(room, ""), message_id or "")

    def forget_room(self, room: Room) -> None:
        """Remove a room that the user has left or that was deleted."""
        kinds = {"channel": self.channels, "conversation": self.conversations, "thread": self.threads}
        kinds[room.kind].pop(room.room_id, None)
        for of_rooms in (self.messages, self.pins, self.participants):
            of_rooms.pop(room, None)
        self.cursors.pop(room, None)
        self.counted.pop(room, None)
        self.cards.pop(room.room_id, None)
        self.tabs.pop(room.room_id, None)
        self.no_longer_wanted(f"{room.path}")

    def no_longer_wanted(self, path: str) -> None:
        """Remove the paths below this one from `wanted`."""
        self.wanted -= {wanted for wanted in self.wanted if wanted == path or wanted.startswith(f"{path}/")}


def room_of(d: Json) -> Room:
    """Return the room of an event."""
    return Room(d["roomKind"], d["roomId"])


def by(items: Iterable[Json], *names: str) -> dict[Any, Json]:
    """Return items by id."""
    return {item[names[0]] if len(names) == 1 else tuple(item[name] for name in names): item for item in items}


def some(d: Json, names: Iterable[str]) -> Json:
    """Return only these fields, where present."""
    return {name: d[name] for name in names if name in d}


def without(d: Json, *names: str) -> Json:
    """Return all but these fields."""
    return {name: value for name, value in d.items() if name not in names}


def newest_first(rows: Rows) -> Iterator[Json]:
    """Yield rows whose ids sort by time, newest first."""
    return (rows[row_id] for row_id in sorted(rows, reverse=True))
