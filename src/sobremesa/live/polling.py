"""Polling: events for those who cannot keep a socket open, by one request after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from sobremesa.http.endpoints import Output
from sobremesa.live.events import Admission
from sobremesa.live.feed import Feed, Trimmed
from sobremesa.live.frames import payload_of
from sobremesa.live.greetings import Gap
from sobremesa.live.greetings import gap as gap_event
from sobremesa.live.hub import Hub, Listener
from sobremesa.people import Actor

MAX_EVENTS = 500


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


class Poll(Listener):
    """A request that waits for events."""

    __slots__ = ("_arrived", "heard")

    def __init__(self, actor: Actor) -> None:
        super().__init__()
        self.user_id = actor.user_id
        self.tenant = actor.tenant
        self.session_id = actor.session_id
        self.heard: list[EventView] = []
        self._arrived = asyncio.Event()

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        if len(self.heard) < MAX_EVENTS:
            self.heard += [_decode(payload_of(frame)) for frame in pending]
        self._arrived.set()

    def end(self) -> None:
        self._arrived.set()

    async def arrived(self, seconds: float) -> None:
        """Wait for something, at most this long."""
        try:
            async with asyncio.timeout(seconds):
                await self._arrived.wait()
        except TimeoutError:
            pass


class Polling:
    """Waits for events on behalf of one request at a time."""

    def __init__(
        self,
        hub: Hub,
        feed: Feed,
        admissions: Callable[[Actor], Awaitable[Sequence[Admission]]],
        gap: Callable[[Actor, int], Awaitable[Gap]],
    ) -> None:
        self._hub = hub
        self._feed = feed
        self._admissions = admissions
        self._gap = gap

    async def wait(self, actor: Actor, after: str | None, *, seconds: float, limit: int) -> EventsView:
        """What has happened since a place; waits a while if that is nothing, and not at all without a place."""
        hub = self._hub
        here = hub.position()
        if after is None:
            return EventsView([], here)
        cursor = self._feed.cursor_of(after)
        poll = Poll(actor)
        try:
            if cursor.order is None:
                raise Trimmed
            async with hub.arriving():
                await hub.attach(poll, await self._admissions(actor), cursor.order)
            if not poll.heard:
                await poll.arrived(seconds)
            if poll.pending:
                poll.flush()
            here = hub.position()
        except Trimmed:
            missed = gap_event(await self._gap(actor, cursor.at_ms))
            return EventsView([EventView(missed.t, msgspec.Raw(missed.d))], here)
        finally:
            hub.leave(poll)
        if len(poll.heard) < min(limit + 1, MAX_EVENTS):
            return EventsView(poll.heard, here)
        items = poll.heard[:limit]
        # There is more than is given: on from the last that has a place, which typing and presence have not.
        return EventsView(items, next((item.s for item in reversed(items) if item.s is not None), after))


_decode = msgspec.json.Decoder(EventView).decode
