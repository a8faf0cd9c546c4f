"""Measure the API beside its bound: `python -m bench.web`."""

from __future__ import annotations

import argparse
import platform
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil
import uvloop
from rich.console import Console
from rich.markdown import Markdown

from bench.lock import Lock
from bench.progress import Steps, steps
from bench.web.load import Figures, in_turn, run
from bench.web.stage import CHANNELS, MESSAGES, Stage, fill, framework, free_port, ours, prepare, same_stack

HERE = Path(__file__).resolve().parent.parent
PAGE = "web.md"
CONNECTIONS = 32
WANTED = {"GET": 0.50, "POST": 0.25}

METHOD = f"""\
The server is one process, the client another, {CONNECTIONS} connections, each with one request at a time. Rounds
alternate between the servers; a ratio is taken round by round, and the median of the rounds is given, with the least
and the greatest.

- **ours** is `sobremesa serve` on a file: token, rights (consistent reads), the log line, metrics; limits are off. GET
  is the newest {MESSAGES} of {CHANNELS} channels in turn; POST is a send that is on the disk (`synchronous=FULL`)
  before it is answered.
- **same stack** (the bound) is our own server, edge, endpoints and token check, which answers GET with the bytes of one
  of these pages from memory, and POST with what it decoded, encoded again. It stores nothing.
- **framework** is Starlette on uvicorn (uvloop, httptools) by itself, with the same two answers. It also knows nobody,
  logs nothing and sets no headers.
"""


class Round(NamedTuple):
    ours: Figures
    stack: Figures
    framework: Figures


async def measure(stage: Stage, rounds: int, seconds: float, lock: Lock, ticks: Steps) -> dict[str, list[Round]]:
    """Rounds of both methods, the servers in turn."""
    found: dict[str, list[Round]] = {"GET": [], "POST": []}
    for number in range(rounds):
        for method, requests in (("GET", stage.pages), ("POST", stage.sends)):
            ports = [stage.port, stage.stack_port, stage.framework_port]
            figures = {}
            for port in ports if number % 2 else reversed(ports):
                async with lock.held():
                    await run(port, in_turn(requests), connections=CONNECTIONS, seconds=seconds / 5)
                    figures[port] = await run(port, in_turn(requests), connections=CONNECTIONS, seconds=seconds)
                ticks.done(method)
            found[method].append(Round(*(figures[port] for port in ports)))
    return found


def page(stage: Stage, found: dict[str, list[Round]], busy_rss_mb: float) -> str:
    """The results as Markdown."""
    lines = ["# The API beside its bound", "", METHOD]
    lines += ["| | requests/s | p50 | p99 |", "|---|---|---|---|"]
    for method, rounds in found.items():
        for name in Round._fields:
            figures = [getattr(each, name) for each in rounds]
            lines.append(f"| {method}, {name.replace('stack', 'same stack')} | {_cells(figures)} |")
    lines += ["", "| | of the same stack | wanted | of the framework alone |", "|---|---|---|---|"]
    for method, rounds in found.items():
        stack = _share([each.ours.per_second / each.stack.per_second for each in rounds])
        framework = _share([each.ours.per_second / each.framework.per_second for each in rounds])
        lines.append(f"| {method} | {stack} | at least {WANTED[method]:.0%} | {framework} |")
    lines += [
        "",
        f"A page has {stage.page_bytes:,} bytes. Memory of the server (RSS): {stage.idle_rss_mb:.0f} MB idle, "
        f"{busy_rss_mb:.0f} MB after the run. Python {platform.python_version()}, {psutil.cpu_count()} cores.",
    ]
    return "\n".join(lines) + "\n"


def _share(ratios: list[float]) -> str:
    return f"{median(ratios):.0%} ({min(ratios):.0%} to {max(ratios):.0%})"


def _cells(figures: list[Figures]) -> str:
    rate = median(each.per_second for each in figures)
    return f"{rate:,.0f} | {median(e.p50_ms for e in figures):.1f} ms | {median(e.p99_ms for e in figures):.1f} ms"


async def benchmark(console: Console, folder: Path, rounds: int, seconds: float, lock: Lock) -> str:
    """Everything, one part after the other."""
    port, store = free_port(), f"sqlite:///{folder / 'chat.db'}"
    with steps(console, "Filling", 1):
        channels = await fill(store)
    with ours(port, store) as process:
        stage = await prepare(port, psutil.Process(process.pid), folder, channels)
        with (
            same_stack(stage.stack_port, folder, store),
            framework(stage.framework_port, folder),
            steps(console, "Rounds", rounds * 6) as ticks,
        ):
            found = await measure(stage, rounds, seconds, lock, ticks)
        return page(stage, found, stage.process.memory_info().rss / 1e6)


def main() -> None:
    """Measure, show the table, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.web", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="ten seconds instead of a minute, and no page")
    parser.add_argument("--out", type=Path, default=HERE, help=f"the folder for {PAGE}")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    console = Console()
    rounds, seconds = (3, 0.7) if given.quick else (7, 2.0)
    with tempfile.TemporaryDirectory() as folder:
        text = uvloop.run(benchmark(console, Path(folder), rounds, seconds, Lock(given.lock)))
    console.print(Markdown(text))
    if not given.quick:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / PAGE).write_text(text)


if __name__ == "__main__":
    main()
