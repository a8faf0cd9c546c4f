"""The verbs of a room, for every kind of room."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from sobremesa.clock import Clock, Instant, instant, milliseconds
from sobremesa.errors import Busy, Forbidden, NotFound
from sobremesa.http.endpoints import Listed
from sobremesa.ids import Ids, MessageId, RoomId, is_ulid
from sobremesa.people import Actor, UserId
from sobremesa.rooms.door import Door, Ephemeral, Nobody, People, Seat, newest
from sobremesa.rooms.dressing import Dressing, Undressed
from sobremesa.rooms.entities import Message, ModerationCase, ReadCursor, report_message
from sobremesa.rooms.errors import NonceReused, OneDirection, ReplyMissing, TooManyPins
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.lanes import Lanes
from sobremesa.rooms.reactions import Reactions
from sobremesa.rooms.unread import Unread
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
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Key,
    Operation,
    Page,
    Remembered,
    Table,
    Update,
    Upsert,
    differs,
    hash_part,
    less_if_present,
    present,
    remove,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

MAX_CONTENT = 4000
REMEMBERED_PAGES = 200
MAX_MENTIONS = 50
MAX_PINS = 100
NONCE_SECONDS = 48 * 3600
SEND_ATTEMPTS = 40
MODERATION_SHARDS = 16

_HEAD, _NONCE = 1, 2
"""Places among the operations of a send."""

_MENTION = re.compile(r"(?<![\w@])@([\w.-]{2,32})")


class Draft(NamedTuple):
    """A message that somebody wants to send."""

    content: str
    nonce: str | None = None
    reply_to: MessageId | None = None
    attachments: Sequence[dict[str, Any]] = ()

    @property
    def hash(self) -> str:
        """Stands for all that a nonce is bound to."""
        return hash_part(self.content, self.reply_to or "", msgspec.json.encode(list(self.attachments)).decode())


class History:
    """One page of what was said, and the cursor of the page after it."""

    __slots__ = ("_json", "cursor", "messages")

    def __init__(self, messages: list[MessageView], cursor: str | None) -> None:
        self.messages = messages
        self.cursor = cursor
        self._json: bytes | None = None

    @property
    def json(self) -> bytes:
        """The page as clients get it, encoded once however many ask for it."""
        if self._json is None:
            self._json = msgspec.json.encode(Listed(self.messages, self.cursor))
        return self._json


class _Newest(NamedTuple):
    """The newest messages of a room, and how they look to most people."""

    undressed: Undressed
    history: History


class Rooms:
    """Everything about messages, in rooms of one kind."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        clock: Clock,
        ids: Ids,
        door: Door,
        people: People,
        ephemeral: Ephemeral | None = None,
    ) -> None:
        self.kind = kind
        self._table = table
        self._clock = clock
        self._ids = ids
        self._door = door
        self._people = people
        self._ephemeral = ephemeral or Nobody()
        self._newest: Remembered[tuple[RoomId, int], _Newest] = Remembered(table, REMEMBERED_PAGES)
        self._lanes = Lanes(needed=not table.engine.keeps_order)
        self._dressing = Dressing(kind, table, people)
        self._unread = Unread(kind, table)
        self._reactions = Reactions(kind, table, clock, people, self._lanes)

    # Saying

    async def send(self, actor: Actor, room_id: RoomId, draft: Draft) -> SentView:
        """Say something. The same nonce again gives the first message; with another body it is refused."""
        seat = await self._door.enter_to_send(actor, room_id)
        seat.require("send")
        if draft.reply_to is not None and await self._find(seat, draft.reply_to) is None:
            raise ReplyMissing
        mentions = await self._mentioned(draft.content)

        async with self._lanes.of(room_id):
            message = await self._write(seat, draft, mentions)

        if message is None:
            return await self._replay(seat, draft)
        return self._dressing.dress_new(message)

    async def edit(self, actor: Actor, room_id: RoomId, message_id: MessageId, content: str) -> MessageView:
        """Say it otherwise: one's own messages only."""
        seat = await self._door.enter(actor, room_id)
        message = await self._get(seat, message_id)
        if message.author_id != seat.user_id:
            raise Forbidden("Only its author edits a message.")
        mentions = await self._mentioned(content)

        now = self._now()
        changes = set_to(content=content, edited=True, edited_at=now, updated_at=now, mentions=mentions or None)
        try:
            edited = await self._table.write(
                Update(message.own_key(), changes, when=differs("deleted", True)), pattern=self.kind.edit
            )
        except ConditionFailed:
            raise NotFound from None

        return (await self._dressing.dress(seat, [edited]))[0]

    async def delete(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Take back what was said: one's own, or with the right to moderate anybody's. A tombstone stays."""
        seat = await self._door.enter(actor, room_id)
        message = await self._get(seat, message_id)
        is_own = message.author_id == seat.user_id
        if not is_own:
            seat.require("moderate")

        operations: list[Operation] = [
            Update(
                message.own_key(),
                set_to(deleted=True, content="", updated_at=self._now()),
                remove("mentions", "attachments", "reactions", "reply_to"),
                when=differs("deleted", True),
            )
        ]
        if not is_own:
            about = {"messageId": message_id, "roomId": room_id}
            operations.append(self._door.audit(seat, "message.delete", target=message.author_id, about=about))
        try:
            await self._table.write(*operations, pattern=self.kind.delete)
        except ConditionFailed:
            raise NotFound from None

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
        """A page of messages, newest first; after a message the next ones in the order in which they were said."""
        if sum(place is not None for place in (before, after, around)) > 1:
            raise OneDirection
        seat = await self._door.enter(actor, room_id)

        if around is not None and cursor is None:
            return await self._around(seat, around, limit)
        start = before if before is not None else after
        if start is None and cursor is None:
            return await self._newest_page(seat, limit)
        page = await self._ask(
            seat, limit=limit, newest_first=after is None, start=None if cursor else start, cursor=cursor
        )

        return History(await self._dressing.dress(seat, page.items), page.cursor)

    async def get(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> MessageView:
        """One message; a deleted one as its tombstone."""
        seat = await self._door.enter(actor, room_id)
        message = await self._find(seat, message_id)
        if message is None:
            raise NotFound
        return (await self._dressing.dress(seat, [message]))[0]

    async def find_anywhere(self, actor: Actor, message_id: MessageId) -> MessageView | None:
        """A message by its id alone, if it is in a room of this kind that the person may enter."""
        if self.kind.messages_by_id is None:
            return None
        found = (await self._table.query(self.kind.messages_by_id(message_id=message_id), limit=1)).items
        try:
            return await self.get(actor, found[0].room_id, message_id) if found else None
        except NotFound:
            return None

    # Reacting

    async def react(self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str) -> None:
        """Add one's reaction; adding it again changes nothing."""
        seat = await self._door.enter(actor, room_id)
        seat.require("send")
        await self._reactions.add(seat, await self._get(seat, message_id), emoji)

    async def list_reactors(
        self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str, *, limit: int, cursor: str | None
    ) -> tuple[list[ReactorView], str | None]:
        """Who reacted to a message with an emoji."""
        seat = await self._door.enter(actor, room_id)
        message = await self._get(seat, message_id)
        return await self._reactions.list_reactors(seat, message, emoji, limit=limit, cursor=cursor)

    async def unreact(self, actor: Actor, room_id: RoomId, message_id: MessageId, emoji: str) -> None:
        """Take one's reaction back; one that is not there changes nothing."""
        seat = await self._door.enter(actor, room_id)
        await self._reactions.take_back(seat, await self._get(seat, message_id), emoji)

    # Pinning

    async def pin(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Keep a message at hand; pinning it again changes nothing."""
        seat = await self._door.enter(actor, room_id)
        seat.require("pin")
        message = await self._get(seat, message_id)
        if await self._table.get(self.kind.pin_by_key(room_id=room_id, message_id=message_id)) is not None:
            return
        pins = await self._table.count(self.kind.pins(room_id=room_id), at_most=MAX_PINS)
        if pins.count >= MAX_PINS:
            raise TooManyPins(limit=MAX_PINS)

        pin = self.kind.pin(room_id=room_id, message_id=message_id, pinned_by=seat.user_id, pinned_at=self._now())
        about = {"messageId": message_id, "roomId": room_id}
        try:
            await self._table.write(
                Check(message.own_key(), when=present() & differs("deleted", True)),
                Create(pin),
                self._door.audit(seat, "message.pin", target=message.author_id, about=about),
                pattern=self.kind.set_pin,
            )
        except ConditionFailed as failed:
            if failed.at(0):
                raise NotFound from None

    async def unpin(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Let go of a pinned message; one that is not pinned changes nothing."""
        seat = await self._door.enter(actor, room_id)
        seat.require("pin")

        about = {"messageId": message_id, "roomId": room_id}
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Delete(self.kind.pin_by_key(room_id=room_id, message_id=message_id)),
                self._door.audit(seat, "message.unpin", target=message_id, about=about),
                pattern=self.kind.set_pin,
            )

    async def list_pins(
        self, actor: Actor, room_id: RoomId, *, limit: int, cursor: str | None
    ) -> tuple[list[PinView], str | None]:
        """The pinned messages, the newest message first."""
        seat = await self._door.enter(actor, room_id)

        page = await self._table.query(self.kind.pins(room_id=room_id), limit=limit, cursor=cursor)
        found = await self._find_all(seat, [pin.message_id for pin in page.items])
        kept = [
            (pin, message)
            for pin, message in zip(page.items, found, strict=True)
            if message is not None and not message.deleted
        ]
        views = await self._dressing.dress(seat, [message for _, message in kept])

        return [
            PinView(view, pin.pinned_by, pin.pinned_at) for (pin, _), view in zip(kept, views, strict=True)
        ], page.cursor

    # Having read

    async def mark_read(self, actor: Actor, room_id: RoomId, message_id: MessageId) -> ReadView:
        """Move one's cursor up to a message of the room; it never moves back."""
        seat = await self._door.enter(actor, room_id)
        message = await self._find(seat, message_id)
        if message is None:
            raise NotFound

        key = self.kind.cursor_key(room_id, seat.user_id)
        move = set_to(last_read_message_id=message_id, updated_at=self._now(), **self.kind.cursor.marks(message))
        cursor: ReadCursor | None
        try:
            cursor = await self._table.write(
                Upsert(key, move, when=less_if_present("last_read_message_id", message_id)),
                pattern=self.kind.mark_read,
            )
        except ConditionFailed:
            cursor = await self._table.get(key, consistent=True)

        unread = await self._unread.count(seat, cursor)
        return ReadView(message_id if cursor is None else cursor.last_read_message_id, unread)

    async def unread(self, actor: Actor, room_id: RoomId) -> UnreadView:
        """How much others said since one read."""
        seat = await self._door.enter(actor, room_id)
        cursor = await self._table.get(self.kind.cursor_key(room_id, seat.user_id), consistent=True)
        return await self._unread.count(seat, cursor)

    async def unread_everywhere(self, actor: Actor) -> list[RoomUnreadView]:
        """Every room of this kind in which something is unread."""
        return await self._unread.totals(await self._door.seats_of(actor))

    async def list_readers(
        self, actor: Actor, room_id: RoomId, *, limit: int, cursor: str | None
    ) -> tuple[list[ReaderView], str | None]:
        """Who of the people in the room has read how far."""
        await self._door.enter(actor, room_id)

        page: Page[ReadCursor] = await self._table.query(self.kind.readers(room_id=room_id), limit=limit, cursor=cursor)
        user_ids = [reader.user_id for reader in page.items]
        inside = await self._door.still_inside(room_id, user_ids)
        faces = await self._people.faces([user_id for user_id in user_ids if user_id in inside])

        readers = [
            ReaderView(
                reader.user_id,
                faces[reader.user_id].username,
                faces[reader.user_id].avatar_url,
                reader.last_read_message_id,
                reader.updated_at,
            )
            for reader in page.items
            if reader.user_id in faces and reader.last_read_message_id is not None
        ]
        return readers, page.cursor

    async def set_preferences(self, actor: Actor, room_id: RoomId, *, muted: bool) -> PreferencesView:
        """Whether one wants to hear of this room."""
        seat = await self._door.enter(actor, room_id)

        key = self.kind.cursor_key(room_id, seat.user_id)
        cursor = await self._table.write(Upsert(key, set_to(muted=muted)), pattern=self.kind.mark_read)

        return PreferencesView(cursor.muted)

    # Telling

    async def typing(self, actor: Actor, room_id: RoomId) -> None:
        """Tell those who look at the room that one is writing."""
        seat = await self._door.enter(actor, room_id)
        seat.require("send")
        await self._ephemeral.typing(seat)

    async def report(self, actor: Actor, room_id: RoomId, message_id: MessageId, reason: str) -> None:
        """Ask the moderators to look at a message."""
        seat = await self._door.enter(actor, room_id)
        message = await self._get(seat, message_id)

        now = self._now()
        case = ModerationCase(
            shard=milliseconds(now) % MODERATION_SHARDS,
            created_at=now,
            message_id=message_id,
            room_kind=self.kind.name,
            room_id=room_id,
            author_id=message.author_id,
            reported_by=seat.user_id,
            reason=reason,
        )
        try:
            await self._table.write(Create(case), pattern=report_message)
        except ConditionFailed:
            # Reported in the very same millisecond: the moderators look once.
            return

    # Inside

    async def _write(self, seat: Seat, draft: Draft, mentions: list[UserId]) -> Message | None:
        """Write a message after all others of its room; None if its nonce has made one before."""
        last = seat.head.last_message_id
        for _ in range(SEND_ATTEMPTS):
            message = self._compose(seat, draft, mentions, last)
            try:
                await self._table.write(*self._send_operations(seat, draft, message), pattern=self.kind.send)
            except ConditionFailed as failed:
                if failed.at(_NONCE):
                    return None
                # Somebody was faster: this message takes an id after theirs, so that the room has one order.
                last = newest(last, self._head_after(failed))
            else:
                return message
        raise Busy("This room is too busy: try again in a moment.")

    def _compose(self, seat: Seat, draft: Draft, mentions: list[UserId], last: MessageId | None) -> Message:
        message_id = MessageId(self._ids.mint() if last is None else self._ids.mint_after(last))
        parts = self.kind.message.time_parts(message_id)
        return self.kind.message(
            room_id=seat.room_id,
            message_id=message_id,
            author_id=seat.user_id,
            username=seat.actor.username,
            content=draft.content,
            reply_to=draft.reply_to,
            mentions=mentions or None,
            attachments=list(draft.attachments) or None,
            created_at=self._now(),
            **parts,
        )

    def _send_operations(self, seat: Seat, draft: Draft, message: Message) -> list[Operation]:
        head = self.kind.head.key(room_id=seat.room_id)
        operations: list[Operation] = [
            Create(message),
            Update(
                head,
                set_to(last_message_id=message.message_id),
                when=less_if_present("last_message_id", message.message_id),
            ),
        ]
        if draft.nonce is not None:
            operations.append(
                Create(
                    self.kind.nonce(
                        room_id=seat.room_id,
                        user_id=seat.user_id,
                        nonce_hash=hash_part(draft.nonce),
                        message_id=message.message_id,
                        body_hash=draft.hash,
                        ttl=self._clock.now_ms() // 1000 + NONCE_SECONDS,
                    )
                )
            )
        return operations

    async def _replay(self, seat: Seat, draft: Draft) -> SentView:
        """The message that this nonce made; NonceReused if it was another one."""
        key = self.kind.nonce_by_key(
            room_id=seat.room_id, user_id=seat.user_id, nonce_hash=hash_part(draft.nonce or "")
        )
        nonce = await self._table.get(key)
        if nonce is None:
            raise Busy
        if nonce.body_hash != draft.hash:
            raise NonceReused(message_id=nonce.message_id)
        message = await self._find(seat, nonce.message_id)
        if message is None:
            raise NotFound
        [view] = await self._dressing.dress(seat, [message])
        return SentView(**msgspec.structs.asdict(view), replayed=True)

    async def _mentioned(self, content: str) -> list[UserId]:
        """The people that a text names with @."""
        if "@" not in content:
            return []
        names = list(dict.fromkeys(_MENTION.findall(content)))[:MAX_MENTIONS]
        found = await self._people.find_by_usernames([name.rstrip(".-") for name in names]) if names else {}
        return list(dict.fromkeys(found.values()))

    async def _find(self, seat: Seat, message_id: MessageId) -> Message | None:
        """A message of this room, by its key; one that another writer keyed otherwise, by the index."""
        key: Key[Message]
        try:
            key = self.kind.message_key(seat.room_id, message_id)
        except ValueError:
            return await self._find_foreign(seat, message_id)
        message = await self._table.get(key, consistent=True)
        return message if message is not None else await self._find_foreign(seat, message_id)

    async def _find_all(self, seat: Seat, message_ids: Sequence[MessageId]) -> list[Message | None]:
        """Messages of this room, in the order of their ids; those of our own by one request."""
        ours = [message_id for message_id in message_ids if is_ulid(message_id)]
        rows = await self._table.get_many([self.kind.message_key(seat.room_id, message_id) for message_id in ours])
        found = {message.message_id: message for message in rows if message is not None}
        return [found.get(each) or await self._find_foreign(seat, each) for each in message_ids]

    async def _find_foreign(self, seat: Seat, message_id: MessageId) -> Message | None:
        if self.kind.messages_by_id is None:
            return None
        page = await self._table.query(self.kind.messages_by_id(message_id=message_id), limit=10)
        return next((message for message in page.items if message.room_id == seat.room_id), None)

    async def _get(self, seat: Seat, message_id: MessageId) -> Message:
        """A message that still says something."""
        message = await self._find(seat, message_id)
        if message is None or message.deleted:
            raise NotFound
        return message

    async def _ask(
        self, seat: Seat, *, limit: int, newest_first: bool, start: MessageId | None, cursor: str | None = None
    ) -> Page[Message]:
        place = None if start is None else await self._place(seat, start)
        # The newest must be whole, and so must what follows a message; what is older has settled.
        is_settled = newest_first and (start is not None or cursor is not None)
        return await self._table.query(
            self.kind.messages(room_id=seat.room_id),
            limit=limit,
            after=place,
            newest_first=newest_first,
            cursor=cursor,
            consistent=not is_settled,
        )

    async def _newest_page(self, seat: Seat, limit: int) -> History:
        """What most people ask for: remembered until something in the room changes, the same for all of them."""
        key = (seat.room_id, limit)
        undressed, history = await self._newest.ask(key, lambda: self._read_newest(seat, limit))
        views = await self._dressing.dress_for(seat, undressed)
        return history if views is undressed.plain else History(views, history.cursor)

    async def _read_newest(self, seat: Seat, limit: int) -> _Newest:
        page = await self._ask(seat, limit=limit, newest_first=True, start=None)
        undressed = await self._dressing.undressed(seat.room_id, page.items)
        return _Newest(undressed, History(undressed.plain or [], page.cursor))

    async def _place(self, seat: Seat, message_id: MessageId) -> Key[Message]:
        """Where a message is, or would be."""
        try:
            return self.kind.message_key(seat.room_id, message_id)
        except ValueError:
            message = await self._find_foreign(seat, message_id)
            if message is None:
                raise NotFound from None
            return message.own_key()

    async def _around(self, seat: Seat, message_id: MessageId, limit: int) -> History:
        """The message with what was said before and after it, newest first; the cursor goes on with older ones."""
        middle = await self._find(seat, message_id)
        others = limit - (middle is not None)
        older = await self._ask(seat, limit=max(1, others // 2), newest_first=True, start=message_id)
        older_items = older.items[: others // 2]
        missing = others - len(older_items)
        newer = await self._ask(seat, limit=missing, newest_first=False, start=message_id) if missing > 0 else None
        messages = [*reversed(newer.items if newer else []), *([middle] if middle else []), *older_items]
        return History(await self._dressing.dress(seat, messages), older.cursor)

    def _head_after(self, failed: ConditionFailed) -> MessageId | None:
        """The id that the room's head has by now; NotFound if the room is gone."""
        for failure in failed.failures:
            if failure.index == _HEAD:
                if failure.item is None:
                    raise NotFound
                last: MessageId | None = failure.item.get(self.kind.head.shape.attribute("last_message_id"))
                return last
        return None

    def _now(self) -> Instant:
        return instant(self._clock.now_ms())
