"""A storm on the embedded engine: all users come at once, and come back after the server has started again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.nodes.clients import GatewayClient
from bench.nodes.crowds import Crowd, Storm, come_back, connected
from bench.nodes.processes import ALL_CORES, PROGRAM, ROOT
from sobremesa.loadtest.server import Cores, free_port, running

BEFORE_SHARING = "51f1ac5dc18a47f6cc9926a527a27370611395d2"
"""The last commit in which each client read the end of the log, and each subscriber each presence, by itself."""
SETTLE_SECONDS = 8.0
"""Presence is published within a second, and again for users who have been away for five."""


class Found(NamedTuple):
    """How all users came, and came back."""

    identify: Storm
    resume: Storm


async def measure(code: Path | None, users: int, sockets: int | None = None, cores: Cores = ALL_CORES) -> Found:
    """Let all users identify, and resume after a restart; each has one socket unless there are more."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/storm.db"
        environment = {} if code is None else {"PYTHONPATH": str(code)}
        tokens = await asyncio.to_thread(_create_users, store, users, environment)
        crowd = Crowd([GatewayClient(tokens[number % users]) for number in range(sockets or users)])
        return Found(
            identify=await _come(store, environment, crowd, cores), resume=await _come(store, environment, crowd, cores)
        )


def _create_users(store: str, count: int, environment: dict[str, str]) -> list[str]:
    command = [sys.executable, "-m", "bench.nodes.users", store, str(count)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=list[str])


async def _come(store: str, environment: dict[str, str], crowd: Crowd, cores: Cores) -> Storm:
    port = free_port()
    command = [*PROGRAM, "serve", "--port", str(port), "--store", store]
    with running(command, port, cores, environment | {"SOBREMESA_RATE_LIMITS": "off"}) as process:
        async with connected([]):
            try:
                return await come_back([(crowd, port)], [process], 0, settle_seconds=SETTLE_SECONDS)
            finally:
                crowd.disconnect()
                await asyncio.sleep(SETTLE_SECONDS)
