"""The routes of live events, for those who cannot keep a socket open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

import msgspec

from sobremesa.http.endpoints import Input, Output, Routes
from sobremesa.live.events import Admission
from sobremesa.live.feed import BadPlace, Feed, Trimmed
from sobremesa.live.frames import payload_of
from sobremesa.live.greetings import Gap
from sobremesa.live.hub import Hub, Listener
from sobremesa.people import Actor

MAX_EVENTS = 500
DEFAULT_WAIT = 20

_encode = msgspec.json.Encoder().encode


class EventsQuery(Input):
    """From where on, and how long to wait for something."""

    after: Annotated[str, msgspec.Meta(max_length=4096, description="`next` of the answer before.")] | None = None
    wait: Annotated[int, msgspec.Meta(ge=0, le=25, description="How many seconds to wait for an event.")] = DEFAULT_WAIT
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_EVENTS, description="How many events at most.")] = 100


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


_decode = msgspec.json.Decoder(EventView).decode


def routes(
    hub: Hub,
    feed: Feed,
    admissions: Callable[[Actor], Awaitable[Sequence[Admission]]],
    gap: Callable[[Actor, int], Awaitable[Gap]],
) -> Routes:
    """The route that waits for events."""
    api = Routes("Events")

    @api.get("/events", errors=[BadPlace])
    async def list_events(actor: Actor, query: EventsQuery) -> EventsView:
        """What has happened since, in all rooms that one is in; waits a while if that is nothing.

        Without `after` it answers at once, with the cursor of now.
        """
        here = hub.position()
        if query.after is None:
            return EventsView([], here)
        cursor = feed.cursor_of(query.after)
        poll = Poll(actor)
        try:
            if cursor.order is None:
                raise Trimmed
            async with hub.arriving():
                await hub.attach(poll, await admissions(actor), cursor.order)
            if not poll.heard:
                await poll.arrived(query.wait)
            if poll.pending:
                poll.flush()
            here = hub.position()
        except Trimmed:
            missed = await gap(actor, cursor.at_ms)
            return EventsView([EventView("gap", msgspec.Raw(_encode(missed)))], here)
        finally:
            hub.leave(poll)
        if len(poll.heard) < min(query.limit + 1, MAX_EVENTS):
            return EventsView(poll.heard, here)
        items = poll.heard[: query.limit]
        return EventsView(items, _last(items))

    return api


def _last(items: Sequence[EventView]) -> str:
    """From where to go on where there is more than was given."""
    return next(item.s for item in reversed(items) if item.s is not None)
