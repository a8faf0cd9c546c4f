"""A storm on the embedded engine: all users come at once, and come back after the server has started again."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.nodes.clients import GatewayClient
from bench.nodes.crowds import Crowd, Storm, come_back, connected
from bench.nodes.processes import ALL_CORES, PROGRAM
from bench.nodes.users import create_users
from sobremesa.loadtest.server import free_port, running

BEFORE_SHARING = "00559adbee9e1d45fcbf99e0a87d365c75b35a48"
"""The last commit in which each client read the end of the log, and each subscriber each presence, by itself."""
SETTLE_SECONDS = 8.0
"""Presence is published within a second, and again for users who have been away for five."""


class Found(NamedTuple):
    """How all users came, and came back."""

    identify: Storm
    resume: Storm


async def create_store(folder: Path, users: int) -> list[str]:
    """Create a store with users, and return their tokens."""
    return await create_users(_store(folder), users)


async def measure(code: Path | None, stored: Path, tokens: list[str]) -> Found:
    """Serve a copy of a store, and let all its users identify, and resume after a restart."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(stored, folder, dirs_exist_ok=True)
        crowd = Crowd([GatewayClient(token) for token in tokens])
        return Found(await _come(code, Path(folder), crowd), await _come(code, Path(folder), crowd))


async def _come(code: Path | None, folder: Path, crowd: Crowd) -> Storm:
    port = free_port()
    environment = {"SOBREMESA_RATE_LIMITS": "off"} | ({} if code is None else {"PYTHONPATH": str(code)})
    command = [*PROGRAM, "serve", "--port", str(port), "--store", _store(folder)]
    with running(command, port, ALL_CORES, environment) as process:
        async with connected([]):
            try:
                return await come_back([(crowd, port)], [process], 0, settle_seconds=SETTLE_SECONDS)
            finally:
                crowd.disconnect()
                await asyncio.sleep(SETTLE_SECONDS)


def _store(folder: Path) -> str:
    return f"sqlite:///{folder}/storm.db"
