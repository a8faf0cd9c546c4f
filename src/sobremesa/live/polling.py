"""Polling: events for those who cannot keep a socket open, by one request after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.http.endpoints import Output
from sobremesa.live.events import TopicMembership
from sobremesa.live.feed import Cursor, Feed, Trimmed
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub
from sobremesa.live.session_frames import Gap
from sobremesa.live.session_frames import gap as gap_event
from sobremesa.live.subscriber import Subscriber

MAX_EVENTS = 500
MAX_PAGES = 8
"""How much of the feed's history one request reads; the answer says from where to go on."""


class EventView(Output):
    """An event. The same one may come twice: its `id` tells."""

    t: str
    d: msgspec.Raw
    s: str | None = None
    id: str | None = None


class EventsView(Output):
    """Some events in order; `next` is from where to ask on."""

    items: list[EventView]
    next: str


class Poll(Subscriber):
    """A request that waits for events."""

    __slots__ = ("_arrived", "_limit", "_pages", "is_replaced", "received")

    def __init__(self, actor: Actor, limit: int = MAX_EVENTS) -> None:
        super().__init__()
        self.user_id = actor.user_id
        self.tenant = actor.tenant
        self.session_id = actor.session_id
        self.received: list[EventView] = []
        self.is_replaced = False
        """Has the same session asked load meanwhile?"""
        self._limit = limit
        self._pages = 0
        self._arrived = asyncio.Event()

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        if len(self.received) < MAX_EVENTS:
            self.received += [_decode(payload_of(frame)) for frame in pending]
        self._arrived.set()

    def wants_more(self) -> bool:
        self._pages += 1
        return self._pages < MAX_PAGES and len(self.received) <= self._limit and not self.is_replaced

    def end(self) -> None:
        self._arrived.set()

    def replace(self) -> None:
        """The same session asks load: answer now, with what there is."""
        self.is_replaced = True
        self._arrived.set()

    async def arrived(self, seconds: float) -> None:
        """Wait for something, at most this long."""
        try:
            async with asyncio.timeout(seconds):
                await self._arrived.wait()
        except TimeoutError:
            pass


class Polling:
    """Waits for events, for each session on behalf of one request at a time."""

    def __init__(
        self,
        hub: Hub,
        feed: Feed,
        memberships: Callable[[Actor], Awaitable[Sequence[TopicMembership]]],
        gap: Callable[[Actor, int], Awaitable[Gap]],
    ) -> None:
        self._hub = hub
        self._feed = feed
        self._admissions = memberships
        self._gap = gap
        self._polls: dict[str, Poll] = {}
        """The one of each session."""

    async def wait(self, actor: Actor, after: str | None, *, seconds: float, limit: int) -> EventsView:
        """What has happened since a place; waits a while if that is nothing, and not at all without a place.

        A request of the same session that still waits is answered at once.
        """
        position = self._hub.position()
        if after is None:
            return EventsView([], position)
        cursor = self._feed.cursor_of(after)
        poll = Poll(actor, limit)
        session = actor.session_id or actor.user_id
        before, self._polls[session] = self._polls.get(session), poll
        if before is not None:
            before.replace()
        try:
            position = await self._collect(actor, poll, cursor, seconds)
        except Trimmed:
            missed = gap_event(await self._gap(actor, cursor.at_ms))
            return EventsView([EventView(missed.t, msgspec.Raw(missed.d))], position)
        finally:
            self._hub.detach(poll)
            if self._polls.get(session) is poll:
                del self._polls[session]
        if len(poll.received) < min(limit + 1, MAX_EVENTS):
            return EventsView(poll.received, position)
        items = poll.received[:limit]
        # There is more than is given: on from the last that has a place, which typing and presence have not.
        return EventsView(items, next((item.s for item in reversed(items) if item.s is not None), after))

    async def _collect(self, actor: Actor, poll: Poll, cursor: Cursor, seconds: float) -> str:
        """Let a request hear what there is, and wait if that is nothing; the place that it has come to."""
        if cursor.order is None:
            raise Trimmed
        load = partial(self._admissions, actor)
        async with self._hub.attaching(poll):
            reached = await self._hub.attach(poll, await load(), cursor, load)
        if reached is not None and reached.order is not None:
            return self._feed.s_of(reached.order, reached.at_ms)
        if not poll.received:
            await poll.arrived(seconds)
        if poll.pending:
            poll.flush()
        return self._hub.position()


_decode = msgspec.json.Decoder(EventView).decode
