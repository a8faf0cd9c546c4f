"""The servers, and the CPU time that they use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from servers import start_lasting_dynamodb, start_valkey
from sobremesa.loadtest.server import LOOPBACK, Cores, Process, free_port, running

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-c", "from sobremesa.cli import main; main()")
ALL_CORES = Cores(frozenset(), frozenset())
"""More processes run than there are cores: what counts is the time that each of them uses."""


def source_at(commit: str) -> Path | None:
    """Return the source of the project at a commit, as a baseline; None without the project's history."""
    folder = ROOT / ".cache/source" / commit
    if not folder.is_dir():
        command = ["git", "-C", str(ROOT), "archive", commit, "src"]
        found = subprocess.run(command, check=False, capture_output=True)
        if found.returncode:
            return None
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=found.stdout, check=True)
    return folder / "src"


class Nodes:
    """Nodes that are started one after the other, over one table and one Valkey."""

    def __init__(self, valkey: str, environment: dict[str, str], running_nodes: ExitStack) -> None:
        self.valkey = valkey
        self.running: list[Process] = []
        self._environment = environment
        self._stack = running_nodes

    def add(self) -> Process:
        """Start a node."""
        port = free_port()
        command = [*PROGRAM, "serve", "--port", str(port)]
        self.running.append(self._stack.enter_context(running(command, port, ALL_CORES, self._environment)))
        return self.running[-1]


@contextmanager
def nodes(code: Path | None = None) -> Iterator[Nodes]:
    """Run an endpoint of DynamoDB and a Valkey for nodes, of other code than this if a folder is given."""
    with (
        start_lasting_dynamodb() as endpoint,
        start_valkey() as valkey,
        tempfile.TemporaryDirectory() as folder,
        ExitStack() as stack,
    ):
        environment = {
            "SOBREMESA_STORE": f"dynamodb://bench?region=eu-west-1&endpoint={endpoint.url}",
            "SOBREMESA_REDIS": valkey.url,
            "SOBREMESA_FILES": f"file://{folder}/files",
            "SOBREMESA_RATE_LIMITS": "off",
            # Several nodes need a shared database of records, which is not used here: nothing listens there.
            "SOBREMESA_RECORDS": f"postgresql://{LOOPBACK}:1/records",
            "AWS_ACCESS_KEY_ID": "bench",
            "AWS_SECRET_ACCESS_KEY": "bench",
        }
        if code is not None:
            environment["PYTHONPATH"] = str(code)
        subprocess.run([*PROGRAM, "table", "create"], env=os.environ | environment, check=True, capture_output=True)
        yield Nodes(valkey.url, environment, stack)


class Spent:
    """The CPU time that processes use from its creation on."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._processes = processes
        self._before = self._now()

    def seconds(self) -> list[float]:
        """Return the CPU seconds of each process since the creation."""
        return [after - before for after, before in zip(self._now(), self._before, strict=True)]

    def _now(self) -> list[float]:
        return [cpu_seconds(process) for process in self._processes]


def cpu_seconds(process: Process) -> float:
    """Return the CPU time of a process.

    In nanoseconds, where `/proc` counts hundredths of a second: the clock of another process, as Linux's
    `clock_getcpuclockid` makes it.
    """
    return time.clock_gettime((~process.pid << 3) | 2)
