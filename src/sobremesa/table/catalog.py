"""The entities and patterns of a registry as tables, for generated documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sobremesa.table.capacity import Usage
from sobremesa.table.entities import Entity
from sobremesa.table.patterns import AnyPattern, Lookup, Pattern, Registry, WritePattern


def entity_rows(registry: Registry) -> list[dict[str, str]]:
    """Return a row for each entity, with the templates of its keys."""
    return [_entity_row(entity) for entity in registry.entities]


def pattern_rows(registry: Registry) -> list[dict[str, str]]:
    """Return a row for each access pattern."""
    return [_pattern_row(pattern) for pattern in registry.patterns.values()]


def cost_rows(totals: Mapping[str, Usage]) -> list[dict[str, str]]:
    """Return a row for each pattern that was used: calls, and units per call."""
    return [
        {
            "pattern": name,
            "calls": str(usage.calls),
            "read units a call": f"{usage.capacity.read / usage.calls:.2f}",
            "write units a call": f"{usage.capacity.write / usage.calls:.2f}",
        }
        for name, usage in totals.items()
    ]


def markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows as a Markdown table."""
    if not rows:
        return ""
    lines = [_line(rows[0].keys()), _line("---" for _ in rows[0])]
    lines += [_line(cell.replace("|", "\\|") for cell in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _entity_row(entity: type[Entity]) -> dict[str, str]:
    shape = entity.shape
    indexes = [f"{index.index}: `{index.pk.text}` / `{index.sk.text}`" for index in shape.indexes.values()]
    return {
        "entity": shape.type_name,
        "pk": f"`{shape.keys.pk.text}`",
        "sk": f"`{shape.keys.sk.text}`",
        "indexes": "; ".join(indexes) or "-",
        "what it is": _first_line(entity),
    }


def _pattern_row(pattern: AnyPattern) -> dict[str, str]:
    return {"id": pattern.id, "question": pattern.question, **_how(pattern)}


def _how(pattern: AnyPattern) -> dict[str, str]:
    names = ", ".join(entity.shape.type_name for entity in pattern.entities)
    match pattern:
        case Lookup():
            keys = pattern.entities[0].shape.keys
            return {"operation": "get", "on": f"`{keys.pk.text}` / `{keys.sk.text}`", "gives": names}
        case Pattern():
            where = f"{pattern.index_name or 'table'} `{pattern.keys.pk.text}`, sk {pattern.condition}"
            order = ", newest first" if pattern.newest_first else ""
            gives = names if pattern.into is None else f"{pattern.into.__name__} of {names}"
            return {"operation": "query", "on": where + order, "gives": gives}
        case WritePattern():
            return {"operation": "write", "on": "-", "gives": names}


def _first_line(entity: type[Any]) -> str:
    return (entity.__doc__ or "").strip().split("\n")[0]
