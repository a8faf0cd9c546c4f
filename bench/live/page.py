"""The page: medians with their ranges, ratios taken round by round, and what is wanted."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

from bench.live.contenders import BOUND, OURS, THEIRS
from bench.live.slow import Kept, Pair
from sobremesa.loadtest.run import Plan, Results

METHOD = """\
The server is one process on one core, the client another on the other. Each round starts every server afresh, in an
order that alternates; medians of the rounds, with the least and the greatest. A ratio is taken round by round.

- **Sobremesa** is `sobremesa serve` on a file (`synchronous=FULL`), limits off; everything goes through the gateway.
  A send is on the disk before it is answered, and what is broadcast is stored before it is delivered.
- **socket.io** 4.8 as it comes, on Node: it answers and broadcasts, and stores nothing. Its events are as long as ours.
- **bound** is our own web stack without the product: uvicorn, and frames that are made once and written to all in
  batches. It knows nobody and stores nothing.

*In flight*: a message is under way until every socket has it; as soon as fewer are, another is sent. Where other
programs took more than a fifth of a core, a figure was measured again, up to {tries} times, and the quietest counts.
What was disturbed to the end counts only where more than half of the rounds were; then it bears a star, and is not
judged.
"""


class Value(NamedTuple):
    """A figure of one round; quiet if it is the server's own."""

    value: float
    is_quiet: bool


class Figure(NamedTuple):
    """Something that is compared: its name and unit, what was measured for it, and where it is found."""

    name: str
    unit: str
    measured: str | None
    find: Callable[[Results], float | None]

    def of(self, rounds: Sequence[Results]) -> list[Value]:
        """Its values, round by round; none where there are none."""
        found = [(self.find(each), each.shares.get(self.measured or "")) for each in rounds]
        return [Value(value, shares is None or shares.doubt is None) for value, shares in found if value is not None]


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


def figures(plan: Plan) -> Iterator[Figure]:
    """What is compared."""
    many = plan.senders
    apart, together = f"sends, {many} senders, a channel each", f"sends, {many} senders, one channel"
    yield Figure("sends/s, 1 sender", "", "sends, 1 sender", lambda r: r.sends_1.per_second)
    yield Figure(_sends(many, "a channel each"), "", apart, lambda r: r.sends_apart and r.sends_apart.per_second)
    yield Figure("their p99", "ms", apart, lambda r: r.sends_apart and r.sends_apart.p99_ms)
    yield Figure(_sends(many, "one channel"), "", together, lambda r: r.sends_together and r.sends_together.per_second)
    for sockets in plan.sockets:
        for in_flight in plan.in_flight:
            yield broadcast_of(sockets, in_flight)
    paced = f"{plan.per_second:.0f} messages/s to {plan.sockets[-1]:,}"
    yield Figure(f"{paced}, p50", "ms", paced, lambda r: r.waits.p50_ms)
    yield Figure(f"{paced}, p99", "ms", paced, lambda r: r.waits.p99_ms)
    pages = f"newest 50, {many} readers"
    yield Figure(f"{pages}, pages/s", "", pages, lambda r: r.pages and r.pages.per_second)
    yield Figure("memory (RSS), idle", "MB", None, lambda r: r.memory[0].idle / 1e6 if r.memory else None)
    for number, sockets in enumerate(plan.idle):
        yield memory_of(number, sockets)


def broadcast_of(sockets: int, in_flight: int) -> Figure:
    name = f"broadcast to {sockets:,}, {in_flight} in flight"
    return Figure(f"{name}, deliveries/s", "", name, lambda r: r.broadcasts[sockets, in_flight])


def memory_of(number: int, sockets: int) -> Figure:
    name = f"memory for each of {sockets:,} idle sockets"
    return Figure(name, "KB", None, lambda r: r.memory[number].of_each / 1024 if r.memory else None)


def markdown(found: Found) -> str:
    """The whole page."""
    names = list(found.rounds)
    lines = ["# The gateway beside socket.io, and its bound", "", METHOD.format(tries=found.plan.tries)]
    lines += [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for figure in figures(found.plan):
        lines.append(f"| {figure.name} | {' | '.join(_cell(figure.of(found.rounds[who]), figure) for who in names)} |")
    lines += ["", "| | of socket.io's | of the bound's |", "|---|---|---|"]
    for figure in figures(found.plan):
        if "/s" in figure.name and not figure.unit and "newest" not in figure.name:
            shares = [_share(_ratios(found, figure, other)) for other in (THEIRS, BOUND)]
            lines.append(f"| {figure.name} | {' | '.join(shares)} |")
    lines += ["", "| wanted | | found | met |", "|---|---|---|---|"]
    lines += [f"| {each.words} | {each.wanted} | {each.found} | {each.verdict} |" for each in judged(found)]
    return "\n".join([*lines, "", *_notes(found)]) + "\n"


class Judged(NamedTuple):
    """A target and its figure."""

    words: str
    wanted: str
    found: str
    met: bool | None
    """None if other programs disturbed the measurement too much."""

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "**no**", None: "not known: disturbed"}[self.met]


