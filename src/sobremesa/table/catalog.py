"""The entities and patterns of a registry as Markdown tables and as a diagram, for generated documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sobremesa.table.capacity import Usage
from sobremesa.table.patterns import Registry
from sobremesa.table.schema import EntitySchema, PatternSchema, Schema, describe

PRICE_NOTE = """Units are those of one call, for rows of 1 KB: a query returns a full page, and a write changes
one row of each entity. Prices are on demand (us-east-1, 2025).
"""


def page(schema: Schema) -> str:
    """Return a schema as the sections of a page in Markdown."""
    entities, patterns = [*map(_entity_row, schema.entities)], [*map(_pattern_row, schema.patterns)]
    return f"## Entities\n\n{markdown(entities)}\n## Access patterns\n\n{PRICE_NOTE}\n{markdown(patterns)}"


def entity_rows(registry: Registry) -> list[dict[str, str]]:
    """Return a row for each entity, with the templates of its keys."""
    return [_entity_row(entity) for entity in describe(registry).entities]


def pattern_rows(registry: Registry) -> list[dict[str, str]]:
    """Return a row for each access pattern."""
    return [_pattern_row(pattern) for pattern in describe(registry).patterns]


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


def mermaid(schema: Schema) -> str:
    """Return a schema as a Mermaid flowchart: the partitions, their rows, and the index partitions these lead to."""
    lines = ["flowchart LR"]
    partitions: dict[str, list[tuple[str, EntitySchema]]] = {}
    for number, entity in enumerate(schema.entities):
        partitions.setdefault(entity.pk, []).append((f"e{number}", entity))
    for number, (pk, members) in enumerate(partitions.items()):
        lines.append(f'  subgraph p{number}["{_label(pk)}"]')
        lines += [f'    {node}["{_label(entity.name)}<br/>{_label(entity.sk)}"]' for node, entity in members]
        lines.append("  end")
    indexes: dict[tuple[str, str], str] = {}
    for node, entity in (member for members in partitions.values() for member in members):
        for index in entity.indexes:
            target = indexes.setdefault((index.index, index.pk), f"i{len(indexes)}")
            lines.append(f'  {node} -->|"{_label(index.sk)}"| {target}')
    lines += [f'  {target}(["{index}: {_label(pk)}"])' for (index, pk), target in indexes.items()]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _label(text: str) -> str:
    """Return text as Mermaid shows it: `#` starts a character code there, and braces and quotes are syntax."""
    codes = {"#": 35, '"': 34, "{": 123, "}": 125}
    return "".join(f"#{codes[each]};" if each in codes else each for each in text)


def _entity_row(entity: EntitySchema) -> dict[str, str]:
    indexes = [f"{index.index}: `{index.pk}` / `{index.sk}`" for index in entity.indexes]
    return {
        "entity": entity.entity_type,
        "pk": f"`{entity.pk}`",
        "sk": f"`{entity.sk}`",
        "indexes": "; ".join(indexes) or "-",
        "what it is": entity.description,
    }


def _pattern_row(pattern: PatternSchema) -> dict[str, str]:
    units = [
        f"{amount:g} {name}"
        for amount, name in ((pattern.price.read_units, "read"), (pattern.price.write_units, "write"))
        if amount
    ]
    return {
        "id": pattern.id,
        "question": pattern.question,
        "operation": pattern.operation + (", newest first" if pattern.newest_first else ""),
        "index": pattern.index or "-",
        "key condition": "-" if pattern.key_condition is None else f"`{pattern.key_condition}`",
        "example": "-" if pattern.example is None else f"`{pattern.example}`",
        "returns": pattern.returns,
        "units": ", ".join(units),
        "$ per million": f"{pattern.price.dollars_per_million:.2f}",
    }
