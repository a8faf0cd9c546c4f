"""Checks that a store belongs to the demo: an empty one, or one that was seeded before.

The passwords of the demo are public, so it never adds its users to other data, and never deletes a store that is not
its own.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sobremesa.app import Sobremesa
from sobremesa.core.errors import SobremesaError
from sobremesa.core.settings import Settings
from sobremesa.demo.users import ADMINISTRATOR, email_of
from sobremesa.domains.accounts.entities import User
from sobremesa.table.opening import BadStore, open_embedded, parse_store

SUFFIXES = ("", "-wal", "-shm", ".keys", ".records", ".records-journal")
"""The suffixes of a store's files."""


class NotADemo(SobremesaError):
    """A store that holds other data."""


def path_of(store: str) -> Path:
    """Return the file of a demo's store; BadStore if the store is not a file."""
    address = parse_store(store)
    if address.path is None or address.in_memory:
        raise BadStore("the demo needs a file: --store sqlite:///folder/file.db")
    return Path(address.path)


async def is_seeded(settings: Settings) -> bool:
    """Return whether the store holds the complete demo; NotADemo if it holds other data.

    `clear` deletes what an interrupted seeding left.
    """
    administrator = await _administrator(settings)
    return administrator is not None and administrator.is_admin


async def clear(settings: Settings) -> None:
    """Delete a demo, complete or not; NotADemo if the store holds other data."""
    await _administrator(settings)
    path = path_of(settings.store)
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(path.with_name(path.name + ".files"), ignore_errors=True)


async def _administrator(settings: Settings) -> User | None:
    """Return the demo's administrator, the first user to register; None in an empty store."""
    path = path_of(settings.store)
    if not path.exists():
        return None
    engine = await open_embedded(settings.store, janitor=False)
    try:
        is_empty = not (await engine.describe_table()).items
    finally:
        await engine.close()
    if is_empty:
        return None
    async with Sobremesa.open(settings=settings, background=False) as app:
        found = await app.accounts.find_by_email(email_of(ADMINISTRATOR))
    if found is None:
        raise NotADemo(f"{settings.store} holds other data than the demo: choose another --store")
    return found
