"""Routes of rooms, the same for every kind of room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeAlias

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.custom_data import BadData, CustomData
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
from sobremesa.rooms.service import MAX_CONTENT, SYSTEM_TYPE, Rooms
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
        min_length=1,
        max_length=128,
        description="A client's id for the message: a repeated request creates no second one.",
    ),
]
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=1000, examples=["This is spam."])]


MessageRef = Annotated[MessageId, msgspec.Meta(min_length=1, max_length=200)]


class NewMessage(Input):
    """A message to send: text, attachments, or both."""

    content: Annotated[str, msgspec.Meta(max_length=MAX_CONTENT, examples=["Does Tuesday work for you?"])] = ""
    nonce: Nonce | None = None
    reply_to: MessageRef | None = None
    attachments: Annotated[
        list[str],
        msgspec.Meta(max_length=10, description="The ids of files that you uploaded.", examples=[[]]),
    ] = []
    system: Annotated[
        bool, msgspec.Meta(description="Send it as a message of the system, without an author. For server keys.")
    ] = False
    data: CustomData | None = None


class EditedMessage(Input):
    """The new content or custom data of a message; what is omitted stays, and null removes the data."""

    content: Content | msgspec.UnsetType = msgspec.UNSET
    data: CustomData | msgspec.UnsetType | None = msgspec.UNSET


class HistoryQuery(Input):
    """Which messages to list: the newest, or those before, after or around one. Give only one of the three."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | None = None
    before: MessageRef | None = None
    after: MessageRef | None = None
    around: MessageRef | None = None


class ReadUpTo(Input):
    """The newest message that the user has read."""

    message_id: MessageRef


class Preferences(Input):
    """A user's notification preferences for a room."""

    muted: bool


class Report(Input):
    """The reason of a report."""

    reason: Reason


class UnreadEverywhere(Output):
    """Unread counts of all rooms that have unread messages, and of all inboxes."""

    total: UnreadView
    rooms: list[RoomUnreadView]
    inboxes: list[InboxUnreadView]


ShownRoomId = Annotated[RoomId, msgspec.Meta(description="The id of the room: `channelId`, `convoId` or `threadId`.")]
InboxTotals: TypeAlias = Callable[[Actor], Awaitable[list[InboxUnreadView]]]
CountUnread: TypeAlias = Callable[[Actor], Awaitable[UnreadEverywhere]]
"""Returns the unread counts of a user's notification inboxes."""


