"""Small files with the progress of a command, replaced atomically and readable by their owner only."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TypeVar

import msgspec

from sobremesa.moving.errors import StateMismatch

S = TypeVar("S", bound=msgspec.Struct)

OWNER_ONLY = 0o600


def load_state(path: Path, kind: type[S]) -> S | None:
    """Return the saved progress; None if there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise StateMismatch(f"{path} is not a state file of this command: {error}") from None


def save_state(path: Path, state: msgspec.Struct) -> None:
    """Replace the saved progress durably."""
    write_private(path, msgspec.json.encode(state))


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, or replace it: at any moment it is complete."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    with open(create_private(unfinished), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    sync_folder(path.parent)


def create_private(path: Path) -> int:
    """Create a file that only its owner can read, or open it, and return its descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where directories can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
