"""Commands for stores: create, describe and drop the table, back it up and restore it.

All but `drop` can run while servers use the store. The name map comes from SOBREMESA_NAMES; an existing file stores its
own.
"""

from __future__ import annotations

import asyncio
import os
import tarfile
from pathlib import Path
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import DEFAULT_STORE, PREFIX, Settings
from sobremesa.table.engines.protocol import OperatedEngine
from sobremesa.table.errors import TableExists
from sobremesa.table.layout import Layout
from sobremesa.table.opening import BadStore, open_embedded, open_engine, parse_store, require_file

Store = Annotated[
    str,
    cyclopts.Parameter(
        env_var="SOBREMESA_STORE", help="sqlite:///folder/file.db, or dynamodb://TABLE?region=...&endpoint=..."
    ),
]

table_app = cyclopts.App(name="table", help="Create, describe, adopt or drop the table of a store.")
table_app.command(
    "sobremesa.cli.adopt:adopt", name="adopt", help="Complete a table created by another program, while it is in use."
)
console = Console()
NAMES = f"{PREFIX}NAMES"


@table_app.command
async def create(*, store: Store = DEFAULT_STORE) -> None:
    """Create the table with its indexes, stream and time to live, and wait until it is active."""
    engine = await open_engine(store, layout=_checked_layout(store), janitor=False)
    try:
        await engine.create_table()
        result = f"Created the table of {store}."
    except TableExists:
        result = f"The table of {store} already exists."
        facts = await engine.describe_table()
        if facts.ttl is None or not facts.stream:
            result += " It is not complete: `sobremesa table adopt` adds what it lacks."
    finally:
        await engine.close()
    console.print(result, highlight=False, soft_wrap=True)


@table_app.command
async def describe(*, store: Store = DEFAULT_STORE) -> None:
    """Show the table of a store: status, size, names, and how it is billed, protected and scaled."""
    require_file(store)
    engine = await open_engine(store, layout=_layout_there(store), janitor=False)
    try:
        facts = await engine.describe_table()
        operation = await engine.describe_operation() if isinstance(engine, OperatedEngine) else {}
    finally:
        await engine.close()
    grid = Grid.grid(padding=(0, 2))
    for name in facts.__struct_fields__:
        value = getattr(facts, name)
        grid.add_row(name, ", ".join(value) if isinstance(value, tuple) else str(value))
    for role, name in [*operation.items(), *_name_rows(engine.layout)]:
        grid.add_row(role, name)
    console.print(grid)


@table_app.command
async def drop(*, store: Store = DEFAULT_STORE, yes: bool = False) -> None:
    """Delete the table and all of its data. Asks for confirmation, unless --yes is given."""
    require_file(store)
    if not yes and console.input(f"Delete {store} and all of its data? Type yes to confirm: ") != "yes":
        console.print("Cancelled.")
        return
    engine = await open_engine(store, layout=_layout_there(store), janitor=False)
    try:
        await engine.drop_table()
    finally:
        await engine.close()
    console.print(f"Dropped {store}.", highlight=False, soft_wrap=True)


async def backup(
    target: Path,
    /,
    *,
    store: Store = DEFAULT_STORE,
    everything: Annotated[
        bool,
        cyclopts.Parameter(
            name="--all", help="Also back up keys, uploaded files and records, as one tar.", negative=""
        ),
    ] = False,
    force: Annotated[bool, cyclopts.Parameter(help="Replace the target if it exists.", negative="")] = False,
) -> None:
    """Back up an embedded store to a file. It can run while the store is in use."""
    require_file(store)
    if not force and await asyncio.to_thread(target.exists):
        raise BadStore(f"{target} already exists; choose another name, or use --force to replace it")
    if everything:
        # Imported only here: importing what belongs to a store takes a while.
        from sobremesa.moving.backups import back_up

        files = await back_up(Settings.from_environment(os.environ, store=store), target, SystemClock())
        console.print(
            f"Backed up {store} with its keys, its records and {files} files to {target}.",
            highlight=False,
            soft_wrap=True,
        )
        return
    engine = await open_embedded(store, janitor=False)
    try:
        await engine.backup(target)
    finally:
        await engine.close()
    console.print(f"Backed up {store} to {target}.", highlight=False, soft_wrap=True)


async def restore(source: Path, /, *, store: Store = DEFAULT_STORE) -> None:
    """Restore an embedded store from a backup. The store must not exist: nothing is overwritten."""
    address = parse_store(store)
    if address.path is None or address.in_memory:
        raise BadStore("a backup can only be restored to a file: --store sqlite:///folder/file.db")
    require_file(f"sqlite:///{source}")
    target = Path(address.path)
    if await asyncio.to_thread(target.exists):
        raise BadStore(f"{target} already exists; choose a new file, or drop that store first")
    if await asyncio.to_thread(tarfile.is_tarfile, source):
        from sobremesa.moving.backups import restore_backup

        files = await restore_backup(Settings.from_environment(os.environ, store=store), source, SystemClock())
        text = f"Restored {store} with its keys, its records and {files} files from {source}."
        console.print(text, highlight=False, soft_wrap=True)
        return
    copy = await open_embedded(f"sqlite:///{source}", janitor=False)
    try:
        items = (await copy.describe_table()).items
        await copy.backup(target)
    finally:
        await copy.close()
    console.print(f"Restored {items} items from {source} to {target}.", highlight=False, soft_wrap=True)


def settings_of(store: str) -> Settings:
    """Return the settings of a command: its store, and the name map of the environment."""
    return Settings.from_environment({NAMES: os.environ[NAMES]} if NAMES in os.environ else {}, store=store)


def _checked_layout(store: str) -> Layout | None:
    """Return the layout of the name map; BadSetting if it does not fit the application's rows."""
    settings = settings_of(store)
    if settings.names is None:
        return None
    # Imported only here: importing all entities takes a while.
    from sobremesa.app import layout_of

    return layout_of(settings)


def _layout_there(store: str) -> Layout | None:
    """Return the layout of an existing table. A file stores its own, which reading must not change."""
    names = settings_of(store).names
    return None if names is None or parse_store(store).path is not None else Layout.named(names)


def _name_rows(layout: Layout) -> list[tuple[str, str]]:
    """Return the rows of the name map, for display."""
    rows = [("names", "electrodb" if layout.spelling else "sobremesa"), ("keys", f"{layout.pk}, {layout.sk}")]
    rows += [(index, f"{names.name}: {names.pk}, {names.sk}") for index, names in layout.indexes.items()]
    rows.append(("entity type", ", ".join((layout.entity_type, *(layout.spelling.marks if layout.spelling else ())))))
    types = layout.spelling.types if layout.spelling else {}
    return rows + [(f"type {ours}", theirs) for ours, theirs in types.items()]
