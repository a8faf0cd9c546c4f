"""Announcing: every event that there is, and from which changes of rows each comes."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.core.clock import Clock
from sobremesa.domains.accounts import events as accounts
from sobremesa.domains.communities import events as communities
from sobremesa.domains.conversations import events as conversations
from sobremesa.domains.inboxes import events as inboxes
from sobremesa.domains.threads import events as threads
from sobremesa.domains.workspaces import events as workspaces
from sobremesa.live import presence, session_frames, typing
from sobremesa.live.events import EventTypes, Topic, conversation, server, thread
from sobremesa.live.translation import Translation
from sobremesa.rooms import events as rooms
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.table import Table

FROM_ROWS = (rooms, communities, conversations, threads, inboxes, workspaces, accounts)
"""The modules whose events come from changes of rows."""

FROM_ELSEWHERE = (session_frames, typing, presence)
"""Those whose events come from the gateway itself."""

EVENTS = EventTypes.of(*FROM_ELSEWHERE, *FROM_ROWS)
"""Every event: the docs and the tests are loops over it."""


def translation_of(table: Table, clock: Clock, people: UserDirectory) -> Translation:
    """What the changes of all kinds of rows mean."""
    return Translation(
        table,
        [
            communities.CommunityEvents(table, people),
            conversations.ConversationEvents(table, people),
            threads.ThreadEvents(table, clock, people),
            inboxes.InboxEvents(),
            workspaces.WorkspaceEvents(table, people),
            accounts.AccountEvents(),
        ],
    )


class RoomTyping:
    """Tells those who listen to a room that somebody writes there."""

    def __init__(self, typing_events: typing.Typing) -> None:
        self._typing = typing_events

    async def typing(self, room_kind: str, seat: Seat) -> None:
        started = typing.TypingStarted(seat.room_id, room_kind, seat.user_id, seat.actor.username)
        self._typing.started(started, _TOPICS[room_kind](seat.scope))

    async def stopped_typing(self, room_kind: str, seat: Seat) -> None:
        stopped = typing.TypingStopped(seat.room_id, room_kind, seat.user_id)
        self._typing.stopped(stopped, _TOPICS[room_kind](seat.scope))


_TOPICS: dict[str, Callable[[str], Topic]] = {"channel": server, "conversation": conversation, "thread": thread}
"""Where what happens in a kind of room is told; the scope of a seat is the server, or the room itself."""
