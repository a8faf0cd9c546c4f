"""The route that tells who is here."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Invalid
from sobremesa.http.endpoints import Input, Output, Routes
from sobremesa.live.presence import Presence, PresenceView

MAX_ASKED = 100


class TooManyUsers(Invalid):
    """More people than can be asked after at once."""

    code = "too_many_people"
    says = f"Ask after at most {MAX_ASKED} people at once."


class PresenceQuery(Input):
    """After whom somebody asks."""

    user_ids: Annotated[str, msgspec.Meta(min_length=1, max_length=4096, description="Ids, with commas between them.")]


class PresencesView(Output):
    """Who is here, in the order in which it was asked for."""

    items: list[PresenceView]


def routes(presence: Presence) -> Routes:
    """The route that tells who is here."""
    api = Routes("Presence")

    @api.get("/presence", errors=[TooManyUsers])
    async def list_presences(actor: Actor, query: PresenceQuery) -> PresencesView:
        """Whether people are here. Somebody with whom one shares no server and no conversation is never told to be."""
        asked = [UserId(each) for each in dict.fromkeys(query.user_ids.split(",")) if each]
        if len(asked) > MAX_ASKED:
            raise TooManyUsers
        return PresencesView(await presence.of(actor.user_id, asked))

    return api
