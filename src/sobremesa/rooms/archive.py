"""Message history of a room: single messages and pages."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId, is_ulid
from sobremesa.http.endpoints import Listed
from sobremesa.rooms.access import Seat
from sobremesa.rooms.entities import Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.rendering import MessageRenderer, Unrendered
from sobremesa.rooms.tails import Tails
from sobremesa.rooms.views import MessageView
from sobremesa.rooms.visibility import may_see
from sobremesa.table import IndexKey, Key, Page, RawKey, ReadCache, Table

CACHED_PAGES = 200
ROOMS_AT_ONCE = 100
MAX_ROOMS = 1000
"""The number of a user's rooms that are searched for a message by its id alone."""
MAX_NEARBY = 50
MAX_SCANNED = 5_000
"""The number of newest messages that are searched for another writer's message without an index or a pointer."""
SCAN_PAGE_SIZE = 500


class History:
    """A page of messages, and the cursor of the next page."""

    __slots__ = ("_json", "cursor", "messages")

    def __init__(self, messages: list[MessageView], cursor: str | None) -> None:
        self.messages = messages
        self.cursor = cursor
        self._json: bytes | None = None

    @property
    def json(self) -> bytes:
        """The page as JSON, encoded once for all requests."""
        if self._json is None:
            self._json = msgspec.json.encode(Listed(self.messages, self.cursor))
        return self._json


class _Newest(NamedTuple):
    """The newest messages of a room, and the page that most readers see."""

    unrendered: Unrendered
    history: History


