"""Commands that move all data of a store: export, import, and the comparison of two stores."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import cyclopts
from rich.console import Console

from sobremesa.app import layout_of
from sobremesa.app.services import CHANGE_CONSUMERS
from sobremesa.cli.progress import progress_shown
from sobremesa.cli.store import NAMES, Store, settings_of
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import DEFAULT_STORE
from sobremesa.moving.backups import check_backup, is_full_backup
from sobremesa.moving.comparing import Comparison, compare_stores
from sobremesa.moving.errors import BrokenExport, MovingError, StoresDiffer
from sobremesa.moving.exporting import Format, export_store, require_new
from sobremesa.moving.importing import check_export, import_export, import_state_path
from sobremesa.moving.stores import MovedStore
from sobremesa.table.layout import Layout
from sobremesa.table.opening import parse_store
from sobremesa.work.consumers.starting import start_after_existing_changes

console = Console()
DIFFERENCES_SHOWN = 100
USED_BY_SERVERS = (
    "Servers use this table: they process the written rows as new ones. Stop them before an import or a copy."
)

ToStore = Annotated[str, cyclopts.Parameter(help="The other store.")]


def _print(text: str) -> None:
    console.print(text, highlight=False, soft_wrap=True, markup=False)


async def export(
    file: Path,
    /,
    *,
    form: Annotated[
        Format,
        cyclopts.Parameter(
            name="--format", help="sobremesa: one compressed file; dynamodb: a folder, as DynamoDB exports to S3."
        ),
    ] = "sobremesa",
    store: Store = DEFAULT_STORE,
) -> None:
    """Export all rows and keys of a store. Run it again to continue after an interruption.

    It can run while servers use the store; rows that change meanwhile are exported as they are before or after. Rows of
    processes (checkpoints, leases, nodes) are left out. The export has secrets: only its owner can read it.
    """
    await asyncio.to_thread(require_new, file, form)
    async with MovedStore.open(store, layout_for(store)) as source:
        with progress_shown(console) as watch:
            rows = await export_store(source, file, form, watch)
    _print(f"Exported {rows} rows of {store} to {file}.")


async def import_table(
    file: Path,
    /,
    *,
    existing: Annotated[
        bool,
        cyclopts.Parameter(help="Write into a store that has rows, replacing those with the same keys.", negative=""),
    ] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Import an exported store into an empty one, which is created. Run it again to continue after an interruption.

    The whole export is checked before anything is written. No server may use the store meanwhile.
    """
    if not await asyncio.to_thread(file.exists):
        raise BrokenExport(f"{file} does not exist")
    source = await asyncio.to_thread(check_export, file)
    async with MovedStore.open(store, layout_for(store), create=True) as target:
        with progress_shown(console) as watch:
            rows = await import_export(target, file, source, watch, existing=existing)
        await start_consumers(target)
    import_state_path(file).unlink(missing_ok=True)
    _print(f"Imported {rows} rows of {file} into {store}.")


async def verify(file: Path | None = None, /, *, store: Store = DEFAULT_STORE, to: ToStore | None = None) -> None:
    """Compare two stores row by row, or check a file: an export, or a backup of everything.

    The exit status is 1 if the stores differ or the file is damaged.

    Rows of processes and expired rows are left out. Rows that differ are read again after two seconds, so that a copy
    that follows may go on meanwhile.
    """
    if file is not None:
        _print(await asyncio.to_thread(_checked, file))
        return
    if to is None:
        raise MovingError("name the other store with --to, or a file to check")
    async with MovedStore.open(store, layout_for(store)) as one, MovedStore.open(to, layout_for(to)) as other:
        with progress_shown(console) as watch:
            result = await compare_stores(one, other, watch)
    _print_comparison(result)
    if not result.is_same:
        raise StoresDiffer(f"{store} and {to} are not the same")


def _checked(file: Path) -> str:
    """Check an export or a backup, and return what it has."""
    if not file.exists():
        raise BrokenExport(f"{file} does not exist")
    if is_full_backup(file):
        return f"{file} is a complete backup: {len(check_backup(file).members)} files."
    return f"{file} is a complete export: {check_export(file).rows} rows."


async def start_consumers(target: MovedStore) -> None:
    """Let the consumers of the target start after what was written."""
    if not await start_after_existing_changes(target.table, SystemClock(), CHANGE_CONSUMERS):
        _print(USED_BY_SERVERS)


def layout_for(store: str) -> Layout | None:
    """Return the layout of the name map, if one is set; a file that exists has its own."""
    path = parse_store(store).path
    if NAMES not in os.environ or (path is not None and Path(path).exists()):
        return None
    return layout_of(settings_of(store))


def _print_comparison(result: Comparison) -> None:
    for difference in result.differences[:DIFFERENCES_SHOWN]:
        _print(f"{difference.kind}: {difference.key.pk} / {difference.key.sk}")
    if result.counts.total() > DIFFERENCES_SHOWN:
        _print(f"... and {result.counts.total() - DIFFERENCES_SHOWN} more")
    counts = ", ".join(f"{result.counts[kind]} {kind}" for kind in ("missing", "extra", "different"))
    _print(f"Compared {result.rows} rows: {counts}.")
