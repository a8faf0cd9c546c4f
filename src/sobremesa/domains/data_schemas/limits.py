"""Bounds of a schema: what it costs to compile, and to match with data of the largest size.

A schema is a tenant's own text that this process runs. Patterns are matched in linear time by the library. The rest of
the cost is how often parts of the schema are visited, which references multiply: two references to a part that has two
references to another one visit that four times. So references lead only to `$defs` of the same schema, never in a
circle, and the number of parts, with every reference replaced by what it leads to, is bounded.
"""

from __future__ import annotations

from typing import Any

from sobremesa.core.custom_data import depth_of
from sobremesa.domains.data_schemas.errors import BadDataSchema

MAX_SCHEMA_BYTES = 16 * 1024
MAX_SCHEMA_DEPTH = 32
MAX_PARTS = 2000
"""How many objects, lists and values a schema may have with its references replaced."""

_REFUSED = ("$dynamicRef", "$recursiveRef", "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary")
"""Keywords that move where references lead, or that lead out of the schema."""
_DEFS = "#/$defs/"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def require_cheap(schema: dict[str, Any]) -> None:
    """Raise BadDataSchema unless the cost of a schema is bounded."""
    if depth_of(schema, MAX_SCHEMA_DEPTH) > MAX_SCHEMA_DEPTH:
        raise BadDataSchema(f"The schema is nested more than {MAX_SCHEMA_DEPTH} levels deep.")
    defs = schema.get("$defs", {})
    if not isinstance(defs, dict):
        raise BadDataSchema("`$defs` is not an object.")
    root = {name: value for name, value in schema.items() if name != "$defs"}
    if root.pop("$schema", _DRAFT) != _DRAFT:
        raise BadDataSchema(f"`$schema` must be {_DRAFT}.")
    if _Parts(defs).count(root) > MAX_PARTS:
        raise BadDataSchema(f"The schema has more than {MAX_PARTS} parts, with its references replaced.")


class _Parts:
    """Counts the parts of a schema, each definition once."""

    def __init__(self, defs: dict[str, Any]) -> None:
        self._defs = defs
        self._counted: dict[str, int] = {}
        self._open: set[str] = set()

    def count(self, value: Any) -> int:
        if isinstance(value, list):
            return 1 + sum(self.count(each) for each in value)
        if not isinstance(value, dict):
            return 1
        for keyword in _REFUSED:
            if keyword in value:
                raise BadDataSchema(f"`{keyword}` is not supported.")
        if "$defs" in value:
            raise BadDataSchema("`$defs` may only be at the top of the schema.")
        reference = value.get("$ref")
        there = 0 if reference is None else self._count_definition(reference)
        return 1 + there + sum(self.count(each) for name, each in value.items() if name != "$ref")

    def _count_definition(self, reference: object) -> int:
        name = reference.removeprefix(_DEFS) if isinstance(reference, str) else ""
        if not isinstance(reference, str) or not reference.startswith(_DEFS) or name not in self._defs:
            raise BadDataSchema("A `$ref` must lead to `#/$defs/NAME` of the same schema.")
        if name in self._open:
            raise BadDataSchema("The references of a schema must not form a circle.")
        if name not in self._counted:
            self._open.add(name)
            self._counted[name] = self.count(self._defs[name])
            self._open.discard(name)
        return self._counted[name]
