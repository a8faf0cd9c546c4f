"""Which store may be a demo's: an empty one, or one that was seeded before.

The passwords of the demo are known to everybody, so it never puts its people beside somebody else's rows, and never
takes a store away that is not its own.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sobremesa.app import Sobremesa
from sobremesa.core.errors import SobremesaError
from sobremesa.core.settings import Settings
from sobremesa.demo.people import ADMINISTRATOR, email_of
from sobremesa.domains.accounts.entities import User
from sobremesa.table.opening import BadStore, open_embedded, parse_store

BESIDE = ("", "-wal", "-shm", ".keys", ".records", ".records-journal")
"""What a store's file has beside it."""


class NotADemo(SobremesaError):
    """A store that holds something else."""


def path_of(store: str) -> Path:
    """The file of a demo's store; BadStore if it is none."""
    address = parse_store(store)
    if address.path is None or address.in_memory:
        raise BadStore("the demo lives in a file: --store sqlite:///folder/file.db")
    return Path(address.path)


async def is_seeded(settings: Settings) -> bool:
    """Is the demo in this store, all of it? NotADemo if something else is.

    What a killed seeding left was never shown to anybody: `clear` takes it away.
    """
    administrator = await _administrator(settings)
    return administrator is not None and administrator.is_admin


async def clear(settings: Settings) -> None:
    """Take a demo away, also half of one; NotADemo if the store holds something else."""
    await _administrator(settings)
    path = path_of(settings.store)
    for suffix in BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(path.with_name(path.name + ".files"), ignore_errors=True)


async def _administrator(settings: Settings) -> User | None:
    """The demo's administrator, who comes in first and is made one last; None in an empty store."""
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
        raise NotADemo(f"{settings.store} holds something else than the demo: give another --store")
    return found
