"""`sobremesa demo`: a small world to look at, served on this machine, with people in it who talk."""

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
from sobremesa.cli.progress import shown
from sobremesa.core.settings import PREFIX, Settings
from sobremesa.demo import store as demo_store
from sobremesa.demo.life import living
from sobremesa.demo.people import LOGINS, PASSWORD
from sobremesa.demo.seeding import Told, seed
from sobremesa.demo.sign_in import demo_client
from sobremesa.http import logs
from sobremesa.http.connection_limits import MaxConnections
from sobremesa.http.server import check_address, run
from sobremesa.http.server import serve as serve_site
from sobremesa.work.migration.passes import Progress

DEFAULT_STORE = "sqlite:///sobremesa-demo.db"
INTERRUPTED = 130
LOCAL = "127.0.0.1"
WIDE = 160
"""Columns of what goes to another program, which must not lose the end of a line."""
HEARD = ("PORT", "PUBLIC_URL", "RATE_LIMITS", "LOG_FORMAT", "CORS_ORIGINS", "SHOW_UNITS")
"""The variables that the demo listens to. Where a real server keeps its things is none of its business."""

console = Console(stderr=True)
log = logging.getLogger("sobremesa.demo")


def demo(
    *,
    store: Annotated[str, cyclopts.Parameter(help="The demo's own file, made where there is none.")] = DEFAULT_STORE,
    host: str = LOCAL,
    port: int | None = None,
    fresh: bool = False,
    quiet: bool = False,
) -> None:
    """Serve a small world to look at, with people who talk.

    The first time it is made, within some seconds; after that it is used as it was left. Everybody in it has the same
    password, which is printed: it is for looking, on one's own machine.

    Parameters
    ----------
    host
        The address to listen on. Whoever reaches it can log in.
    port
        The port to listen on; 8080 unless SOBREMESA_PORT says otherwise, 0 for any free one.
    fresh
        Take the world away and make it anew.
    quiet
        Let nobody talk by themselves.
    """
    variables = {f"{PREFIX}{name}" for name in HEARD}
    environment = {name: value for name, value in os.environ.items() if name in variables}
    settings = Settings.from_environment(environment, store=store, host=host, port=port, mail="console")
    demo_store.path_of(settings.store)
    check_address(settings.host, settings.port)
    logs.configure("text" if sys.stdout.isatty() else "json", level=logging.WARNING)
    # That a connection is lost is no news here: it is the demo's own, and it ends with the server.
    logging.getLogger("sobremesa.client").setLevel(logging.ERROR)
    try:
        run(_demo(settings, fresh=fresh, quiet=quiet))
    except KeyboardInterrupt:  # while the world was made; the next time it is made anew
        sys.exit(INTERRUPTED)


async def _demo(settings: Settings, *, fresh: bool, quiet: bool) -> None:
    if fresh or not await demo_store.is_seeded(settings):
        await demo_store.clear(settings)
        with _telling() as told:
            await seed(settings, told)
    async with Sobremesa.open(settings=settings) as app, contextlib.AsyncExitStack() as closing:

        def ready(address: str) -> None:
            _print_logins(settings, address)
            if not quiet:
                talking = asyncio.create_task(_talk(app, address))
                closing.push_async_callback(_end, talking)

        await serve_site(
            app.site(client=demo_client()),
            host=settings.host,
            port=settings.port,
            drain_seconds=settings.drain_seconds,
            max_connections=MaxConnections.of(settings),
            on_ready=ready,
        )


async def _talk(app: Sobremesa, address: str) -> None:
    """Let people talk until cancelled. If they cannot, the demo is there all the same."""
    try:
        async with living(app, address) as life:
            await life.ended()
    except Exception as error:
        log.warning("nobody talks in this demo: %r", error)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@contextlib.contextmanager
def _telling() -> Iterator[Told]:
    with shown(console, "events") as watch:
        yield lambda done, expected: watch(Progress("Making the demo", done, expected, 0))


def _print_logins(settings: Settings, address: str) -> None:
    grid = Grid("user", "e-mail", "password", "what there is to see", box=None, pad_edge=False)
    for person in LOGINS:
        grid.add_row(person.name, person.email, PASSWORD, person.sees)
    out = console if console.is_terminal else Console(stderr=True, width=WIDE)
    out.print(f"\nSobremesa, the demo: {address}  (docs: {address}/docs)\n", highlight=False, soft_wrap=True)
    out.print(grid, highlight=False)
    out.print(
        f"\nThis is a demo with passwords that everybody knows, kept in {settings.store}; --fresh begins again.",
        highlight=False,
        soft_wrap=True,
    )
    if not _is_local(settings.host):
        out.print(f"[yellow]Whoever reaches {settings.host} can log in.[/yellow]", highlight=False, soft_wrap=True)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
