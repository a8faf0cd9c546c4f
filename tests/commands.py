"""Python processes that tests start, `sobremesa` above all.

They are forked from a process that has everything imported (`fork_server`), one for each test worker: a command takes a
tenth of the processor time that it takes to start Python. Where the start itself is tested, use `subprocess`.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, Self

SOBREMESA = Path(sys.executable).with_name("sobremesa")
WITHIN_SECONDS = 60.0
STOP_WITHIN_SECONDS = 15.0

_FORK_SERVER = Path(__file__).with_name("fork_server.py")
_lock = threading.Lock()
_server: _Server | None = None


class _Server:
    """The process that forks."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        command = [sys.executable, str(_FORK_SERVER), str(theirs.fileno())]
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        theirs.close()

    def fork(self, connection: socket.socket, streams: list[int]) -> None:
        descriptors = array.array("i", [connection.fileno(), *streams])
        self.control.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])

    def close(self) -> None:
        self.control.close()
        self._process.wait()


def close() -> None:
    """End the process that forks, and with it every process that still runs."""
    global _server  # noqa: PLW0603 - one for the whole worker
    with _lock:
        if _server is not None:
            _server.close()
        _server = None


def _fork(connection: socket.socket, streams: list[int]) -> None:
    global _server  # noqa: PLW0603
    with _lock:
        if _server is None:
            _server = _Server()
        _server.fork(connection, streams)


class Process:
    """A process that runs `python ARGUMENTS`; what it has of `subprocess.Popen` behaves as there.

    Without streams it reads nothing, and writes where the tests write.
    """

    stdin: BinaryIO | None = None
    stdout: BinaryIO | None = None
    stderr: BinaryIO | None = None

    def __init__(
        self,
        *arguments: str | Path,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] | None = None,
        stderr: int | IO[bytes] | None = None,
    ) -> None:
        self.arguments = [str(argument) for argument in arguments]
        self.returncode: int | None = None
        self._to_close: list[int] = []
        streams = [self._stream("stdin", stdin), self._stream("stdout", 1 if stdout is None else stdout)]
        if stderr == subprocess.STDOUT:
            streams.append(streams[1])
        else:
            streams.append(self._stream("stderr", 2 if stderr is None else stderr))
        self._connection, theirs = socket.socketpair()
        try:
            _fork(theirs, streams)
        finally:
            theirs.close()
            for descriptor in self._to_close:
                os.close(descriptor)
        self._lines = self._connection.makefile("rb")
        self.pid = self._ask(folder or Path.cwd(), os.environ if environment is None else environment)

    def _ask(self, folder: Path, environment: Mapping[str, str]) -> int:
        request = {"arguments": self.arguments, "folder": str(folder), "environment": dict(environment)}
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        pid = self._lines.readline()
        assert pid, "the fork server has ended"
        return int(pid)

    def _stream(self, name: str, wanted: int | IO[bytes]) -> int:
        """Return the descriptor that the process gets for one of its streams."""
        if wanted == subprocess.PIPE:
            reading, writing = os.pipe()
            theirs, ours = (reading, writing) if name == "stdin" else (writing, reading)
            setattr(self, name, open(ours, "wb" if name == "stdin" else "rb", buffering=0))  # noqa: SIM115
            self._to_close.append(theirs)
            return theirs
        if wanted == subprocess.DEVNULL:
            self._to_close.append(os.open(os.devnull, os.O_RDWR))
            return self._to_close[-1]
        return wanted if isinstance(wanted, int) else wanted.fileno()

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, negative for a signal, once the process has ended."""
        if self.returncode is None:
            ready, _, _ = select.select([self._connection], [], [], timeout)
            if not ready:
                raise subprocess.TimeoutExpired(self.arguments, timeout or 0)
            self._ended()
        assert self.returncode is not None
        return self.returncode

    async def wait_async(self) -> int:
        """`wait`, for tests that do something else meanwhile."""
        if self.returncode is None:
            loop, ended = asyncio.get_running_loop(), asyncio.Event()
            loop.add_reader(self._connection, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(self._connection)
        return self.wait()

    def _ended(self) -> None:
        self.returncode = os.waitstatus_to_exitcode(int(self._lines.readline()))
        self._lines.close()
        self._connection.close()

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Kill it if it still runs, and close its streams.

        While coverage is measured it is asked to stop first, since a killed process saves no measurements.
        """
        if "COVERAGE_PROCESS_CONFIG" in os.environ:
            self.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.wait(STOP_WITHIN_SECONDS)
        self.kill()
        self.wait(STOP_WITHIN_SECONDS)
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def run(
    *arguments: str | Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    within: float = WITHIN_SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` to its end, as `subprocess.run` does with `capture_output` and `text`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with Process(*arguments, folder=folder, environment=environment, stdout=out, stderr=err) as process:
            process.wait(within)
        return _completed(process, out, err)


async def run_async(
    *arguments: str | Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    within: float = WITHIN_SECONDS,
) -> subprocess.CompletedProcess[str]:
    """`run`, for tests that do something else meanwhile."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with Process(*arguments, folder=folder, environment=environment, stdout=out, stderr=err) as process:
            await asyncio.wait_for(process.wait_async(), within)
        return _completed(process, out, err)


def _completed(process: Process, out: IO[bytes], err: IO[bytes]) -> subprocess.CompletedProcess[str]:
    for file in (out, err):
        file.seek(0)
    status = process.wait()
    return subprocess.CompletedProcess(process.arguments, status, out.read().decode(), err.read().decode())


def run_on_a_terminal(*arguments: str | Path, environment: Mapping[str, str]) -> str:
    """Return what `python ARGUMENTS` shows on a terminal; it must end well."""
    ours, theirs = pty.openpty()
    with (
        open(ours, "rb", buffering=0) as screen,
        Process(*arguments, environment=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process,
    ):
        os.close(theirs)
        shown = b""
        # An error is how Linux reports that the other end of a terminal was closed.
        with suppress(OSError):
            while piece := screen.read(4096):
                shown += piece
        assert process.wait(WITHIN_SECONDS) == 0, shown.decode()
    return shown.decode()
