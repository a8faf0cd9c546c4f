"""The servers, and the CPU time that they use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from servers import start_lasting_dynamodb, start_valkey
from sobremesa.loadtest.server import LOOPBACK, Cores, Process, free_port, running

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-c", "from sobremesa.cli import main; main()")
SHARDS = "sobremesa_stream_shards"
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
        self.metrics_ports: dict[int, int] = {}
        """By the id of a process."""
        self._environment = environment
        self._stack = running_nodes

    def add(self) -> Process:
        """Start a node."""
        port, metrics_port = free_port(), free_port()
        command = [*PROGRAM, "serve", "--port", str(port)]
        environment = self._environment | {"SOBREMESA_METRICS_PORT": str(metrics_port)}
        self.running.append(self._stack.enter_context(running(command, port, ALL_CORES, environment)))
        self.metrics_ports[self.running[-1].pid] = metrics_port
        return self.running[-1]

    def reads_the_stream(self, node: Process) -> bool:
        """Return whether a node reads a shard of the table's stream; False for code that does not report it."""
        with urllib.request.urlopen(f"http://{LOOPBACK}:{self.metrics_ports[node.pid]}/metrics") as response:
            lines = response.read().decode().splitlines()
        return any(line.startswith(SHARDS) and float(line.split()[-1]) > 0 for line in lines)


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


class Idle:
    """The time in which the main thread of a process has nothing to do, from its creation on.

    What it waits for a processor, while other programs have it, does not count: this says the same on a busy machine.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._began = time.monotonic()
        self._before = self._occupied()

    def seconds(self) -> float:
        """Return the idle seconds since the creation."""
        return max(0.0, time.monotonic() - self._began - (self._occupied() - self._before))

    def _occupied(self) -> float:
        """Return for how long it has run, or waited to run."""
        pid = self._process.pid
        ran, waited, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
        return (int(ran) + int(waited)) / 1e9


def cpu_seconds(process: Process) -> float:
    """Return the CPU time of a process.

    In nanoseconds, where `/proc` counts hundredths of a second: the clock of another process, as Linux's
    `clock_getcpuclockid` makes it.
    """
    return time.clock_gettime((~process.pid << 3) | 2)
