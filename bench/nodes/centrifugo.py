"""Centrifugo: fetched with Go's module proxy, built once, and run with Valkey."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.nodes.clients import SECRET
from bench.nodes.processes import ALL_CORES
from servers import start_valkey
from sobremesa.loadtest.server import LOOPBACK, Process, free_port, running

VERSION = "v5.4.9"
MODULE = f"github.com/centrifugal/centrifugo/v5@{VERSION}"
FOLDER = Path(__file__).resolve().parents[2] / ".cache/centrifugo"
GO = "/usr/local/go/bin"
"""Where Go's own installer puts it."""


class CentrifugoMissing(Exception):
    """It cannot be built here; the message states the reason."""


def build() -> Path:
    """Return the program, which is built if it is not there yet."""
    program = FOLDER / VERSION / "centrifugo"
    if program.is_file():
        return program
    go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), GO]))
    if go is None:
        raise CentrifugoMissing("there is no go on the PATH")
    # `go install` would also ask for the list of all versions, which not every proxy has.
    found = _run([go, "mod", "download", "-json", MODULE], Path.cwd())
    _run([go, "build", "-trimpath", "-o", str(program), "."], Path(json.loads(found)["Dir"]))
    return program


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CentrifugoMissing(f"{' '.join(command[:3])} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


@contextmanager
def centrifugo(program: Path, folder: Path) -> Iterator[Process]:
    """Run it with Valkey, and rooms that keep an hour of messages, as ours do."""
    with start_valkey() as valkey:
        settings = {
            "engine": "redis",
            "redis_address": valkey.url,
            "token_hmac_secret_key": SECRET,
            "log_level": "error",
            "namespaces": [
                {
                    "name": "room",
                    "history_size": 10_000,
                    "history_ttl": "3600s",
                    "force_recovery": True,
                    "allow_subscribe_for_client": True,
                    "allow_publish_for_client": True,
                }
            ],
        }
        (folder / "config.json").write_text(json.dumps(settings))
        port = free_port()
        command = [str(program), "--config", str(folder / "config.json"), "--address", LOOPBACK, "--port", str(port)]
        with running(command, port, ALL_CORES, {}) as process:
            yield process
