"""Events of rooms of every kind: messages, reactions, pins and read positions.

The content of a message follows the same rule as in pages (`visibility`): a withheld message is published without
content, and with it only to its author and to moderators.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.core.ids import MessageId, RoomId, RoomKindName
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Event, EventType, Publication, Topic, user
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.entities import Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.rendering import Unrendered, reactions_to, render_as, with_names
from sobremesa.rooms.views import FlagsView, MessageFile
from sobremesa.rooms.visibility import is_withheld
from sobremesa.table import Key, Table, unhex_part


class LiveReaction(Output):
    """The number of reactions with one emoji; `userIds` are the first users."""

    emoji: str
    count: int
    user_ids: list[UserId]


class LiveMessage(Output):
    """A message as all users in the room see it. Only its author receives the `nonce`, in `message.created`."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    type: str
    author_id: UserId
    username: str
    display_name: str | None
    content: str
    edited: bool
    edited_at: Instant | None
    deleted: bool
    reply_to: MessageId | None
    attachments: list[MessageFile]
    reactions: list[LiveReaction]
    mentions: list[UserId]
    created_at: Instant
    action: dict[str, Any] | None = None
    flags: FlagsView | None = None
    nsfw_band: int | None = None
    data: dict[str, Any] | None = None
    bot: bool | UnsetType = UNSET
    """True for messages of bots and incoming webhooks, else absent."""
    command: dict[str, Any] | UnsetType = UNSET
    """The slash command that the message answers; absent for other messages."""
    nonce: str | UnsetType = UNSET
    """Only in `message.created`, and only for the author: the nonce with which they sent the message."""


class MessageGone(Output):
    """A deleted message."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName


class ReactionChanged(Output):
    """An added or removed reaction, with the resulting count and the first users."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    emoji: str
    user_id: UserId
    count: int
    user_ids: list[UserId]


class PinChanged(Output):
    """A message that was pinned or unpinned."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    pinned_by: UserId
    pinned_at: Instant


class ReadMoved(Output):
    """A user's new read position."""

    room_id: RoomId
    room_kind: RoomKindName
    user_id: UserId
    last_read_message_id: MessageId
    read_at: Instant | None


class PreferencesChanged(Output):
    """A user's notification preferences for a room."""

    room_id: RoomId
    room_kind: RoomKindName
    muted: bool


class LiveParticipant(Output):
    """A participant of a conversation or a thread. In a thread, `role` is their side."""

    room_kind: RoomKindName
    room_id: RoomId
    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    role: str
    joined_at: Instant
    blocked_until: Instant | UnsetType | None = UNSET
    """Only in a thread."""


class ParticipantGone(Output):
    """A user who left a conversation or a thread."""

    room_kind: RoomKindName
    room_id: RoomId
    user_id: UserId


message_created = EventType("message.created", LiveMessage, "A message was sent.", to="the members of the room")
message_updated = EventType(
    "message.updated",
    LiveMessage,
    "A message was edited, its moderation status changed, or its author deleted their account.",
    to="the members of the room",
)
message_deleted = EventType("message.deleted", MessageGone, "A message was deleted.", to="the members of the room")
reaction_added = EventType(
    "reaction.added", ReactionChanged, "A user reacted to a message.", to="the members of the room"
)
reaction_removed = EventType(
    "reaction.removed", ReactionChanged, "A user removed a reaction.", to="the members of the room"
)
pin_added = EventType("pin.added", PinChanged, "A message was pinned.", to="the members of the room")
pin_removed = EventType("pin.removed", PinChanged, "A message was unpinned.", to="the members of the room")
read_updated = EventType(
    "read.updated",
    ReadMoved,
    "A read cursor moved. In channels only your own, from your other devices.",
    to="the members of the room; in a channel, you",
)
preferences_updated = EventType("preferences.updated", PreferencesChanged, "You muted or unmuted a room.")
participant_joined = EventType(
    "participant.joined",
    LiveParticipant,
    "A participant joined a conversation or a thread.",
    to="the members of the room",
)
participant_updated = EventType(
    "participant.updated",
    LiveParticipant,
    "The role of a participant changed, or they may not send for a while.",
    to="the members of the room",
)
participant_left = EventType(
    "participant.left",
    ParticipantGone,
    "A participant left, or was removed.",
    to="the members of the room, and the former participant",
)

_VISIBLE = (
    "type",
    "username",
    "display_name",
    "content",
    "edited",
    "edited_at",
    "deleted",
    "reply_to",
    "mentions",
    "attachments",
    "reactions",
    "flags",
    "nsfw_band",
    "action",
    "data",
)
"""The fields of a message that clients see: a change of any other publishes no event."""


TOPIC_KINDS: dict[RoomKindName, Sequence[str]] = {
    "channel": ("server", "channel"),
    "conversation": ("conversation",),
    "thread": ("thread",),
}
"""The kinds of topic that each kind of room publishes to."""


