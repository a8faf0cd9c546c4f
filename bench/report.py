"""The results as tables, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from bench.calls import BOTO, BOTO_TYPED, OURS
from bench.results import Growth, Results, Series
from bench.rounds import (
    COUNTS_32,
    GETS_32,
    IDLE,
    LAG,
    LAG_BUSY,
    PAGES_1,
    PAGES_32,
    SENDS_1,
    SENDS_32,
    SENDS_BUSY,
)
from bench.stage import ORDER
from bench.targets import check_targets

MILLION = 1_000_000

METHOD = """\
Every contender gets the same work in the same run, in turn, {rounds} times over, each time in the other order; a figure
is the median of the rounds, with the least and the greatest in brackets, and a ratio is taken round by round.
A send is one transaction: the message is put where there is none (an item of ten attributes, about 300 bytes, in one
index), the conversation takes its id if that is newer, the sender's seat takes it as read. Senders work in
conversations of their own, each with a hundred messages at the start.

- **raw SQLite, no senders** opens its file as the engine does and writes the same rows, which a check before the run
  compares byte for byte: it reads the three old rows, inserts message and index entry, changes two rows, logs the
  transaction with its images, and commits as many sends at once as there would be senders. Everything else is done
  before the time is taken: nobody sends, nothing is encoded. Its pages and gets are not decoded. It has no event loop
  to be busy or late.
- Pages and gets that are asked for again come from the **embedded** engine's memory while nothing in their partition
  has changed, as for people who look at the same channel; all others read each time. *50 at a random place* is read
  from the file.
- **raw group commit (bound)** is the same with senders: each makes its message and waits for its commit, and all that
  wait are encoded and committed together. It leaves out what an engine is for: operations of any kind, their checks,
  decoding old rows, conditions, limits, capacity, errors for one and not for the others.
- **embedded** is `EmbeddedEngine` on a file with `synchronous=FULL`, called as the typed table calls it; **typed
  table** is the same through `Table` with entities and patterns.
- **dynoxide**, **dynalite** and **moto** are servers on the same machine, all called through our own `DynamoEngine`
  over HTTP: they have a core of their own beside the client's, the embedded engine has one for everything. dynoxide
  works on a file and syncs each transaction by itself; it has no stream here, which makes it faster (*stream on* is
  what a change log costs it).
- **dynalite** has no transactions: its send is three separate writes, not all or nothing. It works in memory.
- **moto** copies its whole store at each transaction, so it holds {moto} messages where the others hold thousands.
  It works in memory, and fails when transactions come side by side, so its senders wait for each other.
- *Busy loop*: another task takes half of all time in slices of a millisecond. *Loop lag*: how late a task is that wants
  to be woken every 2 ms; the line without sends shows what the loop does by itself.
