"""The file of a store: opening, copying, and the checks before opening.

WAL with `synchronous=FULL`: an acknowledged commit is on the disk. Several processes may use one file; the
write lock is SQLite's own, so it is released when its process ends.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import apsw

from sobremesa.table.engines.embedded.schema import APPLICATION_ID, FORMAT, Schema, give_identity, prepare
from sobremesa.table.errors import (
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreForeign,
    StoreTooNew,
)
from sobremesa.table.layout import Layout

MEMORY = ":memory:"
BESIDE = ("-wal", "-shm")
OWNER_ONLY = 0o600
SMALL_ENOUGH_TO_CHECK = 32 * 1024 * 1024
RETRY_SECONDS = 0.005
OPENING_WAIT_MS = 10_000
LOOP_WAIT_MS = 0
"""Waiting for another process's lock would block the event loop: the writer and the table retry instead."""

_SETTINGS_OF_NEW_FILES: dict[str, str | int] = {
    "page_size": 8192,
    "auto_vacuum": "INCREMENTAL",
}
"""They cannot change later: SQLite would ignore them, after taking the write lock."""
_SETTINGS: dict[str, str | int] = {
    "journal_mode": "WAL",
    "synchronous": "FULL",
    "cache_size": -32768,
    "wal_autocheckpoint": 2000,
    "temp_store": "MEMORY",
    "journal_size_limit": 64 * 1024 * 1024,
}


def connect(path: str, *, vfs: str | None = None) -> apsw.Connection:
    """Open a connection with the engine's settings."""
    connection = apsw.Connection(path, vfs=vfs)
    try:
        connection.set_busy_timeout(OPENING_WAIT_MS)
        is_new = connection.pragma("page_count") == 0
        for name, value in ((_SETTINGS_OF_NEW_FILES if is_new else {}) | _SETTINGS).items():
            _set(connection, name, value)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _set(connection: apsw.Connection, name: str, value: str | int) -> None:
    """Set a pragma, with retries: SQLite does not wait when several processes switch a new file to WAL at once."""
    until = time.monotonic() + OPENING_WAIT_MS / 1000
    while True:
        try:
            connection.pragma(name, value)
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def open_file(path: str, layout: Layout | None, *, vfs: str | None = None) -> tuple[apsw.Connection, Schema]:
    """Open the store in this file, or create it; reject a newer, foreign or damaged file without changing it."""
    try:
        if path != MEMORY:
            _refuse_others(path)
            make_private(Path(path))
        connection = connect(path, vfs=vfs)
    except apsw.Error as error:
        raise store_error(error, path) from error
    except OSError as error:
        raise StoreFailed(f"{path} cannot be opened: {error.strerror}") from error
    try:
        schema = prepare(connection, layout, sole_use=lambda: require_sole_use(connection, path))
        connection.set_busy_timeout(LOOP_WAIT_MS)
    except apsw.Error as error:
        connection.close()
        raise store_error(error, path) from error
    except StoreError:
        connection.close()
        raise
    return connection, schema


def make_private(file: Path) -> None:
    """Create an empty file that only its owner can read, if there is none; SQLite's own files get the same mode.

    If that fails, SQLite reports why.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def copy_file(path: str, target: Path) -> None:
    """Copy a store that is in use, as of one moment; the file appears under its name when it is complete.

    The copy has its own identity: the two stores diverge, so each rejects positions of the other.
    """
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        if target.exists() and target.samefile(path):
            raise StoreFailed("a copy cannot replace the store itself: choose another name")
        _refuse_leftovers(target)
        unfinished.unlink(missing_ok=True)
        make_private(unfinished)
        _copy(path, unfinished)
        _sync(unfinished)
        unfinished.replace(target)
        _sync(target.parent)
    except apsw.Error as error:
        raise store_error(error, str(target)) from error
    except OSError as error:
        raise StoreFailed(f"{target} cannot be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _copy(path: str, target: Path) -> None:
    source = connect(path)
    try:
        if not source.pragma("auto_vacuum"):
            # Created by an older version: the copy gives space back. Not worth waiting for the write lock.
            source.set_busy_timeout(0)
            with contextlib.suppress(apsw.BusyError):
                source.pragma("auto_vacuum", "INCREMENTAL")
            source.set_busy_timeout(OPENING_WAIT_MS)
        source.execute("VACUUM INTO ?", (str(target),))
    finally:
        source.close()
    copy = apsw.Connection(str(target))
    try:
        give_identity(copy)
    finally:
        copy.close()


def remove_file(path: str) -> None:
    """Remove a store, with the files that SQLite keeps beside it."""
    for suffix in ("", *BESIDE):
        Path(path + suffix).unlink(missing_ok=True)


def require_sole_use(connection: apsw.Connection, path: str) -> None:
    """Raise StoreBusy while another process has the file open: SQLite leaves WAL mode only then."""
    try:
        connection.pragma("journal_mode", "DELETE")
        connection.pragma("journal_mode", "WAL")
    except (apsw.BusyError, apsw.LockedError):
        raise StoreBusy(f"{path} is in use by another process: stop it first") from None


def _refuse_leftovers(target: Path) -> None:
    """Raise StoreFailed if there is an old log beside the target: SQLite would apply it to the new file."""
    for suffix in BESIDE:
        left = target.with_name(target.name + suffix)
        if left.exists():
            raise StoreFailed(f"{left} is left from another store: open that store once, or remove the file")


def store_error(error: apsw.Error, path: str = "the store") -> StoreError:
    """Return the StoreError of a SQLite error."""
    match error:
        case apsw.ConnectionClosedError() | apsw.CursorClosedError():
            return StoreClosed("the store was closed")
        case apsw.NotADBError():
            return StoreDamaged(f"{path} is not a database, or its header is damaged")
        case apsw.CorruptError():
            return StoreDamaged(f"{path} is damaged ({error}); restore it from a backup")
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(f"{path} is locked by another process")
        case apsw.FullError():
            return StoreFailed(f"the disk of {path} is full")
        case apsw.CantOpenError():
            return StoreFailed(f"{path} cannot be opened: does its folder exist, and may it be written?")
        case apsw.ReadOnlyError():
            return StoreFailed(f"{path} cannot be written")
        case _:
            return StoreFailed(f"{path}: {error}")


def _refuse_others(path: str) -> None:
    """Check a file before anything is written: one that is not ours is not changed, nor is its journal mode."""
    file = Path(path)
    if not file.exists() or file.stat().st_size == 0:
        return
    # Not read-only: a process that was killed while it created the file left a journal, which opening rolls back.
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(OPENING_WAIT_MS)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        # In one transaction: another process may be creating the store at the same time.
        connection.execute("BEGIN")
        owner = connection.pragma("application_id")
        ours = owner == APPLICATION_ID
        version = connection.pragma("user_version")
        if not ours and (owner or connection.execute("SELECT count(*) FROM sqlite_schema").get):
            raise StoreForeign(f"{path} is a database of another program; choose another file")
        if ours and version > FORMAT:
            raise StoreTooNew(f"{path} has format {version}; this version reads up to format {FORMAT}")
        if file.stat().st_size <= SMALL_ENOUGH_TO_CHECK:
            found = connection.execute("PRAGMA quick_check(1)").get
            if found != "ok":
                raise StoreDamaged(f"{path} is damaged ({found}); restore it from a backup")
    finally:
        connection.close()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
