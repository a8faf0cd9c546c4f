"""`sobremesa copy`: copy a store to another one while it is in use, and cut over."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import cyclopts
from rich.console import Console

from sobremesa.app import Sobremesa
from sobremesa.cli.moving import ToStore, layout_for, start_consumers
from sobremesa.cli.progress import progress_shown
from sobremesa.cli.store import Store
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import DEFAULT_STORE, Settings
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.copying import copy_records
from sobremesa.moving.copying import Copy, require_unused
from sobremesa.moving.files import copy_files
from sobremesa.moving.stores import MovedStore
from sobremesa.table.opening import parse_store
from sobremesa.work.migration.passes import Watch

console = Console()


async def copy(
    *,
    store: Store = DEFAULT_STORE,
    to: ToStore,
    follow: Annotated[bool, cyclopts.Parameter(help="Go on copying changes until stopped.", negative="")] = False,
    finish: Annotated[
        bool, cyclopts.Parameter(help="The servers are stopped: copy the rest, and make the copy ready.", negative="")
    ] = False,
    to_files: Annotated[str | None, cyclopts.Parameter(help="Where uploaded files are copied to.")] = None,
    to_records: Annotated[str | None, cyclopts.Parameter(help="Where records are copied to.")] = None,
    state: Annotated[Path, cyclopts.Parameter(help="The file with the progress.")] = Path("sobremesa-copy.state"),
) -> None:
    """Copy a store to another one while servers use it; run it again to continue after an interruption.

    It copies all rows, then the changes since, until the copy is less than a second behind. To cut over, stop the
    servers and run it again with --finish. Files and records are copied from where the settings have them.
    """
    began = time.monotonic()
    settings = Settings.from_environment(os.environ, store=store)
    clock = SystemClock()
    async with (
        MovedStore.open(store, layout_for(store)) as source,
        MovedStore.open(to, layout_for(to), create=True) as target,
    ):
        if finish:
            await require_unused(source, clock)
            began = time.monotonic()
        with progress_shown(console) as watch:
            copying = Copy(source, target, state, clock, watch)
            await copying.begin()
            await copying.scan()
            files = await _copy_files(settings, to, to_files, watch)
            if finish:
                await _process_changes(settings)
                await copying.finish()
                await _copy_records(copying, settings, to, to_records)
                await start_consumers(target)
            elif follow:
                with _stopping() as stop:
                    await copying.follow_until(stop)
            else:
                await copying.catch_up()
    _print(f"Copied {copying.state.rows} rows, {copying.state.changed} changes and {files} files.")
    if finish:
        await asyncio.to_thread(state.unlink)
        _print(f"Done in {time.monotonic() - began:.1f} s. Start the servers on {to}.")
    else:
        _print(
            f"{to} is less than a second behind. To cut over: stop the servers, run this command again with --finish, "
            f"then start them on {to}."
        )


async def _process_changes(settings: Settings) -> None:
    """Let the consumers of the store process what the servers left: those of the copy start after it."""
    async with Sobremesa.open(settings=settings, background=False, create=False) as app:
        await app.change_consumer.catch_up()


async def _copy_files(settings: Settings, to: str, to_files: str | None, watch: Watch) -> int:
    """Copy uploaded files; none if both stores share one place for them."""
    if to_files is None and (settings.files is not None or not _has_own_place(settings.store, to)):
        return 0
    return await copy_files(settings.files, settings.store, to_files, to, SystemClock(), watch)


async def _copy_records(copying: Copy, settings: Settings, to: str, to_records: str | None) -> None:
    """Copy records once; none if both stores share one database for them."""
    source = records_address(settings)
    target = records_address(Settings(store=to, records=to_records or settings.records))
    if source == target or not source.may_exist() or copying.state.records:
        return
    rows = await copy_records(source, target)
    copying.note_records()
    _print(f"Copied {rows} rows of records to {target}.")


def _has_own_place(store: str, to: str) -> bool:
    """Return whether the files of two stores are in different places by default."""
    return parse_store(store).path != parse_store(to).path


@contextmanager
def _stopping() -> Iterator[asyncio.Event]:
    """Yield an event that Ctrl-C and a request to stop set: what is being copied is finished first."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _print(text: str) -> None:
    console.print(text, highlight=False, soft_wrap=True, markup=False)
