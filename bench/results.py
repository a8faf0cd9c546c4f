"""Everything that was measured in one run, as values."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

import msgspec


class Series(NamedTuple):
    """One figure, as each round gave it."""

    values: tuple[float, ...]

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.values), max(self.values)

    def over(self, other: Series) -> Series:
        """This over another, round by round."""
        return Series(tuple(mine / theirs for mine, theirs in zip(self.values, other.values, strict=True)))


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of questions to a partition of one size, in microseconds, the medians of several rounds."""

    messages: int
    newest_page: float
    random_page: float
    count: float
    get: float


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """What the file and the process were after so many sends over many conversations."""

    sends: int
    file_bytes: int
    bytes_by_table: dict[str, int]
    rss_before: int
    rss_after: int


class Partitions(msgspec.Struct, frozen=True, kw_only=True):
    """What one process found about growth and size."""

    growth: list[Growth]
    steps: list[Step]
    stored: int
    file_bytes: int
    rss: int


class CallCost(NamedTuple):
    """Processor time of one call, in milliseconds, by who makes it."""

    call: str
    by_client: dict[str, Series]

    def ratio(self, client: str, other: str) -> Series:
        """How much dearer one client is than another, round by round."""
        return self.by_client[client].over(self.by_client[other])


class Machine(NamedTuple):
    """What the figures were measured on."""

    cores: int
    python: str
    sqlite: str
    loop: str
    sync_ms: float


class Results(NamedTuple):
    """One run."""

    machine: Machine
    quick: bool
    rounds: int
    figures: dict[str, dict[str, Series]]
    calls: list[CallCost]
    partitions: Partitions

    def figure(self, measure: str, contender: str) -> Series | None:
        return self.figures.get(measure, {}).get(contender)

    def ratio(self, measure: str, contender: str, other: str) -> Series | None:
        """One contender's figure over another's, round by round."""
        mine, theirs = self.figure(measure, contender), self.figure(measure, other)
        return None if mine is None or theirs is None else mine.over(theirs)
