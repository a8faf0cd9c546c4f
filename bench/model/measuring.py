"""Runs a scenario in virtual time."""

from __future__ import annotations

import structlog

from bench.model.dead_node import STORMS
from bench.model.goals import GOALS, Figures, Scenario
from bench.model.hot_keys import HOT_KEYS
from bench.model.prices import PRICES
from simulation import virtual_time

SCENARIOS: dict[str, Scenario] = {**GOALS, **STORMS, **PRICES, **HOT_KEYS}


def measure(name: str, seed: int, length: float) -> Figures:
    """Return the figures of a scenario."""
    structlog.configure(processors=[_drop])  # a hot key causes thousands of warnings
    return virtual_time.run(SCENARIOS[name](seed, length), seed)


def _drop(logger: object, method: str, event: structlog.types.EventDict) -> structlog.types.EventDict:
    raise structlog.DropEvent
