"""How long a run takes, and how much data it uses."""

from __future__ import annotations

from typing import NamedTuple


class Plan(NamedTuple):
    """The sizes of one run."""

    quick: bool
    rounds: int
    send_seconds: float
    read_seconds: float
    rooms: int
    growth_sends: int
    partition_sizes: tuple[int, ...]
    calls: int


QUICK = Plan(
    quick=True,
    rounds=3,
    send_seconds=0.3,
    read_seconds=0.1,
    rooms=32,
    growth_sends=40_000,
    partition_sizes=(1_000, 10_000, 100_000),
    calls=25,
)
FULL = Plan(
    quick=False,
    rounds=5,
    send_seconds=0.8,
    read_seconds=0.3,
    rooms=96,
    growth_sends=200_000,
    partition_sizes=(1_000, 10_000, 100_000, 1_000_000),
    calls=100,
)
