"""`sobremesa demo`: serve sample data with bots on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import sys
from collections.abc import Iterator
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.app import Sobremesa
from sobremesa.cli.progress import progress_shown
from sobremesa.core.settings import PREFIX, Settings
from sobremesa.demo import store as demo_store
from sobremesa.demo.bot_activity import run_bots
from sobremesa.demo.seeding import ReportProgress, seed
from sobremesa.demo.sign_in import demo_client
from sobremesa.demo.users import LOGINS, PASSWORD
from sobremesa.http import logs
from sobremesa.http.connection_limits import MaxConnections
from sobremesa.http.server import check_address, run
from sobremesa.http.server import serve as serve_site
from sobremesa.work.migration.passes import Progress

DEFAULT_STORE = "sqlite:///sobremesa-demo.db"
INTERRUPTED = 130
LOCAL = "127.0.0.1"
WIDE = 160
"""The width of output to a pipe or a file, where lines must not be truncated."""
ENVIRONMENT = ("PORT", "PUBLIC_URL", "RATE_LIMITS", "LOG_FORMAT", "CORS_ORIGINS", "SHOW_UNITS")
"""The settings that the demo reads from the environment. It ignores those that locate the data of a real server."""

console = Console(stderr=True)
log = logging.getLogger("sobremesa.demo")


def demo(
    *,
    store: Annotated[
        str, cyclopts.Parameter(help="The demo's own file, created if it does not exist.")
    ] = DEFAULT_STORE,
    host: str = LOCAL,
    port: int | None = None,
    fresh: bool = False,
    quiet: bool = False,
) -> None:
    """Serve a demo with sample data and bots.

    The first run creates the data within a few seconds; later runs continue with it. All users have the same password,
    which is printed: run the demo on your own machine only.

    Parameters
    ----------
    host
        The address to listen on. Anyone who can reach it can log in.
    port
        The port to listen on (default: SOBREMESA_PORT, or 8080); 0 picks a free port.
    fresh
        Delete the demo's data and create it again.
    quiet
        Do not start the bots.
    """
    variables = {f"{PREFIX}{name}" for name in ENVIRONMENT}
    environment = {name: value for name, value in os.environ.items() if name in variables}
    settings = Settings.from_environment(environment, store=store, host=host, port=port, mail="console", digest="off")
    demo_store.path_of(settings.store)
    check_address(settings.host, settings.port)
    logs.configure("text" if sys.stdout.isatty() else "json", level=logging.WARNING)
    # The bots' own connections end with the server: that is not worth a warning.
    logging.getLogger("sobremesa.client").setLevel(logging.ERROR)
    try:
        run(_demo(settings, fresh=fresh, quiet=quiet))
    except KeyboardInterrupt:  # while the data was created; the next run starts over
        sys.exit(INTERRUPTED)


async def _demo(settings: Settings, *, fresh: bool, quiet: bool) -> None:
    if fresh or not await demo_store.is_seeded(settings):
        await demo_store.clear(settings)
        with _progress() as report:
            await seed(settings, report)
    async with Sobremesa.open(settings=settings) as app, contextlib.AsyncExitStack() as closing:

        def ready(address: str) -> None:
            _print_logins(settings, address)
            if not quiet:
                bots = asyncio.create_task(_run_bots(app, address))
                closing.push_async_callback(_end, bots)

        await serve_site(
            app.site(client=demo_client()),
            host=settings.host,
            port=settings.port,
            drain_seconds=settings.drain_seconds,
            max_connections=MaxConnections.of(settings),
            on_ready=ready,
        )


async def _run_bots(app: Sobremesa, address: str) -> None:
    """Run the bots until cancelled. If they fail, the demo is served without them."""
    try:
        async with run_bots(app, address) as activity:
            await activity.ended()
    except Exception as error:
        log.warning("the bots of the demo stopped: %r", error)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@contextlib.contextmanager
def _progress() -> Iterator[ReportProgress]:
    with progress_shown(console, "events") as watch:
        yield lambda done, expected: watch(Progress("Creating the demo", done, expected, 0))


def _print_logins(settings: Settings, address: str) -> None:
    grid = Grid("user", "e-mail", "password", "shows", box=None, pad_edge=False)
    for user in LOGINS:
        grid.add_row(user.name, user.email, PASSWORD, user.sees)
    out = console if console.is_terminal else Console(stderr=True, width=WIDE)
    out.print(f"\nSobremesa demo running at {address} (API docs: {address}/docs)\n", highlight=False, soft_wrap=True)
    out.print(grid, highlight=False)
    out.print(
        f"\nThe passwords of this demo are public. Its data is in {settings.store}; --fresh creates it again.",
        highlight=False,
        soft_wrap=True,
    )
    if not _is_local(settings.host):
        out.print(
            f"[yellow]warning:[/yellow] Anyone who can reach {settings.host} can log in.",
            highlight=False,
            soft_wrap=True,
        )


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
