"""The operations of rooms, for every kind of room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import Busy, Forbidden, NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.access import RoomAccess, Seat
from sobremesa.rooms.archive import Archive, History
from sobremesa.rooms.cases import Cases
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.editing import MessageEditor
from sobremesa.rooms.emoji import is_emoji
from sobremesa.rooms.entities import Message, ReadCursor
from sobremesa.rooms.errors import NotAnEmoji, OneDirection, PartOfRecord
from sobremesa.rooms.files import files_of
from sobremesa.rooms.judging import CLEAR, Verdict
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.pins import Pins
from sobremesa.rooms.posting import Posting
from sobremesa.rooms.reaction_cleanup import ReactionCleanup
from sobremesa.rooms.reactions import Reactions
from sobremesa.rooms.rendering import MessageRenderer
from sobremesa.rooms.sending import Draft, Extras, HeadChange
from sobremesa.rooms.tails import Tails
from sobremesa.rooms.unread import RoomUnreadState, Unread, cursor_moves_forward
from sobremesa.rooms.views import (
    MessageView,
    PinView,
    PreferencesView,
    ReactorView,
    ReaderView,
    ReadView,
    RoomUnreadView,
    SentView,
    UnreadView,
)
from sobremesa.table import Condition, Key, Update, Upsert, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes
from sobremesa.work.keyed_lock import KeyedLocks

MAX_CONTENT = 4000
SYSTEM_TYPE = "system"
"""The type of messages that no user wrote: notices, and what a product's backend sends in its own name."""
DELETE_ATTEMPTS = 8


