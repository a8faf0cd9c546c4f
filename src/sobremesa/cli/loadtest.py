"""`sobremesa loadtest`: how fast a server is, measured from outside."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import cyclopts
from cyclopts.validators import Number
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sobremesa.http.server import run as run_fast
from sobremesa.loadtest.connection import LoadFailed
from sobremesa.loadtest.counting import client_bound
from sobremesa.loadtest.report import print_report
from sobremesa.loadtest.run import QUICK, Plan, Rss, Run, Tell
from sobremesa.loadtest.server import Cores, allow_files, own_cores, own_server
from sobremesa.loadtest.stage import Stage, people_of_server, people_of_store, prepare, rss_by_metrics

PLAIN_WIDTH = 160
SPARE_FILES = 200
MAX_SENDERS, MAX_SOCKETS, MAX_SECONDS = 256, 20_000, 60.0

Url = Annotated[str | None, cyclopts.Parameter(help="A running server, e.g. http://127.0.0.1:8080; its limits off.")]
Metrics = Annotated[str | None, cyclopts.Parameter(help="Its metrics, for memory, e.g. http://127.0.0.1:9090/metrics.")]
Senders = Annotated[
    int | None, cyclopts.Parameter(help="How many send at once; 32.", validator=Number(gte=1, lte=MAX_SENDERS))
]
Sockets = Annotated[
    int | None,
    cyclopts.Parameter(help="To how many is broadcast, at most; 1,000.", validator=Number(gte=1, lte=MAX_SOCKETS)),
]
Seconds = Annotated[
    float | None,
    cyclopts.Parameter(help="How long each figure is measured; 4.", validator=Number(gt=0, lte=MAX_SECONDS)),
]
Folder = Annotated[Path | None, cyclopts.Parameter(help="Where its own server keeps its file; a temporary folder.")]


class Target(NamedTuple):
    """The server that is measured."""

    stage: Stage
    rss: Rss
    pid: int | None


def loadtest(
    *,
    url: Url = None,
    metrics: Metrics = None,
    quick: Annotated[bool, cyclopts.Parameter(help="A few seconds instead of a minute.", negative="")] = False,
    senders: Senders = None,
    sockets: Sockets = None,
    seconds: Seconds = None,
    folder: Folder = None,
) -> None:
    """Measure sends, broadcasts, waiting times, pages and memory of a server, beside what others did.

    Without a URL it starts a server of its own on a temporary store, on another core than the client, and stops it at
    the end. A server that is given must have SOBREMESA_RATE_LIMITS=off; people and rooms of the test stay there.
    """
    run_fast(_loadtest(url, metrics, plan_of(quick, senders, sockets, seconds), folder))


def plan_of(quick: bool, senders: int | None, sockets: int | None, seconds: float | None) -> Plan:
    """The sizes that were asked for."""
    plan = QUICK if quick else Plan()
    if senders is not None:
        plan = plan._replace(senders=senders)
    if sockets is not None:
        plan = plan._replace(sockets=(sockets,), idle=(sockets,))
    if seconds is not None:
        plan = plan._replace(seconds=seconds, paced_seconds=2 * seconds)
    return plan


async def _loadtest(url: str | None, metrics: str | None, plan: Plan, folder: Path | None) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    if allow_files(plan.most_sockets + SPARE_FILES) < plan.most_sockets + SPARE_FILES:
        raise LoadFailed(f"this process may not open {plan.most_sockets:,} sockets: see `ulimit -n`, or give --sockets")
    with own_cores() as cores:
        with _progress(console, plan.steps + 2) as tell:
            bound = await client_bound(cores, connections=min(plan.sockets[-1], 1000), seconds=min(plan.seconds, 1.0))
            tell("the client by itself", f"{bound:,.0f} frames/s")
            async with _target(url, metrics, plan, folder, cores) as target:
                tell("people and rooms", f"{plan.senders + 1} people")
                results = await Run(target.stage, plan, target.rss, target.pid, tell).all()
        where = url or f"its own, embedded store; {cores}"
        print_report(console, results, where=where, bound=bound)


@asynccontextmanager
async def _target(
    url: str | None, metrics: str | None, plan: Plan, folder: Path | None, cores: Cores
) -> AsyncIterator[Target]:
    """The server that was given, or one of its own."""
    people = plan.senders + 1
    if url is not None:
        address = url.rstrip("/")
        if not address.startswith("http://"):
            raise LoadFailed("the load test speaks to http:// only: measure behind what ends TLS")
        stage = await prepare(address, await people_of_server(address, people))
        yield Target(stage, lambda: rss_by_metrics(metrics), None)
        return
    with tempfile.TemporaryDirectory(prefix="sobremesa-load-", dir=folder) as place:
        store = f"sqlite:///{place}/load.db"
        tokens = await people_of_store(store, people)
        with own_server(store, cores) as process:

            async def rss() -> int | None:
                return process.rss()

            yield Target(await prepare(f"http://127.0.0.1:{process.port}", tokens), rss, process.pid)


@contextmanager
def _progress(console: Console, steps: int) -> Iterator[Tell]:
    """What to tell each figure to: a bar on a terminal, plain lines elsewhere."""
    if not console.is_terminal:
        yield lambda name, found: console.print(f"{name}: {found}", highlight=False, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=steps)
        yield lambda name, found: bar.update(task, advance=1, description=f"{name}: {found}")
