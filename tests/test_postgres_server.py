"""The test PostgreSQL answers, is gone afterwards, and does not outlive the process that started it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

import servers
from servers import ServerMissing
from servers import postgres as postgres_server
from servers.postgres import start_postgres

GONE_WITHIN_SECONDS = 10.0


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may look into, for what a killed process leaves behind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


async def sum_by(url: str) -> int:
    connection = await asyncpg.connect(url, timeout=60)
    try:
        found: int = await connection.fetchval("SELECT 1 + 1")
    finally:
        await connection.close()
    return found


def is_gone(url: str) -> bool:
    deadline = time.monotonic() + GONE_WITHIN_SECONDS
    while time.monotonic() < deadline:
        try:
            asyncio.run(sum_by(url))
        except (OSError, asyncpg.PostgresError):
            return True
        time.sleep(0.05)
    return False


def test_postgres_responds_while_it_runs_and_is_stopped_afterwards() -> None:
    with start_postgres() as endpoint:
        assert asyncio.run(sum_by(endpoint.url)) == 2

    assert is_gone(endpoint.url)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a parent-death signal")
def test_postgres_dies_with_a_killed_parent(open_folder: Path) -> None:
    script = (
        "from servers.postgres import start_postgres; import time\n"
        "with start_postgres() as e: print(e.url, flush=True); time.sleep(60)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(servers.__file__).parents[1]), "TMPDIR": str(open_folder)}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as parent:
        try:
            assert parent.stdout is not None
            url = parent.stdout.readline().decode().strip()
            assert asyncio.run(sum_by(url)) == 2
        finally:
            parent.send_signal(signal.SIGKILL)

    assert is_gone(url)


def test_error_of_a_missing_postgres_names_the_command_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_server, "find_spec", lambda name: None)

    with pytest.raises(ServerMissing, match="run `make install`"), start_postgres():
        pass
