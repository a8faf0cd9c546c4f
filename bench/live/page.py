"""The page: medians with their ranges, ratios taken round by round, and what is wanted."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from bench.live.contenders import BOUND, OURS, THEIRS
from bench.live.slow import Kept, Pair
from bench.targets import Target
from sobremesa.loadtest.run import Plan, Results

Figure = Callable[[Results], float | None]

METHOD = """\
The server is one process on one core, the client another on the other. Each round starts every server afresh, in an
order that alternates; medians of the rounds, with the least and the greatest. A ratio is taken round by round.

- **Sobremesa** is `sobremesa serve` on a file (`synchronous=FULL`), limits off; everything goes through the gateway.
  A send is on the disk before it is answered, and what is broadcast is stored before it is told.
- **socket.io** 4.8 as it comes, on Node: it answers and broadcasts, and stores nothing. Its events are as long as ours.
- **bound** is our own web stack without the product: uvicorn, and frames that are made once and written to all in
  batches. It knows nobody and stores nothing.

*In flight*: a message is under way until every socket has it; as soon as fewer are, another is sent. Where other
programs took more than a fifth of a core, a figure was measured again, up to {tries} times, and the quietest counts.
"""


class Slow(NamedTuple):
    """What slow readers cost."""

    slow: int
    sockets: int
    pairs: list[Pair]
    kept: list[Kept]


class Found(NamedTuple):
    """Everything that was measured, round by round."""

    plan: Plan
    rounds: dict[str, list[Results]]
    slow: Slow
    event_bytes: int
    client_bound: float


def figures(plan: Plan) -> Iterator[tuple[str, str, Figure]]:
    """What is compared: its name, its unit, and where it is found."""
    many = plan.senders
    yield "sends/s, 1 sender", "", lambda r: r.sends_1.per_second
    yield (
        f"sends/s, {many} senders, a channel each",
        "",
        lambda r: None if r.sends_apart is None else r.sends_apart.per_second,
    )
    yield "their p99", "ms", lambda r: None if r.sends_apart is None else r.sends_apart.p99_ms
    yield (
        f"sends/s, {many} senders, one channel",
        "",
        lambda r: None if r.sends_together is None else r.sends_together.per_second,
    )
    for sockets in plan.sockets:
        for in_flight in plan.in_flight:
            name = f"broadcast to {sockets:,}, {in_flight} in flight, deliveries/s"
            yield name, "", lambda r, key=(sockets, in_flight): r.broadcasts[key]  # type: ignore[misc]
    yield f"20 messages/s to {plan.sockets[-1]:,}, p50", "ms", lambda r: r.waits.p50_ms
    yield f"20 messages/s to {plan.sockets[-1]:,}, p99", "ms", lambda r: r.waits.p99_ms
    yield f"newest 50, {many} readers, pages/s", "", lambda r: None if r.pages is None else r.pages.per_second
    yield "memory (RSS), idle", "MB", lambda r: r.memory[0].idle / 1e6 if r.memory else None
    for place, sockets in enumerate(plan.idle):
        name = f"memory for each of {sockets:,} idle sockets"
        yield name, "KB", lambda r, place=place: r.memory[place].of_each / 1024 if r.memory else None  # type: ignore[misc]


def markdown(found: Found) -> str:
    """The whole page."""
    names = list(found.rounds)
    lines = ["# The gateway beside socket.io, and its bound", "", METHOD.format(tries=found.plan.tries)]
    lines += [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for name, unit, figure in figures(found.plan):
        cells = [_cell([figure(each) for each in found.rounds[who]], unit) for who in names]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "| | of socket.io's | of the bound's |", "|---|---|---|"]
    for name, unit, figure in figures(found.plan):
        if "/s" in name and not unit and "newest" not in name:
            lines.append(f"| {name} | {_ratio(found, figure, THEIRS)} | {_ratio(found, figure, BOUND)} |")
    lines += ["", "| wanted | | found | met |", "|---|---|---|---|"]
    lines += [f"| {t.words} | {t.wanted} | {t.found} | {'yes' if t.met else '**no**'} |" for t in targets(found)]
    return "\n".join([*lines, "", *_notes(found)]) + "\n"


def targets(found: Found) -> Iterator[Target]:
    """What is wanted, and whether it is so."""
    ours = found.rounds[OURS]
    sends = [each.sends_apart.per_second for each in ours if each.sends_apart is not None]
    yield _at_least(f"sends/s, {found.plan.senders} senders", sends, 4000)
    key = (found.plan.sockets[-1], found.plan.in_flight[-1])
    rates = [each.broadcasts[key] for each in ours]
    yield _at_least(f"broadcast to {key[0]:,}, {key[1]} in flight, deliveries/s", rates, 100_000)
    ratios = _ratios(found, lambda r: r.broadcasts[key], THEIRS)
    yield Target("of socket.io's", "at least 100%", _share(ratios), median(ratios) >= 1)
    p99 = [each.waits.p99_ms for each in ours]
    yield Target(f"p99 at 20 messages/s to {key[0]:,}", "at most 60 ms", _cell(p99, "ms"), median(p99) <= 60)
    each_kb = [each.memory[0].of_each / 1024 for each in ours if each.memory]
    yield Target("memory for each idle socket", "at most 30 KB", _cell(each_kb, "KB"), median(each_kb) <= 30)
    slow = found.slow
    ratios = [pair.ratio for pair in slow.pairs]
    words = f"p99 of the others beside {slow.slow} slow readers of {slow.sockets:,}, of what it is without"
    yield Target(words, "at most 125%", _share(ratios), median(ratios) <= 1.25)
    slow_kb = [each.bytes_each / 1024 for each in slow.kept]
    closed, readers = sum(each.closed for each in slow.kept), sum(each.readers for each in slow.kept)
    yield Target(
        f"memory for each slow reader, of whom {closed} of {readers} were closed in the end",
        "at most 256 KB",
        _cell(slow_kb, "KB"),
        median(slow_kb) <= 256,
    )


def _notes(found: Found) -> Iterator[str]:
    shares = [each for results in found.rounds.values() for result in results for each in result.shares.values()]
    disturbed = sum(each.is_disturbed for each in shares)
    yield (
        f"An event has {found.event_bytes} bytes. The client can count {found.client_bound:,.0f} frames/s, and was at "
        f"most {max(each.client for each in shares):.0%} busy. Of {len(shares)} figures, {disturbed} were disturbed by "
        f"other programs to the end. {len(found.rounds[OURS])} rounds, Python {platform.python_version()}."
    )


def _at_least(words: str, values: Sequence[float], wanted: float) -> Target:
    return Target(words, f"at least {wanted:,.0f}", _cell(values, ""), median(values) >= wanted)


def _ratios(found: Found, figure: Figure, other: str) -> list[float]:
    pairs = zip(found.rounds[OURS], found.rounds[other], strict=True)
    return [ours / theirs for a, b in pairs if (ours := figure(a)) is not None and (theirs := figure(b))]


def _ratio(found: Found, figure: Figure, other: str) -> str:
    return _share(_ratios(found, figure, other))


def _share(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.0%} ({min(ratios):.0%} to {max(ratios):.0%})" if ratios else "-"


def _cell(values: Sequence[float | None], unit: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    digits = 0 if not unit or unit == "MB" else 1
    low, middle, high = (f"{value:,.{digits}f}" for value in (min(known), median(known), max(known)))
    return f"{middle}{' ' * bool(unit)}{unit} ({low} to {high})"
