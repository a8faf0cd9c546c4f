"""Long polling: events for clients that cannot keep a socket open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Topic, TopicMembership
from sobremesa.live.feed import Cursor, Feed, Trimmed
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub
from sobremesa.live.lazy_delivery import channel_activity
from sobremesa.live.session_frames import Gap
from sobremesa.live.session_frames import gap as gap_event
from sobremesa.live.subscriber import Subscriber

ACT_AS_SCOPES = ("rooms:read", "users:read")
"""What a server key needs to receive the events of a user: `ready` and inboxes also show what `users:read` does."""
MAX_EVENTS = 500
MAX_PAGES = 8
"""How much of the feed's history one request reads; `next` is where to continue."""


class EventView(Output):
    """An event. The same one may come twice, with the same `id`."""

    t: str
    d: msgspec.Raw
    s: str | None = None
    id: str | None = None


class EventsView(Output):
    """Some events in order; pass `next` as `after` of the next request."""

    items: list[EventView]
    next: str


class Poll(Subscriber):
    """A request that waits for events."""

    __slots__ = ("_arrived", "_limit", "_pages", "is_lost", "is_replaced", "received", "reports")

    def __init__(self, actor: Actor, limit: int = MAX_EVENTS) -> None:
        super().__init__()
        self.user_id = actor.user_id
        self.tenant = actor.tenant
        self.session_id = actor.credential_id
        self.received: list[EventView] = []
        self.reports: list[EventView] = []
        """Of activity, for the end of the response: the cursor is after all that they report."""
        self.is_replaced = False
        """Whether the same session has sent another request meanwhile."""
        self.is_lost = False
        """Whether events were lost."""
        self._limit = limit
        self._pages = 0
        self._arrived = asyncio.Event()

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        arrived = [_decode(payload_of(frame)) for frame in pending]
        self.reports += [event for event in arrived if event.t == channel_activity.name]
        if len(self.received) < MAX_EVENTS:
            self.received += [event for event in arrived if event.t != channel_activity.name]
        self._arrived.set()

    def wants_more(self) -> bool:
        self._pages += 1
        return self._pages < MAX_PAGES and len(self.received) <= self._limit and not self.is_replaced

    def end(self) -> None:
        self._arrived.set()

    def interrupt(self) -> None:
        self.is_lost = True
        self._arrived.set()

    def replace(self) -> None:
        """Return now with what there is: the same session has sent another request."""
        self.is_replaced = True
        self._arrived.set()

    async def arrived(self, seconds: float) -> None:
        """Wait for an event, at most this long."""
        try:
            async with asyncio.timeout(seconds):
                await self._arrived.wait()
        except TimeoutError:
            pass


class Polling:
    """Waits for events, for one request of each session at a time."""

    def __init__(
        self,
        hub: Hub,
        feed: Feed,
        memberships: Callable[[Actor], Awaitable[Sequence[TopicMembership]]],
        gap: Callable[[Actor, int, Collection[Topic] | None], Awaitable[Gap]],
        watched: Callable[[Actor], Awaitable[frozenset[str]]],
    ) -> None:
        self._hub = hub
        self._feed = feed
        self._admissions = memberships
        self._gap = gap
        self._watched = watched
        """Returns the channels that a session watches."""
        self._polls: dict[str, Poll] = {}
        """The current request of each session."""

    async def wait(self, actor: Actor, after: str | None, *, seconds: float, limit: int) -> EventsView:
        """Return the events after a cursor; waits a while if there are none, and not at all without a cursor.

        An earlier request of the same session that still waits returns at once.
        """
        position = self._hub.position()
        if after is None:
            return EventsView([], position)
        cursor = self._feed.cursor_of(after)
        poll = Poll(actor, limit)
        session = session_of(actor)
        before, self._polls[session] = self._polls.get(session), poll
        if before is not None:
            before.replace()
        try:
            position = await self._collect(actor, poll, cursor, seconds)
        except Trimmed:
            position = self._hub.position()
            missed = gap_event.event(await self._gap(actor, cursor.at_ms, None))
            return EventsView([EventView(missed.t, msgspec.Raw(missed.d))], position)
        finally:
            self._hub.detach(poll)
            if self._polls.get(session) is poll:
                del self._polls[session]
        if len(poll.received) < min(limit + 1, MAX_EVENTS):
            return EventsView([*poll.received, *poll.reports], position)
        items = poll.received[:limit]
        # There is more than fits: continue after the last durable event, since ephemeral ones have no cursor.
        last = next((item.s for item in reversed(items) if item.s is not None), after)
        return EventsView([*items, *poll.reports], last)

    async def _collect(self, actor: Actor, poll: Poll, cursor: Cursor, seconds: float) -> str:
        """Collect events, and wait if there are none; return the cursor reached."""
        if cursor.position is None:
            raise Trimmed
        load = partial(self._admissions, actor)
        async with self._hub.attaching(poll):
            memberships = await load()
            if any(self._hub.lazy.is_crowded(each.topic) for each in memberships):
                poll.watched = await self._watched(actor)
            if await self._hub.missing(memberships, cursor.position):
                raise Trimmed
            reached = await self._hub.attach(poll, memberships, cursor, load)
        if reached is not None and reached.position is not None:
            return self._feed.s_of(reached.position, reached.at_ms)
        if not poll.received and not poll.reports:
            await poll.arrived(seconds)
        if poll.is_lost:
            raise Trimmed
        # No await after this: what comes later is after the position.
        await self._hub.lazy.report_now(poll)
        if poll.pending:
            poll.flush()
        return self._hub.position()


def session_of(actor: Actor) -> str:
    """Return what identifies the session of a request."""
    return actor.session_id or f"{actor.name} as {actor.user_id}"


_decode = msgspec.json.Decoder(EventView).decode
