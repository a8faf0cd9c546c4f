"""The targets of the benchmarks, and whether they are met."""

from __future__ import annotations

from typing import NamedTuple

from bench.calls import BOTO, OURS
from bench.results import Results, Series
from bench.rounds import PAGES_1, PAGES_32, SENDS_32
from bench.stage import DYNOXIDE, EMBEDDED, GROUP

FLAT = 1.5


class Target(NamedTuple):
    """A target, its figure, and whether it is met."""

    words: str
    wanted: str
    found: str
    met: bool


def check_targets(results: Results) -> list[Target]:
    """Return every target, in order."""
    return [
        _ratio(results, "sends, 32 senders, of the raw group commit", SENDS_32, GROUP, 0.6),
        _ratio(results, "sends, 32 senders, over dynoxide", SENDS_32, DYNOXIDE, 4),
        _ratio(results, "pages over dynoxide's, 1 reader", PAGES_1, DYNOXIDE, 5),
        _ratio(results, "pages over dynoxide's, 32 readers", PAGES_32, DYNOXIDE, 5),
        _flat(results),
        *_calls(results),
    ]


def _ratio(results: Results, words: str, measure: str, other: str, wanted: float) -> Target:
    ratio = results.ratio(measure, EMBEDDED, other)
    assert ratio is not None
    low, high = ratio.spread
    if wanted < 1:
        found = f"{ratio.middle:.0%} ({low:.0%} to {high:.0%})"
        return Target(words, f"at least {wanted:.0%}", found, ratio.middle >= wanted)
    return _multiple(words, ratio, wanted)


def _multiple(words: str, ratio: Series, wanted: float) -> Target:
    low, high = ratio.spread
    found = f"{ratio.middle:.1f}x ({low:.1f} to {high:.1f})"
    return Target(words, f"at least {wanted:.0f}x", found, ratio.middle >= wanted)


def _flat(results: Results) -> Target:
    first, last = results.partitions.steps[0], results.partitions.steps[-1]
    growth = max(last.newest_page / first.newest_page, last.count / first.count)
    words = f"newest page and count: {last.messages:,} messages over {first.messages:,}"
    return Target(words, f"constant (under {FLAT}x)", f"{growth:.2f}x", growth < FLAT)


def _calls(results: Results) -> list[Target]:
    found = []
    for cost in results.calls:
        words = f"aiobotocore's CPU over ours, {cost.call}"
        found.append(_multiple(words, cost.ratio(BOTO, OURS), 3))
    return found