def judged(found: Found) -> Iterator[Judged]:
    """Return the targets and whether they are met, as far as that was measured."""
    plan, ours, all_figures = found.plan, found.rounds[OURS], {each.name: each for each in figures(found.plan)}
    most = broadcast_of(plan.sockets[-1], plan.in_flight[-1])
    for figure, least in ((all_figures[_sends(plan.senders, "a channel each")], 4000), (most, 100_000)):
        values = figure.of(ours)
        yield _judged(figure.name, f"at least {least:,}", _cell(values, figure), values, partial(_is_at_least, least))
    ratios = _ratios(found, most, THEIRS)
    yield _judged("of socket.io's", "at least 100%", _share(ratios), ratios, partial(_is_at_least, 1))
    p99 = all_figures[f"{plan.per_second:.0f} messages/s to {plan.sockets[-1]:,}, p99"]
    memory = memory_of(0, plan.idle[0])
    for figure, limit in ((p99, 60), (memory, 30)):
        values = figure.of(ours)
        wanted = f"at most {limit} {figure.unit}"
        yield _judged(figure.name, wanted, _cell(values, figure), values, partial(_is_at_most, limit))
    slow = found.slow
    pairs = [Value(pair.ratio, pair.is_quiet) for pair in slow.pairs]
    words = f"p99 of the others beside {slow.slow} slow readers of {slow.sockets:,}, of what it is without"
    yield _judged(words, "at most 125%", _share(pairs), pairs, partial(_is_at_most, 1.25))
    kept = [Value(each.bytes_each / 1024, True) for each in slow.kept]
    closed, readers = sum(each.closed for each in slow.kept), sum(each.readers for each in slow.kept)
    words = f"memory for each slow reader, of whom {closed} of {readers} were closed in the end"
    cell = _cell(kept, Figure("", "KB", None, lambda r: None))
    yield _judged(words, "at most 256 KB", cell, kept, partial(_is_at_most, 256))


def _is_at_least(wanted: float, value: float) -> bool:
    return value >= wanted


def _is_at_most(wanted: float, value: float) -> bool:
    return value <= wanted


def _judged(words: str, wanted: str, cell: str, values: Sequence[Value], good: Callable[[float], bool]) -> Judged:
    quiet = [value.value for value in values if value.is_quiet]
    met = good(median(quiet)) if len(quiet) > len(values) / 2 else None
    return Judged(words, wanted, cell, met)


def _notes(found: Found) -> Iterator[str]:
    shares = [each for results in found.rounds.values() for result in results for each in result.shares.values()]
    disturbed = sum(each.is_disturbed for each in shares)
    yield (
        f"An event has {found.event_bytes} bytes. The client can count {found.client_bound:,.0f} frames/s, and was at "
        f"most {max(each.client for each in shares):.0%} busy. Of {len(shares)} figures, {disturbed} were disturbed by "
        f"other programs to the end. {len(found.rounds[OURS])} rounds, Python {platform.python_version()}."
    )


def _sends(senders: int, where: str) -> str:
    return f"sends/s, {senders} senders, {where}"


def _ratios(found: Found, figure: Figure, other: str) -> list[Value]:
    """Round by round; quiet where both were."""
    pairs = zip(figure.of(found.rounds[OURS]), figure.of(found.rounds[other]), strict=True)
    return [Value(ours.value / theirs.value, ours.is_quiet and theirs.is_quiet) for ours, theirs in pairs]


def _share(ratios: Sequence[Value]) -> str:
    return _formatted(ratios, "-", lambda ratio: f"{ratio:.0%}")


def _cell(values: Sequence[Value], figure: Figure) -> str:
    digits = 0 if not figure.unit or figure.unit == "MB" else 1
    return _formatted(values, "-", lambda value: f"{value:,.{digits}f}{' ' * bool(figure.unit)}{figure.unit}")


def _formatted(values: Sequence[Value], nothing: str, format_value: Callable[[float], str]) -> str:
    """The median of the quiet rounds and their range; of all, with a mark, where fewer than half of them were quiet."""
    if not values:
        return nothing
    quiet = [value.value for value in values if value.is_quiet]
    is_quiet = len(quiet) > len(values) / 2
    shown = quiet if is_quiet else [value.value for value in values]
    middle, least, most = (format_value(chosen(shown)) for chosen in (median, min, max))
    return f"{middle} ({least} to {most}){'' if is_quiet else ' *'}"
