"""The routes of moderation, for administrators and server keys with the scope `admin`."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.domains.moderation.entities import CaseId
from sobremesa.domains.moderation.errors import CaseClosed
from sobremesa.domains.moderation.review import Decision, Review, State
from sobremesa.domains.moderation.views import CaseView
from sobremesa.http.endpoints import DEFAULT_LIMIT, Cursor, Input, Limit, Listed, Routes

Note = Annotated[str, msgspec.Meta(min_length=1, max_length=1000, examples=["An advertisement, the third this week."])]


class CasesQuery(Input):
    """Which cases to list: open or closed ones."""

    state: State = "open"
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | None = None


class Ruling(Input):
    """A decision: `approve` removes the flags, `block` hides the content from all but its author and moderators."""

    decision: Decision
    note: Note | None = None


def routes(review: Review) -> Routes:
    """Return the routes of the review queue."""
    api = Routes("Moderation", "Cases: reported messages and those that the policy flagged.")

    @api.get("/moderation/cases", scope="admin")
    async def list_cases(actor: Actor, query: CasesQuery) -> Listed[CaseView]:
        """List open or closed cases, newest first."""
        return Listed(*await review.list_cases(actor, state=query.state, limit=query.limit, cursor=query.cursor))

    @api.get("/moderation/cases/{case_id}", scope="admin")
    async def get_case(actor: Actor, case_id: CaseId) -> CaseView:
        """Return a case, with the current content of its message."""
        return await review.get_case(actor, case_id)

    @api.post("/moderation/cases/{case_id}", scope="admin", errors=[CaseClosed])
    async def decide_case(actor: Actor, case_id: CaseId, body: Ruling) -> CaseView:
        """Approve or block, once. A second decision gets 409, with the decided case as `current`."""
        return await review.decide(actor, case_id, body.decision, body.note)

    return api
