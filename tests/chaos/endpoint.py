"""A DynamoDB endpoint on disk that can be killed and paused: what it has answered survives."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from servers import DYNOXIDE, LOOPBACK, READY_WITHIN_SECONDS, Endpoint, _free_port, _is_ready, installed, tether


class LastingEndpoint:
    """Dynoxide at one address, one process after the other, over one database file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "endpoint.db"
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = Endpoint("dynoxide", f"http://{LOOPBACK}:{self._port}")

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        program = installed("dynoxide", DYNOXIDE)
        options = ["--host", LOOPBACK, "--port", str(self._port), "--db-path", str(self._file)]
        quiet = subprocess.DEVNULL
        command = [*tether(None), program, *options]
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        assert _is_ready(self._process, self._port), f"no answer within {READY_WITHIN_SECONDS:.0f} s"

    def kill(self) -> None:
        """Kill its process with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def pause(self) -> None:
        """Stop its process with SIGSTOP."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused process go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)