"""


class Grid(NamedTuple):
    """A table before it is shown: the first column is text, the others are figures."""

    title: str
    head: list[str]
    rows: list[list[str]]


def print_report(console: Console, results: Results) -> None:
    """Show everything on the terminal."""
    for grid in grids(results):
        table = Table(title=grid.title, title_justify="left", header_style="bold")
        for place, name in enumerate(grid.head):
            table.add_column(name, justify="left" if place == 0 else "right")
        for row in grid.rows:
            table.add_row(*row)
        console.print(table)


def markdown(results: Results, picture: str) -> str:
    """The page."""
    machine = results.machine
    kind = "quick run" if results.quick else "full run"
    parts = [
        "# Benchmarks",
        f"`make bench` writes this page. A {kind} on {machine.cores} cores, Python {machine.python} with "
        f"{machine.loop}, SQLite {machine.sqlite}; writing and syncing a block of 8 KB takes "
        f"{machine.sync_ms:.2f} ms on its disk. Such a machine is noisy: trust ratios more than figures.",
        f"![The results as a picture]({picture})",
        *(_markdown_grid(grid) for grid in grids(results)),
        "## How it is measured",
        METHOD.format(rounds=results.rounds, moto="a few hundred").strip(),
    ]
    return "\n\n".join(parts) + "\n"


def grids(results: Results) -> list[Grid]:
    """All tables."""
    return [
        _targets(results),
        _figures(results, "Sends a second", (SENDS_1, SENDS_32, SENDS_BUSY)),
        _figures(results, "How late the event loop is, p99 in ms", (LAG, LAG_BUSY), _milliseconds),
        _figures(results, "Reads a second", (PAGES_1, PAGES_32, GETS_32, COUNTS_32)),
        _partitions(results),
        _growth(results),
        _calls(results),
    ]


def _targets(results: Results) -> Grid:
    rows = [
        [target.words, target.wanted, target.found, "yes" if target.met else "no"] for target in check_targets(results)
    ]
    return Grid("Targets", ["", "wanted", "found", "met"], rows)


def _rate(series: Series) -> str:
    low, high = series.spread
    return f"{_number(series.middle)} ({_number(low)}–{_number(high)})"  # noqa: RUF001 - a range


def _milliseconds(series: Series) -> str:
    low, high = series.spread
    return f"{series.middle:.1f} ({low:.1f}–{high:.1f})"  # noqa: RUF001 - a range


def _number(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.1f}"


def _figures(results: Results, title: str, measures: Sequence[str], shown: Callable[[Series], str] = _rate) -> Grid:
    rows = []
    for contender in (*ORDER, IDLE):
        found = [results.figure(measure, contender) for measure in measures]
        if any(found):
            rows.append([contender, *(shown(series) if series else "–" for series in found)])  # noqa: RUF001
    return Grid(title, ["", *map(_heading, measures)], rows)


def _heading(measure: str) -> str:
    return measure.removeprefix("sends/s, ").removeprefix("loop lag p99, ").replace("/s", "").replace(" (ms)", "")


def _partitions(results: Results) -> Grid:
    rows = [
        [f"{step.messages:,}", *(f"{cost:.0f}" for cost in (step.newest_page, step.random_page, step.count, step.get))]
        for step in results.partitions.steps
    ]
    head = ["messages in the partition", "newest 50", "50 at a random place", "count of 100", "get"]
    return Grid("What a question costs the embedded engine, in µs", head, rows)


def _growth(results: Results) -> Grid:
    """Between the first step and the last, so that what an empty store has is not counted."""
    first, last = results.partitions.growth[0], results.partitions.growth[-1]
    rows = [["file", *_grown(first.file_bytes, last.file_bytes, first, last)]]
    for table in sorted(last.bytes_by_table, key=lambda name: -last.bytes_by_table[name]):
        before, after = first.bytes_by_table.get(table, 0), last.bytes_by_table[table]
        if after - before > (last.file_bytes - first.file_bytes) / 200:
            rows.append([f"· {table}", *_grown(before, after, first, last)])
    rows.append(["memory of the process (RSS)", *_grown(first.rss_after, last.rss_after, first, last)])
    stored = results.partitions
    rows.append(
        [
            f"file with {stored.stored:,} messages, of which {stored.stored - last.sends:,} were put in batches",
            f"{stored.file_bytes / MILLION:,.0f} MB",
            "",
        ]
    )
    rows.append(["memory of the process then", f"{stored.rss / MILLION:,.0f} MB", ""])
    extrapolated = "" if last.sends >= MILLION else ", extrapolated"
    title = f"Growth with {last.sends:,} sends over 1,000 conversations; the change log (`changes`) is kept for a day"
    return Grid(title, ["", f"after {last.sends:,} sends", f"for a million sends{extrapolated}"], rows)


def _grown(before: int, after: int, first: Growth, last: Growth) -> list[str]:
    slope = (after - before) / (last.sends - first.sends)
    return [f"{after / MILLION:,.0f} MB", f"{slope:+,.0f} MB"]


def _calls(results: Results) -> Grid:
    clients = (OURS, BOTO, BOTO_TYPED)
    rows = []
    for cost in results.calls:
        others = (
            f"{cost.by_client[client].middle:.2f} ({cost.ratio(client, OURS).middle:.1f}x)" for client in clients[1:]
        )
        rows.append([cost.call, f"{cost.by_client[OURS].middle:.2f}", *others])
    return Grid("Processor time of one call to dynoxide in the client, in ms", ["", *clients], rows)


def _markdown_grid(grid: Grid) -> str:
    lines = [f"## {grid.title}", ""]
    lines.append("| " + " | ".join(grid.head) + " |")
    lines.append("|---|" + "---:|" * (len(grid.head) - 1))
    lines += ["| " + " | ".join(row) + " |" for row in grid.rows]
    return "\n".join(lines)
