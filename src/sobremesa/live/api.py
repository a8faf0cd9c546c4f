"""The routes of live events, for those who cannot keep a socket open."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.http.endpoints import Input, Routes
from sobremesa.live.feed import BadEventCursor
from sobremesa.live.polling import MAX_EVENTS, EventsView, Polling

DEFAULT_WAIT = 20


class EventsQuery(Input):
    """From where on, and how long to wait for something."""

    after: Annotated[str, msgspec.Meta(max_length=4096, description="`next` of the answer before.")] | None = None
    wait: Annotated[int, msgspec.Meta(ge=0, le=25, description="How many seconds to wait for an event.")] = DEFAULT_WAIT
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_EVENTS, description="How many events at most.")] = 100


def routes(polling: Polling) -> Routes:
    """The route that waits for events."""
    api = Routes("Events")

    @api.get("/events", errors=[BadEventCursor])
    async def list_events(actor: Actor, query: EventsQuery) -> EventsView:
        """What has happened since, in all rooms that one is in; waits a while if that is nothing.

        Without `after` it answers at once, with the cursor of now.
        """
        return await polling.wait(actor, query.after, seconds=query.wait, limit=query.limit)

    return api