class _Shown(msgspec.Struct, rename="camel"):
    """The message that an event is about, and the reactions in the event."""

    message_id: MessageId
    room_id: RoomId
    reactions: list[LiveReaction] = []


_decode = msgspec.json.Decoder(_Shown).decode


class RoomTopic(NamedTuple):
    """The topic of a room, and whether safe mode withholds sensitive messages there."""

    topic: Topic
    safe_mode: bool = False


FindRoomTopic: TypeAlias = Callable[[RoomId], Awaitable[RoomTopic | None]]
"""Returns the topic of a room, or None if the room was deleted."""
FindMessageTopic: TypeAlias = Callable[[Message], Awaitable[RoomTopic | None]]
"""Returns the topic of a new message, or None if its room was deleted."""


class RoomEvents:
    """Maps changed rows of rooms of one kind to events."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        users: UserDirectory,
        find_topic: FindRoomTopic,
        find_topic_of_new: FindMessageTopic | None = None,
    ) -> None:
        """`find_topic_of_new` finds the topic of a new message, if its row has more to say than its room."""
        self._kind = kind
        self._table = table
        self._users = users
        self._find_topic = find_topic
        self._find_topic_of_new = find_topic_of_new

    def register(self, translation: Translation) -> None:
        kind = self._kind
        visible = [field for field in _VISIBLE if field in kind.message.shape.attributes]
        translation.on(kind.message, self._message, fields=visible)
        translation.at_once(kind.message, self.created)
        translation.on(kind.reaction, self._reaction, fields=())
        translation.on(kind.pin, self._pin, fields=())
        translation.on(kind.cursor, self._cursor, fields=("last_read_message_id", "muted"))
        for topic_kind in TOPIC_KINDS[kind.name]:
            translation.on_replay(topic_kind, [message_created, message_updated], self._messages_now)
            translation.on_replay(topic_kind, [reaction_added, reaction_removed], self._reactions_now)

    async def created(self, message: Message, reactions: Sequence[LiveReaction] = ()) -> Publication | None:
        """Return the publication of a new message, which has no reactions yet unless it is published again.

        Its id is the message id, so the writer may publish it before the change stream does. None if the room was
        deleted, or if the message was imported: it is history, which no client waits for.
        """
        if message.imported:
            return None
        if self._find_topic_of_new is None:
            room = await self._find_topic(message.room_id)
        else:
            room = await self._find_topic_of_new(message)
        if room is None:
            return None
        event = await self._message_event(message_created, message, list(reactions), room)
        return Publication(id=message.message_id, event=event)

    # Messages

    async def _message(self, seen: Seen[Message]) -> list[Publication]:
        old, new = seen
        if old is None and new is not None:
            if new.deleted:
                return []  # published again, after its deletion
            created = await self.created(new, await self._reactions(new) if seen.is_repeated else ())
            return [] if created is None else [created]

        room = await self._find_topic(seen.row.room_id)
        if room is None:
            return []  # the deletion of the room was published already
        if new is None or (new.deleted and old is not None and not old.deleted):
            row = seen.row
            gone = MessageGone(row.message_id, row.room_id, self._kind.name)
            to = _addressees(row if old is None else old)
            return [message_deleted(gone, room.topic, subject=row.message_id, room=self._watched(row), addressees=to)]
        event = await self._message_event(message_updated, new, await self._reactions(new), room)
        return [Publication(event=event)]

    async def _message_event(
        self, kind: EventType[LiveMessage], message: Message, reactions: list[LiveReaction], room: RoomTopic
    ) -> Event:
        departing = await self._users.users_being_deleted()
        [message] = await with_names(self._users, [message])
        shown = render_as(LiveMessage, self._kind, message, reactions, departing, withheld=False)
        id, author = message.message_id, message.author_id
        private = {"nonce": message.nonce} if kind is message_created and message.nonce is not None else None
        event = partial(
            kind.event,
            subject=id,
            author=author,
            private=private,
            room=self._watched(message),
            addressees=_addressees(message),
        )
        if not is_withheld(message, safe_mode=room.safe_mode):
            return event(shown, room.topic)
        bare = render_as(LiveMessage, self._kind, message, [], departing, withheld=True)
        return event(bare, room.topic, full=shown)

    def _watched(self, row: Message | Reaction | Pin) -> str:
        """Return the channel of a row, which users watch; empty in other kinds of room."""
        return row.room_id if self._kind.name == "channel" else ""

    async def _reactions(self, message: Message) -> list[LiveReaction]:
        """Return the current reactions to a message; a tombstone has none."""
        if message.deleted:
            return []
        question = self._kind.reactions_of_message(room_id=message.room_id, message_id=message.message_id)
        summaries = [summary async for summary in self._table.every(question) if summary.count > 0]
        summaries.sort(key=lambda summary: summary.first_at or EPOCH)
        found = reactions_to(Unrendered([message], summaries, None)).get(message.message_id, [])
        return [LiveReaction(view.emoji, view.count, view.user_ids) for view in found]

    # Replay

    async def _messages_now(self, events: Sequence[Event]) -> list[Event | None]:
        """Return the events with the current content of their messages; None for deleted messages."""
        shown = [_decode(each.full or each.d) for each in events]
        found: list[Event | None] = []
        for each, message in zip(shown, await self._rows_of(shown), strict=True):
            room = None if message is None or message.deleted else await self._find_topic(each.room_id)
            if message is None or room is None:
                found.append(None)
            else:
                found.append(await self._message_event(message_updated, message, each.reactions, room))
        return found

    async def _reactions_now(self, events: Sequence[Event]) -> list[Event | None]:
        """Return the events of reactions; None where the message is now deleted or withheld."""
        shown = [_decode(each.d) for each in events]
        found: list[Event | None] = []
        for each, event, message in zip(shown, events, await self._rows_of(shown), strict=True):
            room = None if message is None or message.deleted else await self._find_topic(each.room_id)
            is_shown = message is not None and room is not None and not is_withheld(message, safe_mode=room.safe_mode)
            found.append(event if is_shown else None)
        return found

    async def _rows_of(self, shown: Sequence[_Shown]) -> list[Message | None]:
        """Return the current messages, by one batch; those with another writer's ids one by one."""
        keys: list[Key[Message] | None] = []
        for each in shown:
            try:
                keys.append(self._kind.message_key(each.room_id, each.message_id))
            except ValueError:
                keys.append(None)
        ours = list(dict.fromkeys(key for key in keys if key is not None))
        rows = dict(zip(ours, await self._table.get_many(ours, consistent=True), strict=True))
        return [
            rows[key] if key is not None else await find_message(self._kind, self._table, each.room_id, each.message_id)
            for each, key in zip(shown, keys, strict=True)
        ]

    # What belongs to messages

    async def _reaction(self, seen: Seen[Reaction]) -> list[Publication]:
        """Publish the current count, so that a duplicate event is harmless.

        Nothing is published for a deleted or withheld message, whose reactions are not shown either.
        """
        row = seen.row
        room = await self._find_topic(row.room_id)
        if room is None:
            return []
        message, summary = await self._message_and_summary(row)
        if message is None or message.deleted or is_withheld(message, safe_mode=room.safe_mode):
            return []

        emoji = unhex_part(row.emoji_hex)
        found = reactions_to(Unrendered([message], [] if summary is None else [summary], None))
        view = next((view for view in found.get(message.message_id, []) if view.emoji == emoji), None)
        count, user_ids = (0, []) if view is None else (view.count, view.user_ids)
        event = reaction_removed if seen.new is None else reaction_added
        payload = ReactionChanged(row.message_id, row.room_id, self._kind.name, emoji, row.user_id, count, user_ids)
        return [event(payload, room.topic, subject=row.message_id, room=self._watched(row))]

    async def _message_and_summary(self, row: Reaction) -> tuple[Message | None, ReactionSummary | None]:
        kind, table = self._kind, self._table
        at = kind.summary.key(room_id=row.room_id, message_id=row.message_id, emoji_hex=row.emoji_hex)
        try:
            key = kind.message_key(row.room_id, row.message_id)
        except ValueError:  # another writer's message
            message = await find_message(kind, table, row.room_id, row.message_id)
            return message, await table.get(at, consistent=True)
        return await table.get_pair(key, at, consistent=True)

    async def _pin(self, seen: Seen[Pin]) -> list[Publication]:
        pin = seen.row
        room = await self._find_topic(pin.room_id)
        if room is None:
            return []
        event = pin_removed if seen.new is None else pin_added
        payload = PinChanged(pin.message_id, pin.room_id, self._kind.name, pin.pinned_by, pin.pinned_at)
        return [event(payload, room.topic, room=self._watched(pin))]

    async def _cursor(self, seen: Seen[ReadCursor]) -> list[Publication]:
        old, new = seen
        if new is None:
            return []
        events: list[Publication] = []
        read = new.last_read_message_id
        if read is not None and (old is None or old.last_read_message_id != read):
            topic = await self._readers_topic(new)
            payload = ReadMoved(new.room_id, self._kind.name, new.user_id, read, new.read_at)
            events += [] if topic is None else [read_updated(payload, topic)]
        if new.muted != (old is not None and old.muted):
            preferences = PreferencesChanged(new.room_id, self._kind.name, new.muted)
            events.append(preferences_updated(preferences, user(new.user_id)))
        return events

    async def _readers_topic(self, cursor: ReadCursor) -> Topic | None:
        """Return who receives a read position: all users in the room if the cursor is a seat, else the user alone."""
        if not self._kind.cursor_is_seat:
            return user(cursor.user_id)
        room = await self._find_topic(cursor.room_id)
        return None if room is None else room.topic


def _addressees(message: Message) -> tuple[UserId, ...]:
    """Return whom a message concerns: its author, who it mentions, and the author of the one that it replies to."""
    replied = () if message.replied_author_id is None else (message.replied_author_id,)
    return tuple(dict.fromkeys((message.author_id, *(message.mentions or ()), *replied)))