class Rooms:
    """Messages, reactions, pins and unread counts in rooms of one kind."""

    def __init__(self, kind: RoomKind, access: RoomAccess, context: RoomContext) -> None:
        table, clock, users = context.table, context.clock, context.users
        context.readers.add(kind, access)
        self.kind = kind
        self._table = table
        self._clock = clock
        self._ids = context.ids
        self._access = access
        self._users = users
        self._files = context.files
        self._jobs = context.jobs
        self._typing = context.typing
        self._judge = context.judge
        self._data_checks = context.data_checks
        locks = KeyedLocks(needed=not table.engine.keeps_order)
        self._renderer = MessageRenderer(kind, table, users)
        tails = Tails(kind, table)
        self._archive = Archive(kind, table, self._renderer, tails)
        self._cases = Cases(kind, table, clock, users)
        self._posting = Posting(kind, context, access, locks, self._archive, self._renderer, self._cases)
        self._editor = MessageEditor(kind, table, clock, self._archive, self._cases, locks)
        self._unread = Unread(kind, table, tails)
        self.reaction_cleanup = ReactionCleanup(kind, table, context.jobs)
        self._reactions = Reactions(kind, table, clock, users, locks)
        self._pins = Pins(kind, table, clock, access, self._archive, self._renderer)

    # Sending

    async def send(self, actor: Actor, room_id: RoomId, draft: Draft) -> SentView:
        """Send a message. A repeated nonce returns the first message, and is refused with another body."""
        seat = await self._authorize_author(actor, room_id, draft)
        return await self._posting.send(seat, draft)

    async def send_with(
        self, seat: Seat, draft: Draft, extras: Extras, verdict: Verdict = CLEAR, head: HeadChange | None = None
    ) -> Message:
        """Write a message as part of a larger action, whose other operations go into the same transaction.

        The verdict is that of `judge`, which the caller calls once, even if it retries.
        """
        return await self._posting.send_with(seat, draft, extras, verdict, head)

    async def judge(self, seat: Seat, payload: Any, *, size: int = 0) -> Verdict:
        """Return the judge's verdict on a payload that others in the room will see; clear without a judge.

        `size` is the number of JSON characters, if it may be large.
        """
        return await self._posting.judge(seat, payload, size=size)

    async def edit(
        self,
        actor: Actor,
        room_id: RoomId,
        message_id: MessageId,
        content: str | None,
        *,
        data: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET,
    ) -> MessageView:
        """Edit one of the actor's messages; the content stays if it is None, and the custom data if it is unset."""
        seat = await self._access.authorize_action(actor, room_id)
        message = await self._archive.get(seat, message_id)
        if message.author_id != seat.user_id:
            raise Forbidden("Only its author can edit a message.")
        if message.is_fixed:
            raise PartOfRecord
        seat.require("send")
        content = message.content if content is None else content
        data = message.data if data is msgspec.UNSET else data
        await self._data_checks.check(actor.tenant, "message", data)
        mentions = await self._posting.mentioned(seat, content)
        verdict = None
        if self._judge is not None:
            written = self._posting.judged_content(seat, content, message.attachments or (), mentions, data)
            verdict = self._judge.judge_at_once(written)
            if verdict is None:
                verdict = await self._judge.judge(written)
                seat = await self._access.authorize(actor, room_id)
                seat.require("send")

        edited = await self._editor.edit(seat, message, content, data, mentions, verdict)

        return (await self._renderer.render(seat, [edited]))[0]

    async def delete_message(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Delete one of the actor's messages, or with the right to moderate any. A tombstone remains."""
        seat = await self._authorize(actor, room_id)
        message = await self._archive.get(seat, message_id)
        is_own = message.author_id == seat.user_id
        if not is_own:
            seat.require("moderate")
        if message.is_fixed:
            raise PartOfRecord

        about = {"messageId": message_id, "roomId": room_id}
        audit = [] if is_own else [self._access.audit(seat, "message.delete", target=message.author_id, about=about)]
        cleaning = await self.reaction_cleanup.removal(message)
        for _ in range(DELETE_ATTEMPTS):
            try:
                async with self._files.deleting(files_of(message)) as gone:
                    await self._editor.delete(seat, message, [*audit, *cleaning, *gone])
            except ConditionFailed:
                continue  # one of its files became part of a record at the same time, and remains
            if cleaning:
                self.reaction_cleanup.nudge()
            return
        raise Busy

    # Reading

    async def page(
        self,
        actor: Actor,
        room_id: RoomId,
        *,
        limit: int,
        before: MessageId | None = None,
        after: MessageId | None = None,
        around: MessageId | None = None,
        cursor: str | None = None,
    ) -> History:
        """Return a page of messages, newest first; with `after`, oldest first."""
        if (before, after, around).count(None) < 2:
            raise OneDirection
        seat = await self._authorize_reader(actor, room_id)

        if around is not None and cursor is None:
            return await self._archive.around(seat, around, limit)
        start = before if before is not None else after
        if start is None and cursor is None:
            return await self._archive.newest(seat, limit)
        return await self._archive.page(
            seat, limit=limit, newest_first=after is None, start=None if cursor else start, cursor=cursor
        )

    async def get_message(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> MessageView:
        """Return a message; a deleted one as its tombstone."""
        seat = await self._authorize_reader(actor, room_id)
        message = await self._archive.find(seat, message_id)
        if message is None:
            raise NotFound
        return (await self._renderer.render(seat, [message]))[0]

    async def find_message(self, actor: Actor, message_id: MessageId) -> MessageView | None:
        """Return a message by its id alone, or None if it is in no room of this kind that the actor is in."""
        room_id = await self._archive.find_room(actor.user_id, message_id)
        try:
            return None if room_id is None else await self.get_message(actor, room_id, message_id)
        except NotFound:
            return None

    # Reactions

    async def react(self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str) -> None:
        """Add the actor's reaction; adding it again has no effect."""
        seat = await self._access.authorize_action(actor, room_id)
        seat.require("send")
        if not is_emoji(emoji):
            raise NotAnEmoji
        message = await self._archive.get(seat, message_id)
        if message.type == SYSTEM_TYPE:
            raise PartOfRecord("A system notice accepts no reactions.")
        await self._reactions.add(seat, message, emoji)

    async def list_reactors(
        self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ReactorView], str | None]:
        """Return a page of the users who reacted to a message with an emoji."""
        seat = await self._access.authorize(actor, room_id)
        message = await self._archive.get(seat, message_id)
        return await self._reactions.list_reactors(seat, message, emoji, limit=limit, cursor=cursor)

    async def unreact(self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str) -> None:
        """Remove the actor's reaction; removing one that does not exist has no effect."""
        seat = await self._access.authorize(actor, room_id)
        await self._reactions.remove(seat, await self._archive.get(seat, message_id), emoji)

    # Pins

    async def pin(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Pin a message; pinning it again has no effect."""
        seat = await self._access.authorize_action(actor, room_id)
        seat.require("pin")
        seat.require_not_silenced()
        await self._pins.pin(seat, message_id)

    async def unpin(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Unpin a message; unpinning one that is not pinned has no effect."""
        seat = await self._access.authorize(actor, room_id)
        seat.require("pin")
        await self._pins.unpin(seat, message_id)

    async def list_pins(
        self, actor: Actor, room_id: RoomId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[PinView], str | None]:
        """Return a page of pinned messages, newest message first."""
        return await self._pins.list(await self._access.authorize(actor, room_id), limit=limit, cursor=cursor)

    # Read positions

    async def mark_read(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> ReadView:
        """Move the actor's cursor to a message of the room; it never moves back."""
        seat = await self._access.authorize(actor, room_id)
        message = await self._archive.find(seat, message_id)
        if message is None:
            raise NotFound

        key = self.kind.cursor_key(room_id, seat.user_id)
        fields = self.kind.cursor.message_fields(message)
        move = set_to(last_read_message_id=message_id, updated_at=self._clock.now(), **fields)
        cursor: ReadCursor | None
        try:
            cursor = await self._table.write(
                self._moving(key, move, when=cursor_moves_forward(message, fields)),
                pattern=self.kind.mark_read,
            )
        except ConditionFailed:
            cursor = await self._table.get(key, consistent=True)
            if cursor is None:
                raise NotFound from None

        unread = await self._unread.count(seat, cursor)
        return ReadView(cursor.last_read_message_id, unread)

    async def unread(self, actor: Actor, room_id: RoomId) -> UnreadView:
        """Return the number of messages of others after the actor's cursor."""
        seat = await self._access.authorize(actor, room_id)
        cursor = await self._table.get(self.kind.cursor_key(room_id, seat.user_id), consistent=True)
        return await self._unread.count(seat, cursor)

    async def unread_everywhere(self, actor: Actor) -> list[RoomUnreadView]:
        """Return the unread counts of all rooms of this kind that have unread messages."""
        return [
            RoomUnreadView(self.kind.name, seat.room_id, unread.count, unread.capped, unread.mentions, state.muted)
            for state in await self._unread.everywhere(await self._access.seats_of(actor))
            for seat, _, unread in [state]
            if unread.count or unread.capped
        ]

    async def unread_states(self, seats: Sequence[Seat], *, counted: int | None = None) -> list[RoomUnreadState]:
        """Return a user's unread states in these rooms, counted in up to `counted` of them."""
        return await self._unread.unread_states(seats, counted=counted)

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        """Return the actor's seats in all rooms of this kind."""
        return await self._access.seats_of(actor)

    async def list_readers(
        self, actor: Actor, room_id: RoomId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ReaderView], str | None]:
        """Return a page of the users in the room and how far each has read."""
        await self._access.authorize(actor, room_id)

        page = await self._table.query(self.kind.readers(room_id=room_id), limit=limit, cursor=cursor)
        user_ids = [reader.user_id for reader in page.items]
        inside = await self._access.current_members(room_id, user_ids)
        profiles = await self._users.profiles([user_id for user_id in user_ids if user_id in inside])

        readers = [
            ReaderView(
                reader.user_id,
                profiles[reader.user_id].username,
                profiles[reader.user_id].display_name,
                profiles[reader.user_id].avatar_url,
                reader.last_read_message_id,
                reader.read_at,
            )
            for reader in page.items
            if reader.user_id in profiles and reader.last_read_message_id is not None
        ]
        return readers, page.cursor

    async def set_preferences(self, actor: Actor, room_id: RoomId, *, muted: bool) -> PreferencesView:
        """Set the actor's notification preferences for the room."""
        seat = await self._access.authorize(actor, room_id)

        key = self.kind.cursor_key(room_id, seat.user_id)
        try:
            cursor = await self._table.write(self._moving(key, set_to(muted=muted)), pattern=self.kind.mark_read)
        except ConditionFailed:
            raise NotFound from None

        return PreferencesView(cursor.muted)

    # Typing and reports

    async def typing(self, actor: Actor, room_id: RoomId) -> None:
        """Publish that the actor is typing."""
        seat = await self._access.authorize_action(actor, room_id)
        seat.require("send")
        await self._typing.typing(self.kind.name, seat)

    async def stop_typing(self, actor: Actor, room_id: RoomId) -> None:
        """Publish that the actor stopped typing."""
        seat = await self._access.authorize_action(actor, room_id)
        seat.require("send")
        await self._typing.stopped_typing(self.kind.name, seat)

    async def report(self, actor: Actor, room_id: RoomId, message_id: MessageId, reason: str) -> None:
        """Report a message to the moderators; reporting it again has no effect."""
        seat = await self._access.authorize(actor, room_id)
        await self._cases.report(seat, await self._archive.get(seat, message_id), reason)

    # Internal

    async def _authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        """Return the seat of a user, or of a server key in a room of its tenant."""
        if actor.user is None:
            return await self._access.authorize_backend(actor, room_id)
        return await self._access.authorize(actor, room_id)

    async def _authorize_reader(self, actor: Actor, room_id: RoomId) -> Seat:
        seat = await self._authorize(actor, room_id)
        seat.require("read")
        return seat

    async def _authorize_author(self, actor: Actor, room_id: RoomId, draft: Draft) -> Seat:
        """Return the seat for a send: of a user, or of a server key for a message of the system."""
        if draft.type != SYSTEM_TYPE:
            actor.require_user()  # before a server key can find out whether the room exists
            return await self._access.authorize_send(actor, room_id)
        if actor.user is not None:
            raise Forbidden("Only a server key can send messages of the system.")
        return await self._access.authorize_backend(actor, room_id)

    def _moving(self, key: Key[ReadCursor], changes: Changes, when: Condition | None = None) -> Update[ReadCursor]:
        """Return a change of a cursor, which creates it unless it is also a seat."""
        return (Update if self.kind.cursor_is_seat else Upsert)(key, changes, when=when)
