"""The routes of rooms: the same for every kind of room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeAlias

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound, Refusal
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.http.endpoints import (
    DEFAULT_LIMIT,
    Answer,
    Cursor,
    Encoded,
    Input,
    Limit,
    Listed,
    Output,
    PageQuery,
    Routes,
)
from sobremesa.rooms.errors import (
    EmptyMessage,
    NonceReused,
    NotAnEmoji,
    OneDirection,
    PartOfRecord,
    ReplyMissing,
    TooManyEmoji,
    TooManyPins,
)
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import MAX_CONTENT, Rooms
from sobremesa.rooms.views import (
    InboxUnreadView,
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

Content = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CONTENT, examples=["Does Tuesday work for you?"])]
Emoji = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^\S+$", examples=["👍"])]
Nonce = Annotated[
    str,
    msgspec.Meta(
        min_length=1, max_length=128, description="Your own mark: sent again with it, it is still one message."
    ),
]
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=1000, examples=["This is spam."])]


MessageRef = Annotated[MessageId, msgspec.Meta(min_length=1, max_length=200)]


class NewMessage(Input):
    """Something to say, or files to show, or both."""

    content: Annotated[str, msgspec.Meta(max_length=MAX_CONTENT, examples=["Does Tuesday work for you?"])] = ""
    nonce: Nonce | None = None
    reply_to: MessageRef | None = None
    attachments: Annotated[
        list[str], msgspec.Meta(max_length=10, description="The ids of files that one has uploaded.", examples=[[]])
    ] = []


class EditedMessage(Input):
    """What it should say instead."""

    content: Content


class HistoryQuery(Input):
    """Which messages: the newest, or those before, after or around one. Only one of the three."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | None = None
    before: MessageRef | None = None
    after: MessageRef | None = None
    around: MessageRef | None = None


class ReadUpTo(Input):
    """The newest message that was read."""

    message_id: MessageRef


class Preferences(Input):
    """What one wants to hear of a room."""

    muted: bool


class Report(Input):
    """Why the moderators should look."""

    reason: Reason


class UnreadEverywhere(Output):
    """What is unread, in every room that has something."""

    total: UnreadView
    rooms: list[RoomUnreadView]
    inboxes: list[InboxUnreadView]


InboxTotals: TypeAlias = Callable[[Actor], Awaitable[list[InboxUnreadView]]]
"""Tells what is unread in a person's inboxes of notifications, which are no rooms."""


