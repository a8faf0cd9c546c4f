"""`sobremesa migrate`: migrate rows of an older design, with verification, while the table is in use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.app import Sobremesa
from sobremesa.cli.progress import progress_shown
from sobremesa.cli.store import Store, settings_of
from sobremesa.core.errors import SobremesaError
from sobremesa.core.settings import DEFAULT_STORE
from sobremesa.domains.workspaces.entities import WorkspaceId, workspace_by_id
from sobremesa.domains.workspaces.legacy import ALL_ITEMS, WORKSPACE
from sobremesa.work.migration import Migration, Migrations
from sobremesa.work.migration.errors import NotProven
from sobremesa.work.migration.service import Report

migrate_app = cyclopts.App(name="migrate", help="Migrate rows of an older design, while the table is in use.")
workspaces_app = cyclopts.App(
    name="workspaces", help="Migrate items and settings of the older design into a workspace."
)
migrate_app.command(workspaces_app)
console = Console()

MISMATCHES_SHOWN = 20

Units = Annotated[
    float | None, cyclopts.Parameter(help="Maximum number of read and write units per second (default: unlimited).")
]


AllItems = Annotated[
    str,
    cyclopts.Parameter(
        env_var="SOBREMESA_LEGACY_ALL_ITEMS", help="The key under which gsi1 of the old design lists all items."
    ),
]


class NoSuchWorkspace(SobremesaError):
    """The plan names a workspace that does not exist."""


@workspaces_app.command
async def plan(
    *,
    workspace: Annotated[str, cyclopts.Parameter(help="The workspace that receives the old rows.")],
    all_items: AllItems = "ITEMS",
    units: Units = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Choose the workspace that the old rows belong to. Afterwards they can be read there, too."""
    async with _migrations(store, units) as (app, migrations):
        found = await app.table.get(workspace_by_id(workspace_id=WorkspaceId(workspace)))
        if found is None or found.deleted_at is not None:
            raise NoSuchWorkspace(f"no such workspace: {workspace}")
        report = await migrations.plan({WORKSPACE: workspace, ALL_ITEMS: all_items})
    _print_report(report)


@workspaces_app.command
async def backfill(*, units: Units = None, store: Store = DEFAULT_STORE) -> None:
    """Copy every old row, including changes made meanwhile. It can be interrupted and run again at any time."""
    async with _migrations(store, units) as (_, migrations):
        report = await migrations.backfill()
    _print_report(report)


@workspaces_app.command
async def verify(*, units: Units = None, store: Store = DEFAULT_STORE) -> None:
    """Compare the content of every copy with its old row. The exit status is 1 if any of them differ."""
    async with _migrations(store, units) as (_, migrations):
        report = await migrations.verify()
    _print_report(report)
    if not report.is_clean:
        raise NotProven(f"{len(report.mismatches)} mismatches found")


@workspaces_app.command
async def cutover(*, units: Units = None, store: Store = DEFAULT_STORE) -> None:
    """Verify everything once more, then read only the new rows."""
    async with _migrations(store, units) as (_, migrations):
        report = await migrations.cut_over()
    _print_report(report)


@workspaces_app.command
async def rollback(*, store: Store = DEFAULT_STORE) -> None:
    """Undo the last step: cutover, or the plan. Rows written meanwhile are kept."""
    async with _migrations(store, None) as (_, migrations):
        report = await migrations.roll_back()
    _print_report(report)


@workspaces_app.command
async def status(*, store: Store = DEFAULT_STORE) -> None:
    """Show the status of the migration."""
    async with _migrations(store, None) as (_, migrations):
        found = await migrations.status()
    if found is None:
        console.print("No migration is planned.")
    else:
        console.print(_grid(found))


@asynccontextmanager
async def _migrations(store: str, units: float | None) -> AsyncIterator[tuple[Sobremesa, Migrations]]:
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        with progress_shown(console) as watch:
            yield app, app.moving_workspaces(units_a_second=units, watch=watch)


def _print_report(report: Report) -> None:
    """Print the report of a step."""
    grid = _grid(report.migration)
    grid.add_row("checked", f"{report.old_rows} old rows")
    for outcome, count in sorted(report.outcomes.items()):
        grid.add_row(outcome, str(count))
    grid.add_row("units", f"{report.units:.0f}")
    console.print(grid)
    for mismatch in report.mismatches[:MISMATCHES_SHOWN]:
        console.print(f"  {mismatch}", highlight=False, soft_wrap=True)


def _grid(found: Migration) -> Grid:
    grid = Grid.grid(padding=(0, 2))
    grid.add_row("phase", found.phase)
    for name, value in found.options.items():
        grid.add_row(name, value)
    grid.add_row("planned", f"{found.planned_at}, {found.old_rows} old rows")
    grid.add_row("copied", f"{found.looked_at} checked, {found.written} written")
    return grid
