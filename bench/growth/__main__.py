"""Measure what sends leave in the file, and what the change log costs them: `python -m bench.growth`."""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import msgspec
from rich.console import Console
from rich.markdown import Markdown

from bench.growth.measure import OLD_WRITES, Ask, Pace, Size, Trimming
from bench.lock import Lock
from bench.progress import Steps, steps

HERE = Path(__file__).resolve().parent.parent
PAGE = "growth.md"
LOG = ("changes", "dictionaries")
NOW, BEFORE = "now", "before"
MILLION = 1_000_000

METHOD = f"""\
Each version runs in a process of its own, on a file with `synchronous=FULL`; slices of both alternate, and a ratio is
taken slice by slice: the median is given, with the least and the greatest. Such a machine is noisy: trust ratios more
than figures.

- *Growth*: messages of 2 to 24 random words by 24 users in 100 conversations of four, through the library. What the
  file had before is left out.
- *Sends*: straight to the engine, one transaction of three operations each.
- *Trimming*: before it, {OLD_WRITES:,} changes of incompressible items were logged, each in a commit of its own, and
  then a day has passed. Sends are measured before the sweep and during the whole of it, in which the old log is deleted
  and its space is given back to the disk.
"""

T = TypeVar("T", Size, Pace, Trimming)


class Plan(NamedTuple):
    """The sizes of one run."""

    sends: dict[int, int]
    slices: int
    slice_seconds: float
    trims: int


QUICK = Plan({1: 1_000, 32: 5_000}, slices=6, slice_seconds=0.3, trims=1)
FULL = Plan({1: 5_000, 32: 100_000}, slices=30, slice_seconds=0.5, trims=3)


class Version:
    """A version of sobremesa, in a process that measures."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def measure(self, ask: Ask, answer: type[T]) -> T:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(msgspec.json.encode(ask) + b"\n")
        stdin.flush()
        return msgspec.json.decode(stdout.readline(), type=answer)


class Found(NamedTuple):
    """What was measured, by version."""

    sizes: dict[str, dict[int, Size]]
    paces: dict[str, dict[int, list[Pace]]]
    trims: dict[str, dict[int, list[Trimming]]]


@contextmanager
def started(source: Path) -> Iterator[Version]:
    """Run a version from its source."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(source), str(HERE.parent)))}
    with (
        tempfile.TemporaryDirectory(prefix="sobremesa-bench-") as folder,
        subprocess.Popen(
            [sys.executable, "-m", "bench.growth.measure", folder],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        yield Version(process)


async def measure_all(versions: dict[str, Version], plan: Plan, lock: Lock, shown: Steps) -> Found:
    found = Found({name: {} for name in versions}, {name: {} for name in versions}, {name: {} for name in versions})
    for senders, sends in plan.sends.items():
        for name, version in versions.items():
            found.sizes[name][senders] = version.measure(Ask("size", senders, sends), Size)
            shown.done("growth")
    async with lock.held():
        for number, senders in product(range(plan.slices), plan.sends):
            for name in alternating(versions, number):
                slices = found.paces[name].setdefault(senders, [])
                slices.append(versions[name].measure(Ask("pace", senders, plan.slice_seconds), Pace))
                shown.done("sends")
    async with lock.held():
        for number, senders in product(range(plan.trims), plan.sends):
            for name in alternating(versions, number):
                trims = found.trims[name].setdefault(senders, [])
                trims.append(versions[name].measure(Ask("trim", senders, 4 * plan.slice_seconds), Trimming))
                shown.done("trimming")
    return found


def alternating(versions: dict[str, Version], number: int) -> list[str]:
    return list(versions) if number % 2 else list(reversed(versions))


def page(found: Found, plan: Plan) -> str:
    """Return the page of the results."""
    title = "# How a busy file grows\n\n`make bench` writes this page"
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()} with uvloop"
    parts = [f"{title}. Measured on {machine}.", _sizes(found, plan), _paces(found), _trims(found)]
    return "\n\n".join(parts) + "\n\n## How it is measured\n\n" + METHOD


def _sizes(found: Found, plan: Plan) -> str:
    rows = []
    for senders, sends in plan.sends.items():
        for name, is_log in (("change log, kept for a day", True), ("tables and indexes", False)):
            sizes = [
                sum(size for table, size in found.sizes[version][senders].by_table.items() if (table in LOG) == is_log)
                for version in found.sizes
            ]
            ratio = f"{sizes[0] / sizes[1]:.2f}" if len(sizes) > 1 else ""
            cells = [f"{size:,.0f} B" for size in sizes] + [f"{sizes[0]:,.0f} MB", ratio]
            rows.append([f"{name}: {_senders(senders)}, {sends:,} sends", *cells])
    return _table("Growth for each send", [*found.sizes, "for a million sends", "now / before"], rows)


def _paces(found: Found) -> str:
    rows = []
    for senders in found.paces[NOW]:
        for name, unit, of in _FIGURES:
            series = {version: [of(pace) for pace in found.paces[version][senders]] for version in found.paces}
            cells = [f"{median(values):,.{2 if unit == 'ms' else 0}f} {unit}" for values in series.values()]
            rows.append([f"{name}, {_senders(senders)}", *cells, _ratio(series[NOW], series.get(BEFORE, ()))])
    return _table("Sends", [*found.paces, "now / before"], rows)


def _trims(found: Found) -> str:
    rows = []
    for version, by_senders in found.trims.items():
        for senders, trims in by_senders.items():
            for name, unit, of in _FIGURES:
                alone, beside = [of(each.alone) for each in trims], [of(each.beside) for each in trims]
                cells = [f"{median(values):,.{2 if unit == 'ms' else 0}f} {unit}" for values in (alone, beside)]
                rows.append([f"{version}: {name}, {_senders(senders)}", *cells, _ratio(beside, alone)])
    return _table("While the log is trimmed", ["alone", "beside", "beside / alone"], rows)


_FIGURES: tuple[tuple[str, str, Callable[[Pace], float]], ...] = (
    ("sends a second", "", lambda pace: pace.per_second),
    ("p50", "ms", lambda pace: pace.p50_ms),
    ("p99", "ms", lambda pace: pace.p99_ms),
    ("processor time of a send", "µs", lambda pace: pace.cpu_us),
)


def _senders(count: int) -> str:
    return "1 sender" if count == 1 else f"{count} senders"


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    ratios = [our / their for our, their in zip(ours, theirs, strict=bool(theirs))]
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"## {title}", "", "| | " + " | ".join(head) + " |", "|---|" + "---:|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(cell.strip() for cell in row) + " |" for row in rows)])


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"a minute; shown, and not written to {PAGE}")
    parser.add_argument("--before", type=Path, help="a checkout of another version, to be measured in the same run")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    plan = QUICK if given.quick else FULL
    sources = {NOW: HERE.parent / "src"} | ({BEFORE: given.before.resolve() / "src"} if given.before else {})
    console = Console()
    count = len(sources) * len(plan.sends) * (1 + plan.slices + plan.trims)
    with ExitStack() as stack:
        shown = stack.enter_context(steps(console, "Growth", count))
        versions = {name: stack.enter_context(started(source)) for name, source in sources.items()}
        found = asyncio.run(measure_all(versions, plan, Lock(given.lock), shown))
    text = page(found, plan)
    console.print(Markdown(text))
    if not given.quick:
        (HERE / PAGE).write_text(text)
        console.print(f"Written: {PAGE}")


if __name__ == "__main__":
    main()
