"""The event catalog: every event type, the sources of events, and payloads that differ for each recipient."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sobremesa.core.clock import Clock
from sobremesa.core.ids import RoomKindName
from sobremesa.domains.accounts import events as accounts
from sobremesa.domains.commands import events as commands
from sobremesa.domains.communities import events as communities
from sobremesa.domains.conversations import events as conversations
from sobremesa.domains.inboxes import events as inboxes
from sobremesa.domains.inboxes.counting import Counting
from sobremesa.domains.threads import events as threads
from sobremesa.domains.workspaces import events as workspaces
from sobremesa.glue import ready_snapshot
from sobremesa.live import lazy_delivery, presence, session_frames, typing
from sobremesa.live.events import EventTypes, Topic, channel, conversation, server, thread
from sobremesa.live.recipient_payloads import RecipientPayloads
from sobremesa.live.translation import Translation
from sobremesa.rooms import events as rooms
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.table import Table

FROM_ROWS = (rooms, communities, conversations, threads, inboxes, workspaces, accounts, commands)
"""The modules whose events come from changed rows."""

FROM_ELSEWHERE = (ready_snapshot, session_frames, typing, presence, lazy_delivery)
"""The modules whose events come from the gateway itself."""

WEBHOOK_EVENTS = tuple(EventTypes.of(*FROM_ROWS))
"""The event types that webhooks receive: all that come from changed rows."""

EVENTS = EventTypes.of(*FROM_ELSEWHERE, *FROM_ROWS)
"""All event types: the docs and the tests are loops over it."""


def translation_of(table: Table, clock: Clock, people: UserDirectory) -> Translation:
    """Return the translation of all kinds of rows to events."""
    return Translation(
        table,
        [
            communities.CommunityEvents(table, people),
            conversations.ConversationEvents(table, people),
            threads.ThreadEvents(table, clock, people),
            inboxes.InboxEvents(),
            workspaces.WorkspaceEvents(table, people),
            accounts.AccountEvents(),
            commands.CommandEvents(),
        ],
    )


def recipient_payloads(counting: Counting) -> RecipientPayloads:
    """Return the payloads that differ for each recipient."""
    return RecipientPayloads({inboxes.inbox_counts.name: partial(inboxes.resolve_counts, counting)})


class RoomTyping:
    """Publishes typing in a room to its subscribers."""

    def __init__(self, typing_events: typing.Typing) -> None:
        self._typing = typing_events

    async def typing(self, room_kind: RoomKindName, seat: Seat) -> None:
        actor = seat.actor
        started = typing.TypingStarted(seat.room_id, room_kind, seat.user_id, actor.username, actor.display_name)
        self._typing.started(started, _topic_of(room_kind, seat))

    async def stopped_typing(self, room_kind: RoomKindName, seat: Seat) -> None:
        stopped = typing.TypingStopped(seat.room_id, room_kind, seat.user_id)
        self._typing.stopped(stopped, _topic_of(room_kind, seat))


def _topic_of(room_kind: RoomKindName, seat: Seat) -> Topic:
    """Return the topic of a user's room; a room with an access list has its own."""
    return channel(seat.scope, seat.room_id) if seat.is_restricted else _TOPICS[room_kind](seat.scope)


_TOPICS: dict[RoomKindName, Callable[[str], Topic]] = {
    "channel": server,
    "conversation": conversation,
    "thread": thread,
}
"""The topic of a kind of room; the scope of a seat is the server, or the room itself."""
