"""What happens in rooms of every kind, told to those who are in them: messages, reactions, pins, and who read how far.

What a message says is told by the rule that pages follow (`visibility`): one that is withheld keeps its place for
everybody, and says what it says only to its author and to those who moderate.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Event, EventType, Topic, user
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.entities import Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import RoomKind, RoomKindName
from sobremesa.rooms.rendering import Unrendered, reactions_to, render_as, with_names
from sobremesa.rooms.views import FlagsView
from sobremesa.rooms.visibility import is_withheld
from sobremesa.table import Key, Table, unhex_part


class LiveReaction(Output):
    """How many reacted with one emoji; `userIds` are the first of them."""

    emoji: str
    count: int
    user_ids: list[UserId]


class LiveMessage(Output):
    """A message as everybody in the room sees it: what is the reader's own is not in it."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    type: str
    author_id: UserId
    username: str
    content: str
    edited: bool
    edited_at: Instant | None
    deleted: bool
    reply_to: MessageId | None
    attachments: list[dict[str, Any]]
    reactions: list[LiveReaction]
    mentions: list[UserId]
    created_at: Instant
    action: dict[str, Any] | None = None
    flags: FlagsView | None = None
    nsfw_band: int | None = None


class MessageGone(Output):
    """A message that says nothing any more."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName


class ReactionChanged(Output):
    """Who reacted, or no longer does; and how many do after it, with the first of them."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    emoji: str
    user_id: UserId
    count: int
    user_ids: list[UserId]


class PinChanged(Output):
    """A message that is kept at hand, or no longer is."""

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    pinned_by: UserId
    pinned_at: Instant


class ReadMoved(Output):
    """How far somebody has read."""

    room_id: RoomId
    room_kind: RoomKindName
    user_id: UserId
    last_read_message_id: MessageId
    read_at: Instant | None


class PreferencesChanged(Output):
    """What one wants to hear of a room."""

    room_id: RoomId
    room_kind: RoomKindName
    muted: bool


class LiveParticipant(Output):
    """Somebody in a conversation or a thread. In a thread, `role` is the side they are on."""

    room_kind: RoomKindName
    room_id: RoomId
    user_id: UserId
    username: str
    avatar_url: str | None
    role: str
    joined_at: Instant
    blocked_until: Instant | UnsetType | None = UNSET
    """Only in a thread."""


class ParticipantGone(Output):
    """Somebody who is no longer in a conversation or a thread."""

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
)
"""What of a message's row is seen: a change of anything else is none to those who listen."""


TOPIC_KINDS: dict[RoomKindName, str] = {"channel": "server", "conversation": "conversation", "thread": "thread"}
"""To which kind of topic the events of a kind of room go."""


class _Shown(msgspec.Struct, rename="camel"):
    """Which message an event is about, and the reactions that it shows."""

    message_id: MessageId
    room_id: RoomId
    reactions: list[LiveReaction] = []


_decode = msgspec.json.Decoder(_Shown).decode


class RoomTopic(NamedTuple):
    """Where a room is listened to, and whether what may not be for everybody is withheld there."""

    topic: Topic
    safe_mode: bool = False


FindRoomTopic: TypeAlias = Callable[[RoomId], Awaitable[RoomTopic | None]]
"""Returns the topic of a room, or None if the room was deleted."""