def routes(
    rooms: Rooms, *, title: str, silences: Sequence[type[Refusal]] = (), refusals: Sequence[type[Refusal]] = ()
) -> Routes:
    """Return the routes of one kind of room.

    `silences` are the refusals of a room that accepts no messages, `refusals` those of invalid attachments.
    """
    api = Routes(title, f"Messages, reactions, pins and read positions in {rooms.kind.plural}.")
    room = f"/{rooms.kind.plural}/{{room_id}}"
    message = f"{room}/messages/{{message_id}}"

    @api.post(
        f"{room}/messages",
        status=201,
        also_status=200,
        errors=[BadData, EmptyMessage, NonceReused, ReplyMissing, *refusals, *silences],
        key_scope="messages:send",
        limit="send",
    )
    async def send_message(actor: Actor, room_id: ShownRoomId, body: NewMessage) -> Answer[SentView]:
        """Send a message.

        If the nonce was used before, the first message is returned with status 200 and `replayed`. `@username` in the
        content mentions a user. A server key sends as the system (`system`), or as a user with `Sobremesa-Act-As`.
        """
        if not body.content and not body.attachments:
            raise EmptyMessage
        draft = Draft(body.content, body.nonce, body.reply_to, body.attachments, data=body.data)
        sent = await rooms.send(actor, room_id, draft._replace(type=SYSTEM_TYPE) if body.system else draft)
        return Answer(sent, status=200 if sent.replayed else 201)

    @api.get(f"{room}/messages", errors=[OneDirection], key_scope="rooms:read")
    async def list_messages(actor: Actor, room_id: ShownRoomId, query: HistoryQuery) -> Encoded[Listed[MessageView]]:
        """List messages, newest first; with `after`, oldest first."""
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

    @api.get(message, key_scope="rooms:read")
    async def get_message(actor: Actor, room_id: ShownRoomId, message_id: MessageId) -> MessageView:
        """Get a message."""
        return await rooms.get_message(actor, room_id, message_id)

    @api.patch(message, errors=[BadData, EmptyMessage, PartOfRecord, *silences], limit="send")
    async def edit_message(
        actor: Actor, room_id: ShownRoomId, message_id: MessageId, body: EditedMessage
    ) -> MessageView:
        """Edit one of your messages."""
        if body.content is msgspec.UNSET and body.data is msgspec.UNSET:
            raise EmptyMessage
        content = None if body.content is msgspec.UNSET else body.content
        return await rooms.edit(actor, room_id, message_id, content, data=body.data)

    @api.delete(message, errors=[PartOfRecord], key_scope="messages:moderate")
    async def delete_message(actor: Actor, room_id: ShownRoomId, message_id: MessageId) -> None:
        """Delete one of your messages, or as a moderator any message. A tombstone remains."""
        await rooms.delete_message(actor, room_id, message_id)

    @api.put(f"{message}/reactions/{{emoji}}", status=204, errors=[NotAnEmoji, TooManyEmoji, *silences], limit="send")
    async def add_reaction(actor: Actor, room_id: ShownRoomId, message_id: MessageId, emoji: Emoji) -> None:
        """React to a message with one emoji. Repeating it has no effect."""
        await rooms.react(actor, room_id, message_id, emoji)

    @api.delete(f"{message}/reactions/{{emoji}}", limit="send")
    async def remove_reaction(actor: Actor, room_id: ShownRoomId, message_id: MessageId, emoji: Emoji) -> None:
        """Remove your reaction. Removing one that does not exist has no effect."""
        await rooms.unreact(actor, room_id, message_id, emoji)

    @api.get(f"{message}/reactions/{{emoji}}")
    async def list_reactors(
        actor: Actor, room_id: ShownRoomId, message_id: MessageId, emoji: Emoji, query: PageQuery
    ) -> Listed[ReactorView]:
        """List the users who reacted with an emoji."""
        return Listed(
            *await rooms.list_reactors(actor, room_id, message_id, emoji, limit=query.limit, cursor=query.cursor)
        )

    @api.get(f"{room}/pins")
    async def list_pins(actor: Actor, room_id: ShownRoomId, query: PageQuery) -> Listed[PinView]:
        """List the pinned messages, newest first."""
        return Listed(*await rooms.list_pins(actor, room_id, limit=query.limit, cursor=query.cursor))

    @api.put(f"{room}/pins/{{message_id}}", status=204, errors=[TooManyPins, *silences])
    async def pin_message(actor: Actor, room_id: ShownRoomId, message_id: MessageId) -> None:
        """Pin a message. Pinning it again has no effect."""
        await rooms.pin(actor, room_id, message_id)

    @api.delete(f"{room}/pins/{{message_id}}")
    async def unpin_message(actor: Actor, room_id: ShownRoomId, message_id: MessageId) -> None:
        """Unpin a message. Unpinning one that is not pinned has no effect."""
        await rooms.unpin(actor, room_id, message_id)

    @api.put(f"{room}/read", limit="read")
    async def mark_read(actor: Actor, room_id: ShownRoomId, body: ReadUpTo) -> ReadView:
        """Mark a room as read up to a message. The read position never moves back."""
        return await rooms.mark_read(actor, room_id, body.message_id)

    @api.get(f"{room}/unread")
    async def count_unread(actor: Actor, room_id: ShownRoomId) -> UnreadView:
        """Count the messages of others after your read position, up to 100."""
        return await rooms.unread(actor, room_id)

    @api.get(f"{room}/readers")
    async def list_readers(actor: Actor, room_id: ShownRoomId, query: PageQuery) -> Listed[ReaderView]:
        """List the users in the room and how far each has read."""
        return Listed(*await rooms.list_readers(actor, room_id, limit=query.limit, cursor=query.cursor))

    @api.post(f"{room}/typing", status=204, errors=silences, limit="send")
    async def start_typing(actor: Actor, room_id: ShownRoomId) -> None:
        """Publish that you are typing."""
        await rooms.typing(actor, room_id)

    @api.delete(f"{room}/typing", errors=silences, limit="send")
    async def stop_typing(actor: Actor, room_id: ShownRoomId) -> None:
        """Publish that you stopped typing without sending a message."""
        await rooms.stop_typing(actor, room_id)

    @api.put(f"{room}/preferences")
    async def set_preferences(actor: Actor, room_id: ShownRoomId, body: Preferences) -> PreferencesView:
        """Set your notification preferences for a room."""
        return await rooms.set_preferences(actor, room_id, muted=body.muted)

    @api.post(f"{message}/report", status=202)
    async def report_message(actor: Actor, room_id: ShownRoomId, message_id: MessageId, body: Report) -> None:
        """Report a message to the moderators."""
        await rooms.report(actor, room_id, message_id, body.reason)

    return api


def unread_counts(kinds: Sequence[Rooms], inbox_totals: InboxTotals) -> CountUnread:
    """Return the function that counts what is unread in all rooms and inboxes of a user."""

    async def count(actor: Actor) -> UnreadEverywhere:
        inboxes, found = await asyncio.gather(
            inbox_totals(actor), asyncio.gather(*(kind.unread_everywhere(actor) for kind in kinds))
        )
        rooms = [room for of_kind in found for room in of_kind]
        unmuted = [room for room in rooms if not room.muted]
        total = UnreadView(
            sum(room.count for room in unmuted) + sum(inbox.count for inbox in inboxes),
            any(room.capped for room in unmuted),
            sum(room.mentions for room in rooms),
        )
        return UnreadEverywhere(total, rooms, inboxes)

    return count


def shared_routes(kinds: Sequence[Rooms], count_unread: CountUnread) -> Routes:
    """Return the routes that cover all kinds of room."""
    api = Routes("Rooms", "Messages and unread counts across all rooms of a user.")

    @api.get("/messages/{message_id}")
    async def get_message_anywhere(actor: Actor, message_id: MessageId) -> MessageView:
        """Get a message by its id alone, in any room that you are in."""
        for kind in kinds:
            message = await kind.find_message(actor, message_id)
            if message is not None:
                return message
        raise NotFound

    @api.get("/users/me/unread", limit="write")
    async def count_unread_everywhere(actor: Actor) -> UnreadEverywhere:
        """Count what is unread in all your rooms and inboxes."""
        return await count_unread(actor)

    return api