def routes(
    rooms: Rooms, *, title: str, silences: Sequence[type[Refusal]] = (), refusals: Sequence[type[Refusal]] = ()
) -> Routes:
    """The routes of one kind of room.

    `silences` are the reasons for which nothing can be said there, `refusals` those that lie in a message's files.
    """
    api = Routes(title)
    room = f"/{rooms.kind.plural}/{{room_id}}"
    message = f"{room}/messages/{{message_id}}"

    @api.post(
        f"{room}/messages",
        status=201,
        also_status=200,
        errors=[EmptyMessage, NonceReused, ReplyMissing, *refusals, *silences],
        limit="send",
    )
    async def send_message(actor: Actor, room_id: RoomId, body: NewMessage) -> Answer[SentView]:
        """Say something.

        With a nonce that was used before, the first message comes back with 200 and `replayed`. People are mentioned
        by `@username`.
        """
        if not body.content and not body.attachments:
            raise EmptyMessage
        sent = await rooms.send(actor, room_id, Draft(body.content, body.nonce, body.reply_to, body.attachments))
        return Answer(sent, status=200 if sent.replayed else 201)

    @api.get(f"{room}/messages", errors=[OneDirection])
    async def list_messages(actor: Actor, room_id: RoomId, query: HistoryQuery) -> Encoded[Listed[MessageView]]:
        """What was said, newest first; with `after`, in the order in which it was said."""
        page = await rooms.page(
            actor,
            room_id,
            limit=query.limit,
            before=query.before,
            after=query.after,
            around=query.around,
            cursor=query.cursor,
        )
        return Encoded(page.json)

    @api.get(message)
    async def get_message(actor: Actor, room_id: RoomId, message_id: MessageId) -> MessageView:
        """One message."""
        return await rooms.get(actor, room_id, message_id)

    @api.patch(message, errors=[PartOfRecord, *silences], limit="send")
    async def edit_message(actor: Actor, room_id: RoomId, message_id: MessageId, body: EditedMessage) -> MessageView:
        """Say it otherwise: one's own messages."""
        return await rooms.edit(actor, room_id, message_id, body.content)

    @api.delete(message, errors=[PartOfRecord])
    async def delete_message(actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Take it back: one's own message, or as a moderator anybody's. A tombstone stays."""
        await rooms.delete(actor, room_id, message_id)

    @api.put(f"{message}/reactions/{{emoji}}", status=204, errors=[NotAnEmoji, TooManyEmoji, *silences], limit="send")
    async def add_reaction(actor: Actor, room_id: RoomId, message_id: MessageId, emoji: Emoji) -> None:
        """React with one emoji; again changes nothing."""
        await rooms.react(actor, room_id, message_id, emoji)

    @api.delete(f"{message}/reactions/{{emoji}}", limit="send")
    async def remove_reaction(actor: Actor, room_id: RoomId, message_id: MessageId, emoji: Emoji) -> None:
        """Take one's reaction back; one that is not there changes nothing."""
        await rooms.unreact(actor, room_id, message_id, emoji)

    @api.get(f"{message}/reactions/{{emoji}}")
    async def list_reactors(
        actor: Actor, room_id: RoomId, message_id: MessageId, emoji: Emoji, query: PageQuery
    ) -> Listed[ReactorView]:
        """Who reacted with an emoji."""
        return Listed(
            *await rooms.list_reactors(actor, room_id, message_id, emoji, limit=query.limit, cursor=query.cursor)
        )

    @api.get(f"{room}/pins")
    async def list_pins(actor: Actor, room_id: RoomId, query: PageQuery) -> Listed[PinView]:
        """The pinned messages, the newest message first."""
        return Listed(*await rooms.list_pins(actor, room_id, limit=query.limit, cursor=query.cursor))

    @api.put(f"{room}/pins/{{message_id}}", status=204, errors=[TooManyPins, *silences])
    async def pin_message(actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Keep a message at hand; again changes nothing."""
        await rooms.pin(actor, room_id, message_id)

    @api.delete(f"{room}/pins/{{message_id}}")
    async def unpin_message(actor: Actor, room_id: RoomId, message_id: MessageId) -> None:
        """Let go of a pinned message; one that is not pinned changes nothing."""
        await rooms.unpin(actor, room_id, message_id)

    @api.put(f"{room}/read", limit="read")
    async def mark_read(actor: Actor, room_id: RoomId, body: ReadUpTo) -> ReadView:
        """Everything up to this message was read. It never moves back."""
        return await rooms.mark_read(actor, room_id, body.message_id)

    @api.get(f"{room}/unread")
    async def count_unread(actor: Actor, room_id: RoomId) -> UnreadView:
        """How much others said since one read: up to 100 is counted."""
        return await rooms.unread(actor, room_id)

    @api.get(f"{room}/readers")
    async def list_readers(actor: Actor, room_id: RoomId, query: PageQuery) -> Listed[ReaderView]:
        """Who has read how far."""
        return Listed(*await rooms.list_readers(actor, room_id, limit=query.limit, cursor=query.cursor))

    @api.post(f"{room}/typing", status=204, errors=silences, limit="send")
    async def start_typing(actor: Actor, room_id: RoomId) -> None:
        """Tell those who look that one is writing."""
        await rooms.typing(actor, room_id)

    @api.delete(f"{room}/typing", errors=silences, limit="send")
    async def stop_typing(actor: Actor, room_id: RoomId) -> None:
        """Publish that one no longer writes, without having sent anything."""
        await rooms.stop_typing(actor, room_id)

    @api.put(f"{room}/preferences")
    async def set_preferences(actor: Actor, room_id: RoomId, body: Preferences) -> PreferencesView:
        """Whether one wants to hear of this room."""
        return await rooms.set_preferences(actor, room_id, muted=body.muted)

    @api.post(f"{message}/report", status=202)
    async def report_message(actor: Actor, room_id: RoomId, message_id: MessageId, body: Report) -> None:
        """Ask the moderators to look at a message."""
        await rooms.report(actor, room_id, message_id, body.reason)

    return api


def shared_routes(kinds: Sequence[Rooms], inbox_totals: InboxTotals) -> Routes:
    """The routes that look into all kinds of room at once."""
    api = Routes("Rooms")

    @api.get("/messages/{message_id}")
    async def get_message_anywhere(actor: Actor, message_id: MessageId) -> MessageView:
        """A message by its id alone, wherever it was said: what a link leads to."""
        for kind in kinds:
            message = await kind.find_anywhere(actor, message_id)
            if message is not None:
                return message
        raise NotFound

    @api.get("/users/me/unread", limit="write")
    async def count_unread_everywhere(actor: Actor) -> UnreadEverywhere:
        """What is unread in all rooms and inboxes, by one call."""
        rooms = [room for kind in kinds for room in await kind.unread_everywhere(actor)]
        inboxes = await inbox_totals(actor)
        heard = [room for room in rooms if not room.muted]
        total = UnreadView(
            sum(room.count for room in heard) + sum(inbox.count for inbox in inboxes),
            any(room.capped for room in heard),
            sum(room.mentions for room in rooms),
        )
        return UnreadEverywhere(total, rooms, inboxes)

    return api
