"""The machine of the measurements."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from statistics import median
from time import perf_counter

import apsw

from bench.results import Machine

BLOCK = 8192
SYNCS = 200


def describe_machine(folder: Path, loop: str) -> Machine:
    """Return the cores, the versions, and the time of an fsync on this disk."""
    return Machine(
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        sqlite=apsw.sqlite_lib_version(),
        loop=loop,
        sync_ms=_sync_ms(folder / "sync"),
    )


def _sync_ms(path: Path) -> float:
    """The median time of writing a block and syncing it."""
    spent = []
    block = os.urandom(BLOCK)
    with path.open("wb", buffering=0) as file:
        for number in range(SYNCS):
            file.seek(number % 64 * BLOCK)
            started = perf_counter()
            file.write(block)
            os.fdatasync(file.fileno())
            spent.append(perf_counter() - started)
    path.unlink()
    return 1000 * median(spent)
