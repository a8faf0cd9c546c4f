"""`sobremesa table adopt`: complete a table created by another program, while it is in use."""

from __future__ import annotations

import asyncio
import contextlib
import time

from rich.console import Console

from sobremesa.app import Sobremesa, layout_of
from sobremesa.cli.migrate import MISMATCHES_SHOWN, Units
from sobremesa.cli.progress import progress_shown
from sobremesa.cli.store import Store, settings_of
from sobremesa.core.settings import DEFAULT_STORE
from sobremesa.table import open_engine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import TableError
from sobremesa.table.opening import require_file

console = Console()
PROGRESS_SECONDS = 15.0


async def adopt(*, units: Units = None, store: Store = DEFAULT_STORE) -> None:
    """Complete a table created by another program: indexes, time to live and stream, then the keys of its rows.

    It can be interrupted and run again at any time. Run it again after another program has written to the table.
    """
    require_file(store)
    settings = settings_of(store)
    engine = await open_engine(store, layout=layout_of(settings), janitor=False)
    try:
        for added in await complete(engine):
            console.print(f"Added {added}.", highlight=False)
    finally:
        await engine.close()
    async with Sobremesa.open(settings=settings, background=False, create=False) as app:
        with progress_shown(console) as watch:
            report = await app.adopting(units_a_second=units, watch=watch).adopt()
    written = report.migration.written
    console.print(
        f"Checked {report.old_rows} rows, completed {written}, used {report.units:.0f} units.", highlight=False
    )
    if report.mismatches:
        console.print(f"{len(report.mismatches)} rows need a manual decision:")
    for mismatch in report.mismatches[:MISMATCHES_SHOWN]:
        console.print(f"  {mismatch}", highlight=False, soft_wrap=True)


async def complete(engine: Engine) -> list[str]:
    """Complete the table, and print from time to time which indexes are being built."""
    started = time.monotonic()
    completing = asyncio.create_task(engine.complete_table())
    try:
        while not (await asyncio.wait({completing}, timeout=PROGRESS_SECONDS))[0]:
            with contextlib.suppress(TableError):  # the task that waits decides whether an error is final
                if building := (await engine.describe_table()).building:
                    minutes = (time.monotonic() - started) / 60
                    console.print(
                        f"Waiting for the index {', '.join(building)} for {minutes:.1f} minutes. You may interrupt "
                        "this: it continues to be built, and the same command continues to wait.",
                        highlight=False,
                        soft_wrap=True,
                    )
        return completing.result()
    finally:
        completing.cancel()
