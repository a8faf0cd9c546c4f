"""Fork a Python process that has everything imported, for each request: `python fork_server.py FD`.

`commands` starts it and sends requests. A process that starts this way saves the second of processor time that it takes
to import the project; in everything else it is like any other, with an exit status and signals of its own.

The socket FD carries one byte for each process, with four descriptors: the process's connection and its stdin, stdout
and stderr. Over the connection the new process reads what to run (one line of JSON); then it gets the pid and, at the
end, the status from `waitpid`, each as a line. When FD is closed, this process ends, and by that every other one.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

from servers.tether import tie_to_parent

# The modules of the commands themselves are not here: each makes its console when it is imported.
IMPORTED = (
    "alembic.command",
    "cyclopts.bind",
    "rich.progress",
    "rich.table",
    "sobremesa.app",
    "sobremesa.domains.attachments.s3",
    "sobremesa.cli",
    "sobremesa.client",
    "sobremesa.demo",
    "sobremesa.http.server",
    "sobremesa.loadtest.run",
    "sobremesa.work.migration",
    "sobremesa.domains.records.opening",
    "sobremesa.table.engines.dynamodb",
    "sobremesa.table.engines.embedded",
)
DESCRIPTORS = 4


class Ending:
    """Ends a process when its exit functions have run: freeing all that was imported is slow."""

    status: int | None = None

    def __call__(self) -> None:
        if self.status is not None:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError):
                    stream.flush()
            os._exit(self.status)


def main(control: socket.socket) -> None:
    """Fork until the socket is closed. Returns in this process at the end, and in every process that it forks."""
    ending = Ending()
    atexit.register(ending)  # before all others, so that it is called last
    for name in IMPORTED:
        importlib.import_module(name)
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"
    gc.collect()
    gc.freeze()
    requests = Requests(control)
    while (received := requests.next()) is not None:
        connection, *streams = received
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            requests.close()
            tie_to_parent(server)
            return run(prepare(connection, streams), ending)
        requests.started(pid, connection, streams)


class Requests:
    """What is asked for, and the processes that run."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._running: dict[int, socket.socket] = {}
        self._woken, self._wake = socket.socketpair()
        for end in (self._woken, self._wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self._wake.fileno())
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)

    def next(self) -> tuple[int, ...] | None:
        """Return the descriptors of the next request, or None when there is to be none any more."""
        while True:
            ready = [key.fileobj for key, _ in self._selector.select()]
            if self._woken in ready:
                self._woken.recv(4096)
                self._reap()
            if self._control in ready:
                return self._received()

    def _received(self) -> tuple[int, ...] | None:
        space = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
        data, ancillary, _, _ = self._control.recvmsg(1, space)
        if not data:
            return None
        received = array.array("i")
        for _, _, descriptors in ancillary:
            received.frombytes(descriptors)
        return tuple(received)

    def started(self, pid: int, connection: int, streams: list[int]) -> None:
        for descriptor in streams:
            os.close(descriptor)
        self._running[pid] = socket.socket(fileno=connection)
        self._send(self._running[pid], pid)

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            connection = self._running.pop(pid)
            self._send(connection, status)
            connection.close()

    @staticmethod
    def _send(connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError):  # the one who asked is gone
            connection.sendall(f"{number}\n".encode())

    def close(self) -> None:
        """Leave no trace of this in a forked process."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # As in a terminal, also where the tests run in the background with SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._selector.close()
        for end in (self._control, self._woken, self._wake, *self._running.values()):
            end.close()


def prepare(connection: int, streams: list[int]) -> list[str]:
    """Become the process that was asked for; return what it is to run."""
    with socket.socket(fileno=connection) as asking, asking.makefile("rb") as lines:
        request: dict[str, Any] = json.loads(lines.readline())
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    open_streams(unbuffered=bool(os.environ.get("PYTHONUNBUFFERED")))
    return [str(argument) for argument in request["arguments"]]


def open_streams(*, unbuffered: bool) -> None:
    """Open stdin, stdout and stderr as Python does at its start."""
    stdin = open(0, closefd=False)  # noqa: SIM115
    stdout = open(1, "w", closefd=False)  # noqa: SIM115
    stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    stdout.reconfigure(line_buffering=os.isatty(1), write_through=unbuffered)
    stderr.reconfigure(line_buffering=True, write_through=unbuffered)
    sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr


def run(arguments: list[str], ending: Ending) -> None:
    try:
        run_program(arguments)
    except SystemExit as left:
        ending.status = 0 if left.code is None else left.code if isinstance(left.code, int) else 1
        raise
    except Exception:
        ending.status = 1
        raise
    ending.status = 0


def run_program(arguments: list[str]) -> None:
    """Do what `python ARGUMENTS` does: a program's file, `-m` a module or `-c` a program's text."""
    match arguments:
        case ["-m", name, *rest]:
            sys.argv = [name, *rest]
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        case ["-c", text, *rest]:
            sys.argv = ["-c", *rest]
            program = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(text, "<string>", "exec"), program.__dict__)
        case _:
            sys.argv = arguments
            sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
            runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
