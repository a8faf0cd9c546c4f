"""Processor use of the client, the server, and everything else on the machine.

A result is the server's own only if the client was not busy all the time, and no other program was.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

BUSY_CLIENT = 0.9
BUSY_OTHERS = 0.2


class Shares(NamedTuple):
    """The share of one core that each used; None where the system does not report it."""

    client: float
    server: float | None = None
    others: float | None = None

    @property
    def doubt(self) -> str | None:
        """Why the result may not be the server's own, if so."""
        if self.client > BUSY_CLIENT:
            return "the client was the bottleneck"
        return f"other programs used {self.others:.0%} of a core" if self.is_disturbed else None

    @property
    def is_disturbed(self) -> bool:
        """Whether other programs used enough to affect the result."""
        return self.others is not None and self.others > BUSY_OTHERS


class _Times(NamedTuple):
    wall: float
    client: float
    server: float | None
    machine: float | None


class Meter:
    """Measures from its creation on."""

    def __init__(self, server_pid: int | None) -> None:
        self._pid = server_pid
        self._first = self._now()

    def shares(self) -> Shares:
        """Return the processor use since the creation."""
        first, last = self._first, self._now()
        wall = max(last.wall - first.wall, 1e-9)
        client = (last.client - first.client) / wall
        if first.server is None or last.server is None:
            return Shares(client)
        server = (last.server - first.server) / wall
        if first.machine is None or last.machine is None:
            return Shares(client, server)
        return Shares(client, server, max(0.0, (last.machine - first.machine) / wall - client - server))

    def _now(self) -> _Times:
        return _Times(perf_counter(), process_time(), _used_by(self._pid), _used_by_all())


def _used_by(pid: int | None) -> float | None:
    """Return the processor time of a process, in seconds."""
    if pid is None:
        return None
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _used_by_all() -> float | None:
    """Return the processor time of the whole machine, in seconds."""
    try:
        with open("/proc/stat") as file:
            user, nice, system, _idle, _waiting, irq, soft_irq, *_ = map(int, file.readline().split()[1:])
    except (OSError, ValueError):
        return None
    return (user + nice + system + irq + soft_irq) / os.sysconf("SC_CLK_TCK")
