"""`sobremesa loadtest`: measure the performance of a server from outside."""

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
from sobremesa.loadtest.run import QUICK, Plan, ReportStep, Rss, Run
from sobremesa.loadtest.server import Cores, allow_files, own_cores, own_server
from sobremesa.loadtest.stage import Stage, prepare, rss_by_metrics, users_of_server, users_of_store

PLAIN_WIDTH = 160
SPARE_FILES = 200
MAX_SENDERS, MAX_SOCKETS, MAX_SECONDS = 256, 20_000, 60.0

Url = Annotated[
    str | None, cyclopts.Parameter(help="URL of a running server with rate limits off, e.g. http://127.0.0.1:8080.")
]
Metrics = Annotated[
    str | None, cyclopts.Parameter(help="URL of its metrics, to read its memory, e.g. http://127.0.0.1:9090/metrics.")
]
Senders = Annotated[
    int | None,
    cyclopts.Parameter(help="Number of concurrent senders (default: 32).", validator=Number(gte=1, lte=MAX_SENDERS)),
]
Sockets = Annotated[
    int | None,
    cyclopts.Parameter(
        help="Number of sockets that receive broadcasts (default: 1,000).", validator=Number(gte=1, lte=MAX_SOCKETS)
    ),
]
Seconds = Annotated[
    float | None,
    cyclopts.Parameter(help="Duration of each measurement (default: 4).", validator=Number(gt=0, lte=MAX_SECONDS)),
]
Folder = Annotated[
    Path | None, cyclopts.Parameter(help="Folder for the store of the server it starts (default: a temporary folder).")
]


class Target(NamedTuple):
    """The server that is measured."""

    stage: Stage
    rss: Rss
    pid: int | None


def loadtest(
    *,
    url: Url = None,
    metrics: Metrics = None,
    quick: Annotated[
        bool, cyclopts.Parameter(help="Run for a few seconds, with less precise results.", negative="")
    ] = False,
    senders: Senders = None,
    sockets: Sockets = None,
    seconds: Seconds = None,
    folder: Folder = None,
) -> None:
    """Measure sends, broadcasts, latency, pages and memory of a server, and compare them with other systems.

    Without --url it starts a server with a temporary store on another core than the client, and stops it at the end.
    A server given by --url needs SOBREMESA_RATE_LIMITS=off, and keeps the users and rooms of the test.
    """
    run_fast(_loadtest(url, metrics, plan_of(quick, senders, sockets, seconds), folder))


def plan_of(quick: bool, senders: int | None, sockets: int | None, seconds: float | None) -> Plan:
    """Return the plan of the command's options."""
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
        raise LoadFailed(f"cannot open {plan.most_sockets:,} sockets: raise `ulimit -n`, or reduce --sockets")
    with own_cores() as cores:
        with _progress(console, plan.steps + 2) as report_step:
            bound = await client_bound(cores, connections=min(plan.sockets[-1], 1000), seconds=min(plan.seconds, 1.0))
            report_step("client baseline", f"{bound:,.0f} frames/s")
            async with _target(url, metrics, plan, folder, cores) as target:
                report_step("setup", f"{plan.senders + 1} users")
                results = await Run(target.stage, plan, target.rss, target.pid, report_step).all()
        where = url or f"local server with an embedded store; {cores}"
        print_report(console, results, where=where, bound=bound)


@asynccontextmanager
async def _target(
    url: str | None, metrics: str | None, plan: Plan, folder: Path | None, cores: Cores
) -> AsyncIterator[Target]:
    """Yield the server of --url, or start one."""
    users = plan.senders + 1
    if url is not None:
        address = url.rstrip("/")
        if not address.startswith("http://"):
            raise LoadFailed("--url must start with http://: measure behind the TLS proxy")
        stage = await prepare(address, await users_of_server(address, users))
        yield Target(stage, lambda: rss_by_metrics(metrics), None)
        return
    with tempfile.TemporaryDirectory(prefix="sobremesa-load-", dir=folder) as place:
        store = f"sqlite:///{place}/load.db"
        tokens = await users_of_store(store, users)
        with own_server(store, cores) as process:

            async def rss() -> int | None:
                return process.rss()

            yield Target(await prepare(f"http://127.0.0.1:{process.port}", tokens), rss, process.pid)


@contextmanager
def _progress(console: Console, steps: int) -> Iterator[ReportStep]:
    """Yield a callback that shows each result: a progress bar on a terminal, plain lines elsewhere."""
    if not console.is_terminal:
        yield lambda name, found: console.print(f"{name}: {found}", highlight=False, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=steps)
        yield lambda name, found: bar.update(task, advance=1, description=f"{name}: {found}")