class RoomEvents:
    """Maps changed rows of rooms of one kind to events."""

    def __init__(self, kind: RoomKind, table: Table, users: UserDirectory, find_topic: FindRoomTopic) -> None:
        self._kind = kind
        self._table = table
        self._users = users
        self._find_topic = find_topic

    def register(self, translation: Translation) -> None:
        kind = self._kind
        visible = [field for field in _VISIBLE if field in kind.message.shape.attributes]
        translation.on(kind.message, self._message, fields=visible)
        translation.at_once(kind.message, self.created)
        translation.on(kind.reaction, self._reaction, fields=())
        translation.on(kind.pin, self._pin, fields=())
        translation.on(kind.cursor, self._cursor, fields=("last_read_message_id", "muted"))
        translation.on_replay(TOPIC_KINDS[kind.name], [message_created, message_updated], self._messages_now)
        translation.on_replay(TOPIC_KINDS[kind.name], [reaction_added, reaction_removed], self._reactions_now)

    async def created(self, message: Message) -> Event | None:
        """What is told of a message that was just made: nobody can have reacted to it yet.

        Its id is the message's own, so whoever wrote it may tell of it before the log does; None if the room is gone.
        """
        room = await self._find_topic(message.room_id)
        return None if room is None else await self._told(message_created, message, [], room, id=message.message_id)

    # Messages

    async def _message(self, seen: Seen[Message]) -> list[Event]:
        old, new = seen
        if old is None and new is not None:
            created = await self.created(new)
            return [] if created is None else [created]

        room = await self._find_topic(seen.row.room_id)
        if room is None:
            return []  # a room that is gone takes its messages with it, and has been told of
        if new is None or (new.deleted and old is not None and not old.deleted):
            row = seen.row
            gone = MessageGone(row.message_id, row.room_id, self._kind.name)
            return [message_deleted(gone, room.topic, subject=row.message_id)]
        return [await self._told(message_updated, new, await self._reactions(new), room)]

    async def _told(
        self,
        event: EventType[LiveMessage],
        message: Message,
        reactions: list[LiveReaction],
        room: RoomTopic,
        *,
        id: str = "",
    ) -> Event:
        departing = await self._users.users_being_deleted()
        [message] = await with_names(self._users, [message])
        shown = render_as(LiveMessage, self._kind, message, reactions, departing, withheld=False)
        if not is_withheld(message, safe_mode=room.safe_mode):
            return event(shown, room.topic, id=id, subject=message.message_id)
        bare = render_as(LiveMessage, self._kind, message, [], departing, withheld=True)
        return event.withheld(bare, room.topic, full=shown, author=message.author_id, id=id, subject=message.message_id)

    async def _reactions(self, message: Message) -> list[LiveReaction]:
        """The reactions to a message now; a tombstone has none."""
        if message.deleted:
            return []
        question = self._kind.reactions_of_message(room_id=message.room_id, message_id=message.message_id)
        summaries = [summary async for summary in self._table.every(question) if summary.count > 0]
        summaries.sort(key=lambda summary: summary.first_at or EPOCH)
        found = reactions_to(Unrendered([message], summaries, None)).get(message.message_id, [])
        return [LiveReaction(view.emoji, view.count, view.user_ids) for view in found]

    # What was told before

    async def _messages_now(self, events: Sequence[Event]) -> list[Event | None]:
        """The events of messages with what these show now; none of those that were deleted."""
        shown = [_decode(each.full or each.d) for each in events]
        found: list[Event | None] = []
        for each, message in zip(shown, await self._rows_of(shown), strict=True):
            room = None if message is None or message.deleted else await self._find_topic(each.room_id)
            if message is None or room is None:
                found.append(None)
            else:
                found.append(await self._told(message_updated, message, each.reactions, room))
        return found

    async def _reactions_now(self, events: Sequence[Event]) -> list[Event | None]:
        """The events of reactions, but for those to messages that are deleted or withheld now."""
        shown = [_decode(each.d) for each in events]
        found: list[Event | None] = []
        for each, event, message in zip(shown, events, await self._rows_of(shown), strict=True):
            room = None if message is None or message.deleted else await self._find_topic(each.room_id)
            is_shown = message is not None and room is not None and not is_withheld(message, safe_mode=room.safe_mode)
            found.append(event if is_shown else None)
        return found

    async def _rows_of(self, shown: Sequence[_Shown]) -> list[Message | None]:
        """The messages as they are now, many at a time; those with another writer's ids one by one."""
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

    async def _reaction(self, seen: Seen[Reaction]) -> list[Event]:
        """How many react is told as it is now, so hearing of it twice does no harm.

        Nothing is told of a message that says nothing, as its reactions are not shown either.
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
        told = ReactionChanged(row.message_id, row.room_id, self._kind.name, emoji, row.user_id, count, user_ids)
        return [event(told, room.topic, subject=row.message_id)]

    async def _message_and_summary(self, row: Reaction) -> tuple[Message | None, ReactionSummary | None]:
        kind, table = self._kind, self._table
        at = kind.summary.key(room_id=row.room_id, message_id=row.message_id, emoji_hex=row.emoji_hex)
        try:
            key = kind.message_key(row.room_id, row.message_id)
        except ValueError:  # another writer's message
            message = await find_message(kind, table, row.room_id, row.message_id)
            return message, await table.get(at, consistent=True)
        return await table.get_pair(key, at, consistent=True)

    async def _pin(self, seen: Seen[Pin]) -> list[Event]:
        pin = seen.row
        room = await self._find_topic(pin.room_id)
        if room is None:
            return []
        event = pin_removed if seen.new is None else pin_added
        told = PinChanged(pin.message_id, pin.room_id, self._kind.name, pin.pinned_by, pin.pinned_at)
        return [event(told, room.topic)]

    async def _cursor(self, seen: Seen[ReadCursor]) -> list[Event]:
        old, new = seen
        if new is None:
            return []
        announced: list[Event] = []
        read = new.last_read_message_id
        if read is not None and (old is None or old.last_read_message_id != read):
            topic = await self._readers_topic(new)
            told = ReadMoved(new.room_id, self._kind.name, new.user_id, read, new.read_at)
            announced += [] if topic is None else [read_updated(told, topic)]
        if new.muted != (old is not None and old.muted):
            wish = PreferencesChanged(new.room_id, self._kind.name, new.muted)
            announced.append(preferences_updated(wish, user(new.user_id)))
        return announced

    async def _readers_topic(self, cursor: ReadCursor) -> Topic | None:
        """Who hears how far somebody has read: where a cursor is a seat, everybody in the room; else they alone."""
        if not self._kind.cursor_is_seat:
            return user(cursor.user_id)
        room = await self._find_topic(cursor.room_id)
        return None if room is None else room.topic
