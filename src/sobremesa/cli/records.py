"""Commands for the records of threads: schema, status and rebuilding tabs.

All of them can run while servers use the store.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from sobremesa.app import Sobremesa
from sobremesa.cli.store import Store
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import DEFAULT_STORE, Settings
from sobremesa.domains.records.address import RecordsAddress, records_address
from sobremesa.domains.records.database import Database
from sobremesa.domains.records.opening import open_database
from sobremesa.domains.records.outbox import Outbox, status_of
from sobremesa.domains.records.schema import REVISIONS

records_app = cyclopts.App(name="records", help="Migrate, inspect and rebuild the records of threads.")
console = Console()
TABS_A_LINE = 100
"""The number of tabs between two lines of progress, where there is no terminal."""

Records = Annotated[
    str,
    cyclopts.Parameter(
        env_var="SOBREMESA_RECORDS",
        help="postgresql://user:password@host/database, or sqlite:///file.db (default: a file next to the store)",
    ),
]


@records_app.command
async def migrate(*, records: Records | None = None, store: Store = DEFAULT_STORE) -> None:
    """Migrate the schema of the records to the newest version. A server does this when it starts."""
    address = _address(records, store)
    async with _opened(address) as database:
        revision = await database.revision()
    console.print(f"Migrated the records at {address} to schema {revision}.", highlight=False, soft_wrap=True)


@records_app.command
async def status(*, records: Records | None = None, store: Store = DEFAULT_STORE) -> None:
    """Show the schema version of the records, and the number of pending tab updates."""
    address = _address(records, store)
    if not address.may_exist():
        console.print(f"No records at {address}.", highlight=False, soft_wrap=True)
        return
    async with _opened(address, migrate=False) as database:
        revision = await database.revision()
        waiting = None if revision is None else await database.read(status_of)
    grid = Grid.grid(padding=(0, 2))
    grid.add_row("records", str(address))
    grid.add_row("schema", f"{revision or 'none'} (newest: {REVISIONS[-1]})")
    if waiting is not None:
        since = f", oldest from {waiting.oldest}" if waiting.pending else ""
        grid.add_row("pending", f"{waiting.pending}{since}")
    console.print(grid)


@records_app.command
async def rebuild(
    *,
    thread: Annotated[str | None, cyclopts.Parameter(help="Only the tabs of this thread.")] = None,
    records: Records | None = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Rebuild the documents and expenses tabs of threads from the records."""
    address = _address(records, store)
    async with Sobremesa.open(store, background=False, create=False) as app, _opened(address) as database:
        await rebuild_tabs(Outbox(database, SystemClock(), app.threads.tabs), thread)


async def rebuild_tabs(outbox: Outbox, thread: str | None, console: Console = console) -> None:
    """Rebuild tabs, and show progress."""
    total = await outbox.count_panels(thread)
    done = gone = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("Tabs", total=total)
        async for rebuilt in outbox.rebuild(thread):
            done += 1
            gone += not rebuilt.written
            progress.advance(bar)
            if not console.is_terminal and done % TABS_A_LINE == 0:
                console.print(f"{done} of {total} tabs", highlight=False)
    lost = f", skipped {gone} of deleted threads" if gone else ""
    console.print(f"Rebuilt {done - gone} tabs{lost}.", highlight=False, soft_wrap=True)


@asynccontextmanager
async def _opened(address: RecordsAddress, *, migrate: bool = True) -> AsyncIterator[Database]:
    database = await open_database(address, migrate=migrate)
    try:
        yield database
    finally:
        await database.close()


def _address(records: str | None, store: str) -> RecordsAddress:
    return records_address(Settings(store=store, records=records))
