"""Commands that touch a store: make, describe and drop its table, copy it and bring it back.

All but dropping work beside a running server. What things are called comes from the name map, SOBREMESA_NAMES; a file
that is there knows it by itself.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import cyclopts
from rich.console import Console
from rich.table import Table as Grid

from sobremesa.core.settings import DEFAULT_STORE, PREFIX, Settings
from sobremesa.table.errors import TableExists
from sobremesa.table.layout import Layout
from sobremesa.table.opening import BadStore, open_embedded, open_engine, parse_store, require_file

Store = Annotated[
    str,
    cyclopts.Parameter(
        env_var="SOBREMESA_STORE", help="sqlite:///folder/file.db, or dynamodb://TABLE?region=...&endpoint=..."
    ),
]

table_app = cyclopts.App(name="table", help="Make, describe, complete or drop the table of a store.")
table_app.command(
    "sobremesa.cli.adopt:adopt", name="adopt", help="Complete a table that others made, while it is being used."
)
console = Console()
NAMES = f"{PREFIX}NAMES"


@table_app.command
async def create(*, store: Store = DEFAULT_STORE) -> None:
    """Make the table with its indexes, its stream and its time to live, and wait until it can be used."""
    engine = await open_engine(store, layout=_checked_layout(store), janitor=False)
    try:
        await engine.create_table()
        said = "is ready"
    except TableExists:
        said = "is there already"
    finally:
        await engine.close()
    console.print(f"The table of {store} {said}.", highlight=False, soft_wrap=True)


@table_app.command
async def describe(*, store: Store = DEFAULT_STORE) -> None:
    """Tell what is in a store."""
    require_file(store)
    engine = await open_engine(store, layout=_layout_there(store), janitor=False)
    try:
        facts = await engine.describe_table()
    finally:
        await engine.close()
    grid = Grid.grid(padding=(0, 2))
    for name in facts.__struct_fields__:
        value = getattr(facts, name)
        grid.add_row(name, ", ".join(value) if isinstance(value, tuple) else str(value))
    for role, name in _told_names(engine.layout):
        grid.add_row(role, name)
    console.print(grid)


@table_app.command
async def drop(*, store: Store = DEFAULT_STORE, yes: bool = False) -> None:
    """Take the table away with everything in it. Asks first, unless --yes is given."""
    require_file(store)
    if not yes and console.input(f"Drop {store} and everything in it? Type yes: ") != "yes":
        console.print("Nothing was dropped.")
        return
    engine = await open_engine(store, layout=_layout_there(store), janitor=False)
    try:
        await engine.drop_table()
    finally:
        await engine.close()
    console.print(f"{store} is gone.", highlight=False, soft_wrap=True)


async def backup(
    target: Path,
    /,
    *,
    store: Store = DEFAULT_STORE,
    force: Annotated[bool, cyclopts.Parameter(help="Replace the target if it exists.", negative="")] = False,
) -> None:
    """Copy an embedded store to a file, as it is at this moment, while it is being used."""
    require_file(store)
    if not force and await asyncio.to_thread(target.exists):
        raise BadStore(f"{target} exists already; give another name, or --force to replace it")
    engine = await open_embedded(store, janitor=False)
    try:
        await engine.backup(target)
    finally:
        await engine.close()
    console.print(f"{target} holds a copy of {store}.", highlight=False, soft_wrap=True)


async def restore(source: Path, /, *, store: Store = DEFAULT_STORE) -> None:
    """Make an embedded store from a copy. The store must not exist yet, so nothing is overwritten."""
    address = parse_store(store)
    if address.path is None or address.in_memory:
        raise BadStore("a copy is restored to a file: --store sqlite:///folder/file.db")
    require_file(f"sqlite:///{source}")
    target = Path(address.path)
    if await asyncio.to_thread(target.exists):
        raise BadStore(f"{target} exists already; give the name of a new file, or drop that store first")
    copy = await open_embedded(f"sqlite:///{source}", janitor=False)
    try:
        items = (await copy.describe_table()).items
        await copy.backup(target)
    finally:
        await copy.close()
    console.print(f"{target} holds {items} items of {source}.", highlight=False, soft_wrap=True)


def settings_of(store: str) -> Settings:
    """The settings of a command: its store, and the name map of the environment."""
    return Settings.from_environment({NAMES: os.environ[NAMES]} if NAMES in os.environ else {}, store=store)


def _checked_layout(store: str) -> Layout | None:
    """The layout of the name map; BadSetting before a table is made that our rows do not go with."""
    settings = settings_of(store)
    if settings.names is None:
        return None
    # Loaded only here: all rows that there are take a while.
    from sobremesa.app import layout_of

    return layout_of(settings)


def _layout_there(store: str) -> Layout | None:
    """The layout of a table that is there. A file knows its own, and looking at it must not change that."""
    names = settings_of(store).names
    return None if names is None or parse_store(store).path is not None else Layout.named(names)


def _told_names(layout: Layout) -> list[tuple[str, str]]:
    """The name map as a person reads it."""
    told = [("names", "electrodb" if layout.spelling else "sobremesa"), ("keys", f"{layout.pk}, {layout.sk}")]
    told += [(index, f"{names.name}: {names.pk}, {names.sk}") for index, names in layout.indexes.items()]
    told.append(("entity type", ", ".join((layout.entity_type, *(layout.spelling.marks if layout.spelling else ())))))
    types = layout.spelling.types if layout.spelling else {}
    return told + [(f"type {ours}", theirs) for ours, theirs in types.items()]
