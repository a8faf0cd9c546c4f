"""`sobremesa cost`: units and prices of every operation, the cost of a month, and budgets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commands
from commands import SOBREMESA
from sobremesa.costs import scenario
from sobremesa.costs.plans import BadPlan, Plan, exceeded_of, month_of, read_plan
from sobremesa.costs.scenario import VerbCost
from sobremesa.table import Capacity
from sobremesa.table.prices import on_demand, provisioned

BUDGETS = Path(__file__).parents[1] / "budget.toml"
SEND = VerbCost("send", 2, Capacity(read=0.5, write=9.0))
PAGE = VerbCost("page", 1, Capacity(read=8.0))


def test_prices_follow_from_the_units() -> None:
    million = Capacity(read=1e6, write=1e6)
    assert on_demand(million) == pytest.approx(0.75)
    # A unit a second for an hour is 3,600 units, all of which are used.
    assert provisioned(Capacity(read=3600), utilization=1) == pytest.approx(0.00013)
    assert provisioned(Capacity(write=3600), utilization=0.5) == pytest.approx(0.0013)


def test_month_is_sorted_by_its_cost() -> None:
    lines = month_of(Plan(month={"page": 1_000_000, "send": 2_000_000}), [SEND, PAGE])
    assert [(line.verb, line.calls) for line in lines] == [("send", 2_000_000), ("page", 1_000_000)]
    assert [round(line.on_demand, 3) for line in lines] == [11.375, 1.0]
    assert lines[0].used == Capacity(read=1e6, write=18e6)


def test_only_what_is_above_its_budget_is_reported() -> None:
    plan = Plan(budget={"send": 5.69, "page": 0.99})
    [exceeded] = exceeded_of(plan, [SEND, PAGE])
    assert (exceeded.verb, exceeded.budget, exceeded.dollars) == ("page", 0.99, 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[month]\nsned = 1", "there is no operation 'sned'; did you mean 'send'?"),
        ("[month]\nsend = -1", "Expected `int` >= 0"),
        ("[budget]\nsend = true", "Expected `float`"),
        ("[moth]\nsend = 1", "unknown field `moth`"),
        ("[month", "Expected ']'"),
    ],
)
def test_wrong_plans_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(BadPlan) as refused:
        read_plan(path, [SEND, PAGE])
    assert message in str(refused.value)


async def test_operations_keep_to_their_budgets() -> None:
    verbs = (await scenario.run()).verbs
    plan = read_plan(BUDGETS, verbs)
    assert exceeded_of(plan, verbs) == []
    assert len(plan.budget) > 20


def test_command_prints_a_month_and_fails_above_a_budget(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[month]\n"send a message" = 2_000_000\n[budget]\n"send a message" = 0.01\n')
    done = commands.run(SOBREMESA, "cost", "--plan", path, folder=tmp_path)
    assert done.returncode == 1
    assert "send a message" in done.stdout
    assert done.stderr.startswith("sobremesa: send a message: $4.44 a million, more than its budget of $0.01")
    path.write_text('[month]\n"send a message" = 2_000_000\n')
    done = commands.run(SOBREMESA, "cost", "--plan", path, "--format", "json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    [month] = found["month"]
    [operation] = [each for each in found["operations"] if each["operation"] == "send a message"]
    assert month["writeUnits"] == operation["writeUnits"] * 2_000_000
    assert month["dollarsOnDemand"] == pytest.approx(operation["dollarsPerMillion"] * 2, abs=0.01)
