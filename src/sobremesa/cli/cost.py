"""`sobremesa cost`: what operations cost on DynamoDB, what a month costs, and whether budgets hold."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import cyclopts
import msgspec
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.costs import scenario
from sobremesa.costs.plans import Exceeded, Line, exceeded_of, month_of, read_plan
from sobremesa.costs.scenario import VerbCost
from sobremesa.table import Capacity
from sobremesa.table.prices import UTILIZATION, per_million, provisioned

NOTE = (
    "On demand a million write units cost $0.625 and a million read units $0.125. Provisioned capacity is used at\n"
    f"{UTILIZATION:.0%} on average (us-east-1, 2025). Storage, streams and backups are not included."
)
WIDTH = 160

Format: TypeAlias = Literal["table", "json"]


async def cost(
    *,
    plan: Annotated[
        Path | None,
        cyclopts.Parameter(help="A TOML file: [month] has how often each operation runs, [budget] what it may cost."),
    ] = None,
    format: Annotated[Format, cyclopts.Parameter(help="Tables, or JSON.")] = "table",
) -> None:
    """Measure what every operation costs on DynamoDB, with what it causes later where the name says so.

    It runs every operation once on a table in memory and needs no store. With a plan it adds the cost of a month, and
    exits with status 1 if an operation costs more than its budget.
    """
    verbs = (await scenario.run()).verbs
    lines: list[Line] = []
    exceeded: list[Exceeded] = []
    if plan is not None:
        read = read_plan(plan, verbs)
        lines, exceeded = month_of(read, verbs), exceeded_of(read, verbs)
    if format == "json":
        document = {
            "operations": [_operation(each) for each in verbs],
            "month": [_month(line) for line in lines],
            "exceeded": [each._asdict() for each in exceeded],
        }
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")
    else:
        _print(verbs if plan is None else [], lines)
    for each in exceeded:
        errors = Console(stderr=True)
        errors.print(
            f"sobremesa: {each.verb}: ${each.dollars:.2f} a million, more than its budget of ${each.budget:.2f}",
            highlight=False,
            soft_wrap=True,
        )
    if exceeded:
        sys.exit(1)


def _print(verbs: list[VerbCost], lines: list[Line]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH)
    if verbs:
        grid = _grid("operation", "read units", "write units", "$ a million, on demand", "provisioned")
        for each in verbs:
            million = Capacity(each.used.read * 1e6, each.used.write * 1e6)
            grid.add_row(
                each.verb,
                f"{each.used.read:.6g}",
                f"{each.used.write:.6g}",
                f"{per_million(each.used):,.2f}",
                f"{provisioned(million):,.2f}",
            )
        console.print(grid)
    if lines:
        grid = _grid("a month of", "times", "read units", "write units", "$ on demand", "provisioned")
        for line in lines:
            grid.add_row(line.verb, f"{line.calls:,}", *_amounts(line.used), *_dollars(line))
        total = Line("together", 0, Capacity(sum(x.used.read for x in lines), sum(x.used.write for x in lines)))
        grid.add_row(total.verb, "", *_amounts(total.used), *_dollars(total))
        console.print(grid)
    console.print(NOTE)


def _grid(first: str, *others: str) -> Grid:
    grid = Grid(box=None, padding=(0, 2), header_style="bold")
    grid.add_column(first)
    for name in others:
        grid.add_column(name, justify="right")
    return grid


def _amounts(used: Capacity) -> tuple[str, str]:
    return f"{used.read:,.0f}", f"{used.write:,.0f}"


def _dollars(line: Line) -> tuple[str, str]:
    return f"{line.on_demand:,.2f}", f"{line.provisioned:,.2f}"


def _operation(each: VerbCost) -> dict[str, Any]:
    return {
        "operation": each.verb,
        "requests": each.calls,
        "readUnits": each.used.read,
        "writeUnits": each.used.write,
        "dollarsPerMillion": round(per_million(each.used), 4),
    }


def _month(line: Line) -> dict[str, Any]:
    return {
        "operation": line.verb,
        "calls": line.calls,
        "readUnits": line.used.read,
        "writeUnits": line.used.write,
        "dollarsOnDemand": round(line.on_demand, 2),
        "dollarsProvisioned": round(line.provisioned, 2),
    }
