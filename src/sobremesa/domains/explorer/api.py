"""The routes of the table explorer, for operators."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.domains.explorer.service import SCOPE, TableExplorer
from sobremesa.domains.explorer.views import CostView, PartitionView, PatternResultView
from sobremesa.http.endpoints import PageQuery, Routes
from sobremesa.table.schema import Schema

PatternId = Annotated[str, msgspec.Meta(max_length=100, examples=["S2.9"])]
PartitionKey = Annotated[str, msgspec.Meta(min_length=1, max_length=2048, examples=["CHANNEL#01K9"])]
Parts = Annotated[dict[str, Any], msgspec.Meta(max_length=16, examples=[{"roomId": "01K9"}])]


class PartitionQuery(PageQuery):
    """The index whose partition it is, if it is not one of the table, and the page."""

    index: Annotated[str, msgspec.Meta(min_length=1, max_length=255, examples=["gsi1"])] | None = None


def routes(explorer: TableExplorer) -> Routes:
    """Return the routes of the table explorer."""
    api = Routes("Table", "The table behind everything, for operators: its design, its rows and its costs.")

    @api.get("/table/schema", scope=SCOPE)
    async def get_schema(actor: Actor) -> Schema:
        """Return every entity with its keys, and every access pattern with its key condition and price."""
        return explorer.schema(actor)

    @api.post("/table/patterns/{pattern_id}", scope=SCOPE, limit="read")
    async def run_pattern(actor: Actor, pattern_id: PatternId, query: PageQuery, body: Parts) -> PatternResultView:
        """Run an access pattern that reads. The body has the parts of its key.

        Secrets are left out. Only operators can do this, since rows of all tenants are in the table:
        administrators and server keys of the tenant in `SOBREMESA_OPERATOR_TENANT`. Each call has an entry in the audit
        log.
        """
        return await explorer.run_pattern(actor, pattern_id, body, limit=query.limit, cursor=query.cursor)

    @api.get("/table/partitions/{pk}", scope=SCOPE)
    async def read_partition(actor: Actor, pk: PartitionKey, query: PartitionQuery) -> PartitionView:
        """Return the rows of a partition of the table, or with `index` of an index, by sort key. As for patterns."""
        return await explorer.read_partition(actor, pk, index=query.index, limit=query.limit, cursor=query.cursor)

    @api.get("/table/cost", scope=SCOPE)
    async def get_cost(actor: Actor) -> CostView:
        """Return the units that this node has used since it started, by access pattern, with their price on demand."""
        return explorer.cost(actor)

    return api
