"""Plans in TOML: how often each operation runs in a month, and what each may cost at most.

    [month]
    "send a message with a nonce" = 3_000_000

    [budget]
    "send a message with a nonce" = 5.70   # dollars of a million, on demand

The operations are those of the scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from sobremesa.core.errors import SobremesaError
from sobremesa.costs.scenario import VerbCost
from sobremesa.table import Capacity
from sobremesa.table.prices import on_demand, per_million, provisioned

ROUNDING = 0.005
"""Budgets are written in whole cents."""

Calls = Annotated[int, msgspec.Meta(ge=0)]
Dollars = Annotated[float, msgspec.Meta(ge=0)]


class BadPlan(SobremesaError):
    """A plan is not valid, or names an operation that does not exist."""


class Plan(msgspec.Struct, forbid_unknown_fields=True):
    """How often operations run in a month, and the most that a million of each may cost."""

    month: dict[str, Calls] = {}
    budget: dict[str, Dollars] = {}


class Line(NamedTuple):
    """What one operation costs in a month."""

    verb: str
    calls: int
    used: Capacity

    @property
    def on_demand(self) -> float:
        return on_demand(self.used)

    @property
    def provisioned(self) -> float:
        return provisioned(self.used)


class Exceeded(NamedTuple):
    """An operation that costs more than its budget, in dollars of a million."""

    verb: str
    budget: float
    dollars: float


def read_plan(path: Path, verbs: Iterable[VerbCost]) -> Plan:
    """Return the plan in a file; raise BadPlan if it is not valid or names an unknown operation."""
    try:
        plan = msgspec.toml.decode(path.read_bytes(), type=Plan)
    except (OSError, msgspec.DecodeError) as error:
        raise BadPlan(f"{path}: {error}") from None
    known = [each.verb for each in verbs]
    for verb in (*plan.month, *plan.budget):
        if verb not in known:
            close = get_close_matches(verb, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise BadPlan(f"{path}: there is no operation {verb!r}{hint}")
    return plan


def month_of(plan: Plan, verbs: Iterable[VerbCost]) -> list[Line]:
    """Return what a month costs, by operation, the most expensive first."""
    used = _by_name(verbs)
    lines = [
        Line(verb, calls, Capacity(used[verb].read * calls, used[verb].write * calls))
        for verb, calls in plan.month.items()
    ]
    return sorted(lines, key=lambda line: -line.on_demand)


def exceeded_of(plan: Plan, verbs: Iterable[VerbCost]) -> list[Exceeded]:
    """Return the operations that cost more than their budget."""
    used = _by_name(verbs)
    costs = [Exceeded(verb, budget, per_million(used[verb])) for verb, budget in plan.budget.items()]
    return [each for each in costs if each.dollars > each.budget + ROUNDING]


def _by_name(verbs: Iterable[VerbCost]) -> Mapping[str, Capacity]:
    return {each.verb: each.used for each in verbs}
