"""Some seeds of the simulation hold, a run repeats exactly, and a broken property is found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lengths import SIMULATED_SEEDS
from simulation import virtual_time
from simulation.oracle import Send
from simulation.scenario import Scenario
from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId

TESTS = Path(__file__).parents[1]
SECONDS = 15
"""How long users are busy, in virtual time."""


def simulated(*arguments: str, seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: it needs a fixed seed of hashes."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", "simulation", *arguments, "--seconds", str(seconds)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.long
def test_seeds_hold() -> None:
    ran = simulated("--seeds", str(SIMULATED_SEEDS), "--jobs", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " 0 failed" in ran.stdout


def test_same_seed_gives_the_same_history() -> None:
    first, second = (simulated("--seed", "2", seconds=8) for _ in range(2))
    assert first.returncode == 0, first.stdout[-2000:] + first.stderr
    assert len(first.stdout.splitlines()) > 100
    assert first.stdout == second.stdout


def forget_message(scenario: Scenario) -> None:
    """A message that was answered is not there."""
    scenario.oracle.sends["user1-0"] = Send("user1-0", scenario.rooms[0], UserId("user1"), MessageId("01"))


def miss_event(scenario: Scenario) -> None:
    """A client has missed the newest message."""
    scenario.clients[0].messages[scenario.rooms[0]].popitem()


def swap_events(scenario: Scenario) -> None:
    """A connection has received messages in another order."""
    next(ids for ids in scenario.oracle.orders.values() if len(ids) > 1).reverse()


def remove_member(scenario: Scenario) -> None:
    """A user who has access was answered to be removed."""
    scenario.oracle.members[scenario.writers[0].user_id] = "out"


@pytest.mark.parametrize(
    ("tamper", "rule"),
    [
        (forget_message, "exactly once"),
        (miss_event, "snapshot and events are the present"),
        (swap_events, "one order"),
        (remove_member, "members have access"),
    ],
)
def test_broken_property_is_found(tamper: Callable[[Scenario], None], rule: str) -> None:
    scenario = Scenario(4, "sqlite", 6.0)
    virtual_time.run(scenario.run(tamper), 4)
    assert {violation.split(":")[0] for violation in scenario.history.violations} >= {rule}


def test_run_that_nothing_breaks_has_no_violations() -> None:
    scenario = Scenario(4, "sqlite", 6.0)
    virtual_time.run(scenario.run(), 4)
    assert not scenario.history.violations
