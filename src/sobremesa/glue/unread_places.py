"""What a digest shows: unread conversations, mentions, threads and notifications, as the user may see them now.

It reads by the same verbs as a client. Beyond what those withhold, it leaves out all that moderation has found anything
in, for moderators too, and messages of users whom the reader has blocked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import lenient_ms
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import blocks_of
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations.entities import Conversation
from sobremesa.domains.conversations.service import Conversations
from sobremesa.domains.inboxes.entities import InboxConfig, inboxes_of
from sobremesa.domains.inboxes.listing import Entry
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.mail.content import Excerpt
from sobremesa.domains.notifications.entities import Level
from sobremesa.domains.notifications.unread import UnreadPlace
from sobremesa.domains.threads.service import Threads
from sobremesa.rooms.access import Seat
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.unread import RoomUnreadState, read_up_to
from sobremesa.rooms.views import MessageView
from sobremesa.table import Table

MAX_BLOCKS = 1000
MAX_ROOMS = 500
"""The rooms of one kind that are looked at, newest message first."""
COUNTED_ROOMS = 100
LOADED_ROOMS = 20
PAGE = 100
PAGES = 2
"""Unread counts look at as many messages as these pages have."""
MAX_INBOXES = 20
MAX_NOTIFICATIONS = 50
EXCERPTS = 3
MAX_EXCERPT = 160


class _Reader(NamedTuple):
    """The user, and what they do not want to be notified about."""

    actor: Actor
    levels: Mapping[RoomId, Level]
    blocked: frozenset[UserId]


class _Place(NamedTuple):
    """A room that the user is in: how it is named and where it is."""

    seat: Seat
    title: Callable[[MessageView], str]
    """Names the room, given the newest unread message."""
    path: str
    default: Level


class DigestPlaces:
    """Finds what users have not read."""

    def __init__(
        self, table: Table, communities: Communities, conversations: Conversations, threads: Threads, inboxes: Inboxes
    ) -> None:
        self._table = table
        self._communities = communities
        self._conversations = conversations
        self._threads = threads
        self._inboxes = inboxes

    async def find(self, actor: Actor, levels: Mapping[RoomId, Level]) -> list[UnreadPlace]:
        """Return the places with something unread: conversations, mentions, threads, then notifications."""
        blocks = await self._table.query(blocks_of(user_id=actor.user_id), limit=MAX_BLOCKS)
        reader = _Reader(actor, levels, frozenset(block.blocked_id for block in blocks.items))
        talks = [_conversation(seat) for seat in await self._conversations.seats_of(actor)]
        threads = [_thread(seat) for seat in await self._threads.seats_of(actor)]
        return [
            *await self._in_rooms(self._conversations, reader, talks),
            *await self._in_rooms(self._communities, reader, await self._channels(actor)),
            *await self._in_rooms(self._threads, reader, threads),
            *await self._in_inboxes(actor),
        ]

    # Rooms

    async def _channels(self, actor: Actor) -> list[_Place]:
        found = []
        for member, channels in await self._communities.overview(actor):
            server = member.server
            for channel, seat in channels:
                title = f"#{channel.name} in {server.name}"
                path = f"/c/{_part(server.server_id)}/{_part(channel.channel_id)}"
                found.append(_Place(seat, _named(title), path, "mentions"))
        return found

    async def _in_rooms(self, rooms: Rooms, reader: _Reader, places: Iterable[_Place]) -> list[UnreadPlace]:
        by_room = {place.seat.room_id: place for place in places if _level(reader, place) != "none"}
        seats = sorted(
            (place.seat for place in by_room.values()), key=lambda seat: seat.head.last_message_id or "", reverse=True
        )
        found: list[UnreadPlace] = []
        for state in await rooms.unread_states(seats[:MAX_ROOMS], counted=COUNTED_ROOMS):
            place = by_room[state.seat.room_id]
            only_mentions = _level(reader, place) == "mentions"
            if state.muted or not (state.unread.mentions if only_mentions else state.unread.count):
                continue
            loaded = await self._load(rooms, reader, place, state, only_mentions=only_mentions)
            if loaded is not None:
                found.append(loaded)
            if len(found) == LOADED_ROOMS:
                break
        return found

    async def _load(
        self, rooms: Rooms, reader: _Reader, place: _Place, state: RoomUnreadState, *, only_mentions: bool
    ) -> UnreadPlace | None:
        """Return the unread messages of a room; None if none of them is worth a digest."""
        messages: list[MessageView] = []
        floor, cursor = read_up_to(state.seat, state.cursor), None
        for _ in range(PAGES):
            try:
                page = await rooms.page(reader.actor, place.seat.room_id, limit=PAGE, after=floor, cursor=cursor)
            except NotFound:
                return None  # the user was removed meanwhile
            messages += [each for each in page.messages if _is_shown(reader, each, only_mentions=only_mentions)]
            cursor = page.cursor
            if cursor is None:
                break
        if not messages:
            return None
        return UnreadPlace(
            title=place.title(messages[-1]),
            path=place.path,
            unit="mention" if only_mentions else "message",
            times_ms=[lenient_ms(message.created_at) or 0 for message in messages],
            is_capped=cursor is not None,
            excerpts=[Excerpt(each.username, _text(each)) for each in messages[-EXCERPTS:]],
        )

    # Inboxes

    async def _in_inboxes(self, actor: Actor) -> list[UnreadPlace]:
        configs = await self._table.query(inboxes_of(tenant=actor.tenant), limit=MAX_INBOXES)
        found = [await self._in_inbox(actor, config) for config in configs.items]
        return [place for place in found if place is not None]

    async def _in_inbox(self, actor: Actor, config: InboxConfig) -> UnreadPlace | None:
        counts = await self._inboxes.count(actor, actor.tenant, config.inbox)
        if not counts.unread:
            return None
        entries, cursor = await self._inboxes.list_messages(
            actor, actor.tenant, config.inbox, limit=MAX_NOTIFICATIONS, unread=True
        )
        muted = {name for name, count in counts.categories.items() if count.muted}
        # Newest first, unlike messages.
        shown = [entry for entry in entries if entry.message.category not in muted]
        if not shown:
            return None
        return UnreadPlace(
            title=config.title or str(config.inbox),
            path=f"/inbox/{_part(config.inbox)}",
            unit="notification",
            times_ms=[entry.message.received for entry in shown],
            is_capped=cursor is not None,
            excerpts=[_notification(entry) for entry in shown[:EXCERPTS]],
        )


def _named(title: str) -> Callable[[MessageView], str]:
    return lambda _: title


def _conversation(seat: Seat) -> _Place:
    head = seat.head
    name = head.name if isinstance(head, Conversation) and head.type == "group" else None

    def title(newest: MessageView) -> str:
        is_direct = isinstance(head, Conversation) and head.type == "direct"
        return newest.username if is_direct else name or f"Group with {newest.username}"

    return _Place(seat, title, f"/d/{_part(seat.room_id)}", "all")


def _thread(seat: Seat) -> _Place:
    return _Place(seat, lambda newest: f"Thread with {newest.username}", f"/t/{_part(seat.room_id)}", "all")


def _level(reader: _Reader, place: _Place) -> Level:
    return reader.levels.get(place.seat.room_id, place.default)


def _is_shown(reader: _Reader, message: MessageView, *, only_mentions: bool) -> bool:
    """Return whether a message counts; nothing that moderation has found anything in does."""
    if message.author_id == reader.actor.user_id or message.author_id in reader.blocked:
        return False
    if message.deleted or message.type == "system" or message.flags is not None or message.nsfw_band:
        return False
    return not only_mentions or reader.actor.user_id in message.mentions


def _text(message: MessageView) -> str:
    if message.content:
        return _short(message.content)
    return "sent a file" if message.attachments else "sent a card"


def _notification(entry: Entry) -> Excerpt:
    content = entry.message.message
    body = content.body if isinstance(content.body, str) else ""
    return Excerpt(entry.message.sender, _short(": ".join(filter(None, (content.title, body)))))


def _short(text: str) -> str:
    line = " ".join(text[: MAX_EXCERPT * 4].split())
    return line if len(line) <= MAX_EXCERPT else f"{line[: MAX_EXCERPT - 1]}…"


def _part(part: str) -> str:
    return quote(part, safe="")
