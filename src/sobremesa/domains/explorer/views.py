"""What the table explorer returns."""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant, instant
from sobremesa.http.endpoints import Output
from sobremesa.table import Capacity, Layout
from sobremesa.table.prices import per_million
from sobremesa.table.values import Item, weigh

REDACTED = "(redacted)"
"""The value of a secret."""


class IndexKeyView(Output):
    """The key of a row in an index."""

    index: str
    pk: str
    sk: str


class RowView(Output):
    """A row as it is stored. Secrets, and hashes of secrets, are `(redacted)`."""

    pk: str
    sk: str
    entity: str | None
    """The name of its entity; null for a row that no entity matches."""
    size_bytes: int
    expires_at: Instant | None
    """When it expires, or expired: an expired row is invisible, and removed later."""
    index_keys: list[IndexKeyView]
    item: dict[str, Any]


class UnitsView(Output):
    """The capacity units that a request used, and what a million of it cost."""

    read: float
    write: float
    dollars_per_million: float


class PartitionView(Output):
    """A page of a partition, by sort key."""

    items: list[RowView]
    next: str | None
    request: dict[str, Any] | None
    """The request as DynamoDB gets it; null on a server without the packages for DynamoDB."""
    units: UnitsView


class PatternResultView(Output):
    """A page of the answer to an access pattern."""

    pattern: str
    question: str
    operation: str
    """GetItem or Query."""
    items: list[RowView]
    rows: list[dict[str, Any]]
    """The rows of a pattern that returns only some attributes; `items` is then empty."""
    next: str | None
    request: dict[str, Any] | None
    """The request as DynamoDB gets it; null on a server without the packages for DynamoDB."""
    units: UnitsView


class PatternCostView(Output):
    """What an access pattern has used."""

    pattern: str
    question: str | None
    """Null for reads without a pattern, such as those of migrations."""
    calls: int
    read_units: float
    write_units: float
    dollars: float


class CostView(Output):
    """What this node has used since it started, by access pattern, the most expensive first; on demand prices."""

    since: Instant
    read_units: float
    write_units: float
    dollars: float
    dollars_per_million_read_units: float
    dollars_per_million_write_units: float
    patterns: list[PatternCostView]


def row_view(item: Item, entity: str | None, hidden: frozenset[str], layout: Layout) -> RowView:
    """Return a stored row without the values of hidden attributes."""
    expiry = item.get(layout.ttl)
    keys = [
        IndexKeyView(names.name, str(item[names.pk]), str(item[names.sk]))
        for names in layout.indexes.values()
        if names.pk in item and names.sk in item
    ]
    return RowView(
        pk=str(item[layout.pk]),
        sk=str(item[layout.sk]),
        entity=entity,
        size_bytes=weigh(item)[1],
        expires_at=instant(int(expiry) * 1000) if isinstance(expiry, int | float) else None,
        index_keys=keys,
        item={name: REDACTED if name in hidden and value is not None else value for name, value in item.items()},
    )


def units_view(used: Capacity) -> UnitsView:
    """Return used units with their price on demand."""
    return UnitsView(used.read, used.write, round(per_million(used), 4))
