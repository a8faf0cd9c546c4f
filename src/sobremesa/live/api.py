"""The route of live events for clients that cannot keep a socket open."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.http.endpoints import Input, Routes
from sobremesa.live.feed import BadEventCursor
from sobremesa.live.polling import ACT_AS_SCOPES, MAX_EVENTS, EventsView, Polling

DEFAULT_WAIT = 20


class EventsQuery(Input):
    """Where to continue, and how long to wait for an event."""

    after: Annotated[str, msgspec.Meta(max_length=4096, description="`next` of the previous response.")] | None = None
    wait: Annotated[int, msgspec.Meta(ge=0, le=25, description="How many seconds to wait for an event.")] = DEFAULT_WAIT
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_EVENTS, description="How many events at most.")] = 100


def routes(polling: Polling) -> Routes:
    """Return the route that waits for events."""
    api = Routes("Events", "Events by long polling; the gateway delivers the same ones over a WebSocket.")

    @api.get("/events", errors=[BadEventCursor], acting_scopes=ACT_AS_SCOPES)
    async def list_events(actor: Actor, query: EventsQuery) -> EventsView:
        """Wait for events in all rooms that you are in, and return them.

        Returns as soon as there are events after the cursor `after`, or when `wait` seconds have passed. Without
        `after` it returns at once, with the current cursor.
        """
        return await polling.wait(actor, query.after, seconds=query.wait, limit=query.limit)

    return api
