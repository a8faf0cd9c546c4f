"""The table explorer: reads of the table by hand, as its operators need them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sobremesa.core.actor import DEFAULT_TENANT, Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.accounts.errors import invalid
from sobremesa.domains.explorer.views import (
    CostView,
    PartitionView,
    PatternCostView,
    PatternResultView,
    RowView,
    row_view,
    units_view,
)
from sobremesa.http.endpoints import camel
from sobremesa.table import (
    Capacity,
    Entity,
    Key,
    Lookup,
    Measured,
    Pattern,
    Question,
    Registry,
    Table,
    WritePattern,
    measure,
)
from sobremesa.table.opening import dynamodb_request
from sobremesa.table.prices import READ_DOLLARS, WRITE_DOLLARS, on_demand
from sobremesa.table.schema import Schema, describe
from sobremesa.table.values import Item

SCOPE = "table:read"


class TableExplorer:
    """Shows the schema of the table, and rows of it. Every read of rows has an audit entry."""

    def __init__(
        self, table: Table, registry: Registry, audit: Audit, clock: Clock, *, operator_tenant: str = DEFAULT_TENANT
    ) -> None:
        self._operator_tenant = operator_tenant
        self._table = table
        self._registry = registry
        self._audit = audit
        self._since = clock.now()
        self._secrets = {entity: _secrets_of(entity) for entity in registry.entities}
        self._all_secrets = frozenset[str]().union(*self._secrets.values())

    def schema(self, actor: Actor) -> Schema:
        """Return all entities and access patterns."""
        actor.require_scope(SCOPE)
        return describe(self._registry, self._table.layout)

    async def run_pattern(
        self, actor: Actor, pattern_id: str, parts: Mapping[str, Any], *, limit: int, cursor: str | None = None
    ) -> PatternResultView:
        """Run an access pattern that reads, with these parts of its key; NotFound if there is none of this id."""
        self._require_operator(actor)
        pattern = self._registry.patterns.get(pattern_id)
        match pattern:
            case None:
                raise NotFound
            case WritePattern():
                raise invalid("patternId", f"{pattern_id} is a write: only reads can be run")
            case Lookup():
                asked = pattern(**_parts(parts, pattern.entities[0].shape.keys.fields, pattern.entities[0]))
                await self._audit_read(actor, f"{pattern_id} {asked.raw.pk} / {asked.raw.sk}")
                return await self._get(pattern, asked)
            case Pattern():
                question = pattern(**_parts(parts, pattern.fields, pattern.entities[0]))
                await self._audit_read(actor, f"{pattern_id} {question.pk}")
                return await self._query(pattern, question, limit, cursor)

    async def read_partition(
        self, actor: Actor, pk: str, *, index: str | None = None, limit: int, cursor: str | None = None
    ) -> PartitionView:
        """Return a page of the rows of a partition of the table, or of an index, in their stored form."""
        self._require_operator(actor)
        layout = self._table.layout
        name = next((each for each, names in layout.indexes.items() if names.name == index), None)
        if index is not None and name is None:
            raise invalid("index", f"Expected one of {', '.join(names.name for names in layout.indexes.values())}")
        request = self._table.raw.request(pk, index=name, limit=limit, cursor=cursor)
        await self._audit_read(actor, pk if index is None else f"{index} {pk}")
        with measure() as measured:
            page = await self._table.raw.query(pk, index=name, limit=limit, cursor=cursor)
        return PartitionView(
            items=[self._row(item) for item in page.items],
            next=page.cursor,
            request=dynamodb_request(layout, request),
            units=units_view(_used(measured)),
        )

    def cost(self, actor: Actor) -> CostView:
        """Return what this node has used since it started."""
        self._require_operator(actor)
        used = self._table.meter.totals()
        total = Capacity()
        patterns: list[PatternCostView] = []
        for name, usage in used.items():
            total = total.plus(usage.capacity)
            pattern = self._registry.patterns.get(name)
            patterns.append(
                PatternCostView(
                    pattern=name,
                    question=None if pattern is None else pattern.question,
                    calls=usage.calls,
                    read_units=round(usage.capacity.read, 3),
                    write_units=round(usage.capacity.write, 3),
                    dollars=round(on_demand(usage.capacity), 6),
                )
            )
        patterns.sort(key=lambda each: (-each.dollars, each.pattern))
        return CostView(
            since=self._since,
            read_units=round(total.read, 3),
            write_units=round(total.write, 3),
            dollars=round(on_demand(total), 6),
            dollars_per_million_read_units=READ_DOLLARS,
            dollars_per_million_write_units=WRITE_DOLLARS,
            patterns=patterns,
        )

    # Internal

    def _require_operator(self, actor: Actor) -> None:
        """Raise Forbidden unless the actor may see the rows of all tenants: partitions do not separate them."""
        actor.require_scope(SCOPE)
        if actor.tenant != self._operator_tenant:
            raise Forbidden("Rows of the table are for operators of this installation.", scope=SCOPE)

    async def _audit_read(self, actor: Actor, target: str) -> None:
        await self._table.write(self._audit.entry(tenant_scope(actor.tenant), actor, "table.read", target=target))

    async def _get(self, pattern: Lookup[Any], asked: Key[Any]) -> PatternResultView:
        with measure() as measured:
            row = await self._table.get(asked)
        request = dynamodb_request(self._table.layout, self._table.stored(asked), consistent=asked.consistent)
        found = [] if row is None else [row]
        return self._result(pattern, "GetItem", found, None, request, measured)

    async def _query(
        self, pattern: Pattern[Any], question: Question[Any], limit: int, cursor: str | None
    ) -> PatternResultView:
        request = self._table.request(question, limit=limit, cursor=cursor)
        with measure() as measured:
            page = await self._table.query(question, limit=limit, cursor=cursor)
        built = dynamodb_request(self._table.layout, request)
        return self._result(pattern, "Query", page.items, page.cursor, built, measured)

    def _result(
        self,
        pattern: Pattern[Any] | Lookup[Any],
        operation: str,
        found: list[Any],
        cursor: str | None,
        request: dict[str, Any] | None,
        measured: Measured,
    ) -> PatternResultView:
        layout = self._table.layout
        return PatternResultView(
            pattern=pattern.id,
            question=pattern.question,
            operation=operation,
            items=[self._row(row.to_item(layout)) for row in found if isinstance(row, Entity)],
            rows=[msgspec.to_builtins(row) for row in found if not isinstance(row, Entity)],
            next=cursor,
            request=request,
            units=units_view(_used(measured)),
        )

    def _row(self, item: Item) -> RowView:
        layout = self._table.layout
        entity = self._registry.entity_of(item, layout)
        if entity is None:
            # A row of another program: it may have a secret under any name that one of our rows has.
            return row_view(item, None, self._all_secrets, layout)
        return row_view(item, entity.shape.type_name, self._secrets[entity], layout)


def _secrets_of(entity: type[Entity]) -> frozenset[str]:
    return frozenset(map(entity.shape.attribute, entity.shape.redacted))


def _parts(given: Mapping[str, Any], fields: tuple[str, ...], entity: type[Entity]) -> dict[str, Any]:
    """Return the parts of a key, given by their names in the schema or in camel case; raise Invalid if one is wrong."""
    names = {camel(field): field for field in fields} | {field: field for field in fields}
    parts = {names[name]: value for name, value in given.items() if name in names}
    if len(given) != len(fields) or len(parts) != len(fields):
        raise invalid("", f"Expected exactly these parts of the key: {', '.join(fields) or 'none'}")
    for field, value in parts.items():
        kind = entity.shape.part_types.get(field, str)
        if type(value) is not kind:
            raise invalid(field, "Expected an integer" if kind is int else "Expected text")
    return parts


def _used(measured: Measured) -> Capacity:
    return Capacity(measured.read, measured.write)
