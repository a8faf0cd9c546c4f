"""Measure the gateway beside socket.io and its bound: `python -m bench.live`."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import uvloop
from rich.console import Console
from rich.markdown import Markdown

from bench.live.contenders import BOUND, OURS, THEIRS, bound, event_bytes, our_server, socketio
from bench.live.page import Found, Slow, markdown
from bench.live.slow import Kept, Pair, memory_of_slow, waits, waits_beside
from bench.lock import Lock
from bench.progress import Steps, steps
from sobremesa.loadtest.counting import client_bound
from sobremesa.loadtest.run import Contender, Plan, Results, Run
from sobremesa.loadtest.server import Cores, Process, allow_files, own_cores

HERE = Path(__file__).resolve().parent.parent
PAGE = "live.md"
NAMES = (OURS, THEIRS, BOUND)
FILES = 8192


class Sizes(NamedTuple):
    """The sizes of one run of the benchmark."""

    rounds: int
    plan: Plan
    slow: int
    slow_sockets: int
    slow_seconds: float
    readers: int
    """How many slow readers there are where memory is measured."""
    memory_seconds: float
    memory_rounds: int


FULL = Sizes(5, Plan(seconds=2.0, paced_seconds=5.0, tries=3), 5, 1000, 4.0, 16, 3.0, 2)
QUICK = Sizes(2, Plan(idle=(1000,), seconds=0.5, paced_seconds=1.0), 5, 1000, 1.0, 16, 2.0, 1)


class Bench:
    """One run."""

    def __init__(self, sizes: Sizes, cores: Cores, data: Path | None, lock: Lock, console: Console) -> None:
        self._sizes = sizes
        self._cores = cores
        self._data = data
        self._lock = lock
        self._console = console
        self._event_bytes = 0

    async def run(self) -> Found:
        """Everything, one part after the other."""
        sizes = self._sizes
        async with self._lock.held():
            client = await client_bound(self._cores, connections=sizes.plan.sockets[-1], seconds=1.0)
            async with our_server(self._cores, 1, self._data) as (stage, _):
                self._event_bytes = await event_bytes(stage)
        with steps(self._console, "Rounds", sizes.rounds * len(NAMES)) as ticks:
            rounds = await self._rounds(ticks)
        with steps(self._console, "Slow readers", sizes.rounds + sizes.memory_rounds) as ticks:
            slow = await self._slow(ticks)
        return Found(sizes.plan, rounds, slow, self._event_bytes, client)

    async def _rounds(self, ticks: Steps) -> dict[str, list[Results]]:
        found: dict[str, list[Results]] = {name: [] for name in NAMES}
        for number in range(self._sizes.rounds):
            for name in NAMES if number % 2 else reversed(NAMES):
                async with self._lock.held(), self._opened(name) as (contender, process):
                    found[name].append(await self._measured(contender, process))
                ticks.done(name)
        return found

    async def _measured(self, contender: Contender, process: Process) -> Results:
        async def rss() -> int | None:
            return process.rss()

        return await Run(contender, self._sizes.plan, rss, process.pid, lambda name, found: None).all()

    async def _slow(self, ticks: Steps) -> Slow:
        sizes = self._sizes
        pairs: list[Pair] = []
        kept: list[Kept] = []
        for number in range(sizes.rounds):
            async with self._lock.held(), our_server(self._cores, 1, self._data) as (stage, process):
                beside = [
                    await (
                        waits_beside(stage, process, sizes.slow, sizes.slow_sockets, sizes.slow_seconds)
                        if is_slow
                        else waits(stage, process, sizes.slow_sockets, sizes.slow_seconds)
                    )
                    for is_slow in ((False, True) if number % 2 else (True, False))
                ]
                pairs.append(Pair(*(beside if number % 2 else reversed(beside))))
                ticks.done("waiting beside them")
        for _ in range(sizes.memory_rounds):
            async with self._lock.held(), our_server(self._cores, sizes.readers, self._data) as (stage, process):
                kept.append(await memory_of_slow(stage, process, sizes.memory_seconds))
                ticks.done("memory")
        return Slow(sizes.slow, sizes.slow_sockets, pairs, kept)

    @asynccontextmanager
    async def _opened(self, name: str) -> AsyncIterator[tuple[Contender, Process]]:
        if name == OURS:
            async with our_server(self._cores, self._sizes.plan.senders, self._data) as found:
                yield found
        else:
            async with (socketio if name == THEIRS else bound)(self._cores, self._event_bytes) as others:
                yield others


def main() -> None:
    """Measure, show the tables, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.live", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two short rounds, and no page")
    parser.add_argument("--rounds", type=int, help="how many rounds")
    parser.add_argument("--out", type=Path, default=HERE, help=f"the folder for {PAGE}")
    parser.add_argument("--data", type=Path, help="a folder on the disk to measure (a temporary one)")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    console = Console()
    allow_files(FILES)
    with own_cores() as cores:
        sizes = QUICK if given.quick else FULL
        sizes = sizes._replace(rounds=given.rounds or sizes.rounds)
        bench = Bench(sizes, cores, given.data, Lock(given.lock), console)
        text = markdown(uvloop.run(bench.run()))
    console.print(Markdown(text))
    if not given.quick:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / PAGE).write_text(text)


if __name__ == "__main__":
    main()
