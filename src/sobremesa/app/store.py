"""Opening a store: its table, its keys and its files."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from sobremesa.app.registry import REGISTRY
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import signing_keys
from sobremesa.domains.accounts.keyring import Keyring, open_keyring
from sobremesa.domains.attachments.opening import open_files
from sobremesa.domains.attachments.stores import FileStore
from sobremesa.rooms.nonces import search_rooms_until
from sobremesa.table import Layout, Table, open_engine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import TableExists, TableMissing
from sobremesa.table.opening import parse_store, require_file
from sobremesa.work.table_origin import Origin, has_rows

CREATION_POLL_SECONDS = 1.0


class Store(NamedTuple):
    """An open store, and the settings and the clock that its services use."""

    settings: Settings
    table: Table
    keyring: Keyring
    files: FileStore
    origin: Origin
    clock: Clock
    has_own_clock: bool
    """Whether the program passed a clock, instead of using the machine's."""
    room_nonces_until: int = 0
    """Until when nonces of earlier versions may be in the partitions of rooms."""


@asynccontextmanager
async def open_store(
    settings: Settings, clock: Clock | None, *, create: bool = True, janitor: bool = True
) -> AsyncIterator[Store]:
    """Open the store of the settings, creating its table if needed; with `create=False`, TableMissing instead."""
    layout = layout_of(settings)
    has_own_clock = clock is not None
    clock = clock or SystemClock()
    if not create:
        require_file(settings.store)
    engine = await open_engine(settings.store, layout=layout, clock=clock, janitor=janitor)
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(engine.close)
        is_new = create and await create_table(engine)
        if not create:
            await engine.describe_table()
        table = Table(engine, clock=clock)
        origin = await origin_of(table, clock, settings.store, is_new=is_new)
        room_nonces_until = await search_rooms_until(table, clock)
        keyring = await open_keyring(settings.store, table, clock)
        table.seal_cursors_with(keyring.secret("cursors"))
        files = await open_files(settings.files, settings.store, clock)
        closing.push_async_callback(files.close)
        yield Store(settings, table, keyring, files, origin, clock, has_own_clock, room_nonces_until)


def layout_of(settings: Settings) -> Layout | None:
    """Return the layout of the name map, if one is set; BadSetting if it does not fit the application's rows."""
    if settings.names is None:
        return None
    layout = Layout.named(settings.names)
    REGISTRY.require_free_names(layout)
    return layout


async def create_table(engine: Engine) -> bool:
    """Create the table of a store unless it exists, and return whether it is new.

    Of several nodes that start together one creates it, and the others wait: until then it accepts no calls. A table
    that exists is only described, so that serving needs no permission to create or change tables.
    """
    try:
        facts = await engine.describe_table()
    except TableMissing:
        with contextlib.suppress(TableExists):
            await engine.create_table()
        return True
    if facts.status != "CREATING":
        return False
    while facts.status == "CREATING":
        await asyncio.sleep(CREATION_POLL_SECONDS)
        facts = await engine.describe_table()
    return True


async def origin_of(table: Table, clock: Clock, store: str, *, is_new: bool) -> Origin:
    """Return who created the table: this application, or another program whose rows it adopts.

    A file is always ours, and so is an empty table. In DynamoDB, our signing keys show that we created it.
    """
    # Rows first, keys second: another node of ours that starts at this moment writes its keys before anything else.
    is_ours = is_new or parse_store(store).is_embedded or not await has_rows(table)
    is_ours = is_ours or bool((await table.query(signing_keys(), limit=1)).items)
    return await Origin.of(table, clock, is_foreign=not is_ours)
