"""Schedules digests: of the change stream, it finds the users who have something new to read.

Messages of conversations and threads are for their participants, messages of channels for those they mention, and
notifications for their recipient. A broadcast is for everyone: `broadcast_digests` walks all users for it.
"""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import lenient_ms
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.entities import ChannelMessage
from sobremesa.domains.conversations import entities as conversations
from sobremesa.domains.conversations.entities import ConversationMessage
from sobremesa.domains.inboxes.entities import UserMessage
from sobremesa.domains.notifications.schedule import DigestSchedule
from sobremesa.domains.threads import entities as threads
from sobremesa.domains.threads.entities import ThreadMessage
from sobremesa.rooms.entities import BLOCKED, Message, ReadCursor
from sobremesa.table import Question, RawChange, Table

MAX_PARTICIPANTS = 500
ROOMS_AT_ONCE = 8

_MESSAGES = (("CHANNEL#", ChannelMessage), ("CONVO#", ConversationMessage), ("THR#", ThreadMessage))


class UnreadChanges:
    """Collects what is new, and schedules a look at its readers."""

    def __init__(self, table: Table, schedule: DigestSchedule) -> None:
        self._table = table
        self._schedule = schedule
        self._users: dict[UserId, int] = {}
        """Since when they have something unread."""
        self._rooms: dict[tuple[type[Message], RoomId], tuple[set[UserId], int]] = {}
        """The authors of new messages in a room, and the time of the first."""

    def collect(self, change: RawChange) -> None:
        pk, sk = change.key.pk, change.key.sk
        if change.new is None:
            return
        if sk.startswith("MSG#"):
            kind = next((kind for prefix, kind in _MESSAGES if pk.startswith(prefix)), None)
            if kind is not None:
                self._collect_message(kind, change.new, change.old, change.at_ms)
        elif change.old is None and sk.startswith("m#") and pk.startswith("t#"):
            notice = self._table.as_entity(change.new, UserMessage)
            if notice is not None and notice.is_message and notice.readat is None:
                self._note(notice.user_id, notice.received or change.at_ms)

    def _collect_message(
        self, kind: type[Message], new: dict[str, Any], old: dict[str, Any] | None, at_ms: int
    ) -> None:
        if old is not None and kind is not ChannelMessage:
            return  # an edit can mention more users, but it is no new message
        message = self._table.as_entity(new, kind)
        if message is None or message.deleted or message.type == "system" or message.moderation == BLOCKED:
            return
        sent_ms = lenient_ms(message.sent_at) or at_ms
        if kind is ChannelMessage:
            before = None if old is None else self._table.as_entity(old, kind)
            known = set((before.mentions if before is not None else None) or ())
            for user_id in set(message.mentions or ()) - known - {message.author_id}:
                self._note(user_id, sent_ms)
            return
        authors, first_ms = self._rooms.setdefault((kind, message.room_id), (set(), sent_ms))
        authors.add(message.author_id)
        self._rooms[kind, message.room_id] = authors, min(first_ms, sent_ms)

    async def flush(self) -> None:
        await gather_bounded(ROOMS_AT_ONCE, self._note_participants, list(self._rooms))
        await self._schedule.add(self._users)
        self._users.clear()
        self._rooms.clear()

    async def _note_participants(self, room: tuple[type[Message], RoomId]) -> None:
        kind, room_id = room
        authors, first_ms = self._rooms[room]
        question: Question[ReadCursor]
        if kind is ConversationMessage:
            question = conversations.participants_of(room_id=room_id)
        else:
            question = threads.participants_in(room_id=room_id)
        page = await self._table.query(question, limit=MAX_PARTICIPANTS, consistent=False)
        for seat in page.items:
            # The only author has read what they wrote; with several, each has something to read.
            if not seat.muted and authors != {seat.user_id}:
                self._note(seat.user_id, first_ms)

    def _note(self, user_id: UserId, since_ms: int) -> None:
        self._users[user_id] = min(since_ms, self._users.get(user_id, since_ms))
