"""Starts a server with a temporary store, on another core than the client."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sobremesa.core.settings import PREFIX
from sobremesa.loadtest.connection import LoadFailed

LOOPBACK = "127.0.0.1"
READY_WITHIN_SECONDS = 30.0
STOP_WITHIN_SECONDS = 20.0
TIED = Path(__file__).with_name("tied.py")


class Cores(NamedTuple):
    """The cores of the server and the client; empty where they cannot be separated."""

    server: frozenset[int]
    client: frozenset[int]

    def __str__(self) -> str:
        if not self.server:
            return "server and client share all cores"
        return f"server on core {min(self.server)}, client on core {min(self.client)}"


@contextmanager
def own_cores() -> Iterator[Cores]:
    """Keep this process to one core, and leave another to the server."""
    if not hasattr(os, "sched_setaffinity"):  # not on Linux
        yield Cores(frozenset(), frozenset())
        return
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        yield Cores(frozenset(), frozenset())
        return
    first, second, *_ = sorted(before)
    os.sched_setaffinity(0, {second})
    try:
        yield Cores(frozenset({first}), frozenset({second}))
    finally:
        os.sched_setaffinity(0, before)


def allow_files(wanted: int) -> int:
    """Raise the limit of open files, if allowed, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


class Process(NamedTuple):
    """A running server."""

    pid: int
    port: int

    def rss(self) -> int | None:
        """Return its memory in bytes; None where the system does not report it."""
        try:
            with open(f"/proc/{self.pid}/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()
        except OSError:
            return None


@contextmanager
def running(command: Sequence[str], port: int, cores: Cores, environment: dict[str, str]) -> Iterator[Process]:
    """A program that serves on a port, once it does; stopped at the end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with _on(cores.server):
        process = subprocess.Popen(  # noqa: S603 - programs of our own
            [sys.executable, "-I", "-S", str(TIED), str(os.getpid()), *command],
            env=clean | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    try:
        _wait_for(process, port)
        yield Process(process.pid, port)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=STOP_WITHIN_SECONDS)
        process.kill()
        process.communicate()


def own_server(store: str, cores: Cores, **settings: object) -> contextlib.AbstractContextManager[Process]:
    """Run `sobremesa serve` on this store, without rate limits, and with these settings."""
    port = free_port()
    command = [sys.executable, "-c", "from sobremesa.cli import main; main()", "serve", "--port", str(port)]
    environment = {f"{PREFIX}{name.upper()}": str(value) for name, value in settings.items()}
    return running([*command, "--store", store], port, cores, {f"{PREFIX}RATE_LIMITS": "off"} | environment)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def _on(cores: frozenset[int]) -> Iterator[None]:
    """Start processes on these cores until the end of the block."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            _, output = process.communicate()
            raise LoadFailed(f"the server ended with {process.returncode}: {output.decode(errors='replace')[-500:]}")
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
            return
        time.sleep(0.02)
    raise LoadFailed(f"the server did not answer within {READY_WITHIN_SECONDS:.0f} s")
