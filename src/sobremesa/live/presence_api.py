"""The route of presence."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, UserId, UserIdList
from sobremesa.core.errors import Invalid
from sobremesa.http.endpoints import Input, Output, Routes
from sobremesa.live.presence import Presence, PresenceView

MAX_ASKED = 100


class TooManyUsers(Invalid):
    """Too many users in one request."""

    code = "too_many_people"
    default_detail = f"At most {MAX_ASKED} users can be looked up at once."


class PresenceQuery(Input):
    """The users to look up."""

    user_ids: Annotated[
        UserIdList, msgspec.Meta(min_length=1, max_length=4096, description="User ids, separated by commas.")
    ]


class PresencesView(Output):
    """The presences, in the order of the request."""

    items: list[PresenceView]


def routes(presence: Presence) -> Routes:
    """Return the route of presence."""
    api = Routes("Presence", "Which users are online.")

    @api.get("/presence", errors=[TooManyUsers])
    async def list_presences(actor: Actor, query: PresenceQuery) -> PresencesView:
        """Return whether users are online.

        Users with whom you share neither a server nor a conversation are shown as offline.
        """
        asked = [UserId(each) for each in dict.fromkeys(query.user_ids.split(",")) if each]
        if len(asked) > MAX_ASKED:
            raise TooManyUsers
        return PresencesView(await presence.of(actor.user_id, asked))

    return api