class Archive:
    """Finds messages in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, renderer: MessageRenderer, tails: Tails) -> None:
        self._kind = kind
        self._table = table
        self._renderer = renderer
        self._tails = tails
        self._newest: ReadCache[tuple[RoomId, int], _Newest] = ReadCache(table, CACHED_PAGES)

    # One message

    async def find(self, seat: Seat, message_id: MessageId) -> Message | None:
        """Return a message of the room, or None; one with another writer's key is found by the index."""
        return await find_message(self._kind, self._table, seat.room_id, message_id)

    async def get(self, seat: Seat, message_id: MessageId) -> Message:
        """Return a message that is not deleted and that the user may see; NotFound otherwise."""
        message = await self.find(seat, message_id)
        if message is None or message.deleted or not may_see(seat, message):
            raise NotFound
        return message

    async def find_all(self, seat: Seat, message_ids: Sequence[MessageId]) -> list[Message | None]:
        """Return messages of the room in the order of the ids, by one batch where keys follow from ids."""
        keys: list[Key[Message]] = []
        for message_id in message_ids:
            with contextlib.suppress(ValueError):
                keys.append(self._kind.message_key(seat.room_id, message_id))
        rows = await self._table.get_many(keys)
        found = {message.message_id: message for message in rows if message is not None}
        return [found.get(each) or await self._find_foreign(seat, each) for each in message_ids]

    async def find_room(self, user_id: UserId, message_id: MessageId) -> RoomId | None:
        """Return the room of a message, by the index or by a search of the user's rooms."""
        kind = self._kind
        if kind.messages_by_id is not None:
            found = (await self._table.query(kind.messages_by_id(message_id=message_id), limit=1)).items
            return found[0].room_id if found else None
        if kind.rooms_of is None:
            return None
        is_foreign = kind.has_time_in_keys and not is_ulid(message_id)
        if is_foreign and kind.pointer_by_id is None:
            return None
        key_in = partial(_pointer_key, kind) if is_foreign else kind.message_key
        cursor: str | None = None
        for _ in range(0, MAX_ROOMS, ROOMS_AT_ONCE):
            page = await self._table.query(kind.rooms_of(user_id=user_id), limit=ROOMS_AT_ONCE, cursor=cursor)
            keys = [key_in(room.room_id, message_id) for room in page.items]
            rows = await self._table.get_many(keys, consistent=True)
            room_id = next((row.room_id for row in rows if row is not None), None)
            if room_id is not None or page.cursor is None:
                return room_id
            cursor = page.cursor
        return None

    # Pages

    async def newest(self, seat: Seat, limit: int) -> History:
        """Return the newest page, which is cached for all readers until something in the room changes."""
        key = (seat.room_id, limit)
        unrendered, history = await self._newest.get_or_load(key, lambda: self._read_newest(seat, limit))
        views = await self._renderer.render_for(seat, unrendered)
        return history if views is unrendered.plain else History(views, history.cursor)

    async def page(
        self, seat: Seat, *, limit: int, newest_first: bool, start: MessageId | None, cursor: str | None
    ) -> History:
        """Return the messages before or after one, or the page at a cursor."""
        page = await self._ask(seat, limit=limit, newest_first=newest_first, start=start, cursor=cursor)
        return History(await self._renderer.render(seat, page.items), page.cursor)

    async def around(self, seat: Seat, message_id: MessageId, limit: int) -> History:
        """Return a message with those before and after it, newest first; the cursor continues with older ones."""
        middle = await self.find(seat, message_id)
        others = limit - (middle is not None)
        older = await self._ask(seat, limit=max(1, others // 2), newest_first=True, start=message_id)
        older_items = older.items[: others // 2]
        missing = others - len(older_items)
        newer = await self._ask(seat, limit=missing, newest_first=False, start=message_id) if missing > 0 else None
        messages = [*reversed(newer.items if newer else []), *([middle] if middle else []), *older_items]
        return History(await self._renderer.render(seat, messages), older.cursor)

    # Internal

    async def _ask(
        self, seat: Seat, *, limit: int, newest_first: bool, start: MessageId | None, cursor: str | None = None
    ) -> Page[Message]:
        if newest_first and start is None and cursor is None:
            return await self._tails.newest(seat.head, limit)
        after = None if start is None else await self._position(seat, start)
        page = await self._tails.find_page(
            seat.head, limit=limit, newest_first=newest_first, after=after, cursor=cursor
        )
        if page is not None:
            return page
        return await self._table.query(
            self._kind.messages(room_id=seat.room_id),
            limit=limit,
            after=after,
            newest_first=newest_first,
            cursor=cursor,
            # What follows a message must be complete; older messages no longer change order.
            consistent=not newest_first,
        )

    async def _read_newest(self, seat: Seat, limit: int) -> _Newest:
        page = await self._ask(seat, limit=limit, newest_first=True, start=None)
        unrendered = await self._renderer.load(seat.room_id, page.items)
        return _Newest(unrendered, History(unrendered.plain or [], page.cursor))

    async def _position(self, seat: Seat, message_id: MessageId) -> Key[Message]:
        """Return the key at which a message is or would be."""
        try:
            return self._kind.message_key(seat.room_id, message_id)
        except ValueError:
            message = await self._find_foreign(seat, message_id)
            if message is None:
                raise NotFound from None
            return message.own_key()

    async def _find_foreign(self, seat: Seat, message_id: MessageId) -> Message | None:
        return await _find_foreign(self._kind, self._table, seat.room_id, message_id)


async def find_message(kind: RoomKind, table: Table, room_id: RoomId, message_id: MessageId) -> Message | None:
    """A message of a room, by its key; one that another writer keyed otherwise, by the index."""
    key: Key[Message]
    try:
        key = kind.message_key(room_id, message_id)
    except ValueError:
        return await _find_foreign(kind, table, room_id, message_id)
    message = await table.get(key, consistent=True)
    return message if message is not None else await _find_foreign(kind, table, room_id, message_id)


async def _find_foreign(kind: RoomKind, table: Table, room_id: RoomId, message_id: MessageId) -> Message | None:
    """Return a message with another writer's key: by the index, or by a search if there is none."""
    if kind.messages_by_id is not None:
        page = await table.query(kind.messages_by_id(message_id=message_id), limit=10)
        return next((message for message in page.items if message.room_id == room_id), None)
    if not kind.has_time_in_keys:
        return None  # its key follows from its id, so it does not exist
    found = await _find_by_pointer(kind, table, room_id, message_id)
    if found is not None:
        return found
    if is_ulid(message_id):
        return await _find_nearby(kind, table, room_id, message_id)
    return await _scan_newest(kind, table, room_id, message_id)


async def _find_by_pointer(kind: RoomKind, table: Table, room_id: RoomId, message_id: MessageId) -> Message | None:
    """Return a message that adoption created a pointer to."""
    if kind.pointer_by_id is None:
        return None
    pointer = await table.get(_pointer_key(kind, room_id, message_id))
    if pointer is None:
        return None
    message: Message | None = await table.get(kind.message_by_key(**pointer.key_parts), consistent=True)
    return message


def _pointer_key(kind: RoomKind, room_id: RoomId, message_id: MessageId) -> Key[Any]:
    assert kind.pointer_by_id is not None  # noqa: S101 - for the type checker
    return kind.pointer_by_id(room_id=room_id, message_id=message_id)


async def _find_nearby(kind: RoomKind, table: Table, room_id: RoomId, message_id: MessageId) -> Message | None:
    """Return a message whose key holds a time close to that of its id, but not the same."""
    question, start = kind.messages(room_id=room_id), kind.message_key(room_id, message_id)
    for newest_first in (True, False):
        page: Page[Message] = await table.query(question, limit=MAX_NEARBY, after=start, newest_first=newest_first)
        found = next((message for message in page.items if message.message_id == message_id), None)
        if found is not None:
            return found
    return None


async def _scan_newest(kind: RoomKind, table: Table, room_id: RoomId, message_id: MessageId) -> Message | None:
    """Search the newest messages of a room for one whose id does not determine its key."""
    question = kind.messages(room_id=room_id)
    last: RawKey | IndexKey | None = None
    for _ in range(0, MAX_SCANNED, SCAN_PAGE_SIZE):
        page: Page[Message] = await table.query(question, limit=SCAN_PAGE_SIZE, after=last, newest_first=True)
        found = next((message for message in page.items if message.message_id == message_id), None)
        if found is not None or page.last is None:
            return found
        last = page.last
    return None
