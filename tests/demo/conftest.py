"""`seeded` is a store with the demo in it, created once by the command and never used; `demo` serves a copy."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from api.running import Server
from demo.running import Login, copied, demo_running, logins_of
from sobremesa.client import Client


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Create the demo once for all workers: it takes longer than all of these tests, and none of them changes it."""
    folder = shared_folder(tmp_path_factory) / "demo"
    folder.mkdir(exist_ok=True)
    store = f"sqlite:///{folder / 'demo.db'}"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            with demo_running(store, folder / "first.log", "--quiet") as server:
                assert "Creating the demo" in server.log.read_text()
                assert server.stop() == 0
            (folder / "complete").touch()
    return store


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of this run that all of its workers have in common."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="package")
def demo(seeded: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("demo")
    store = copied(seeded, folder)
    source = Path(seeded.removeprefix("sqlite:///"))
    shutil.copytree(source.with_name(f"{source.name}.files"), folder / f"{source.name}.files")
    with demo_running(store, folder / "demo.log") as server:
        yield server


@pytest.fixture(scope="package")
def logins(demo: Server) -> dict[str, Login]:
    return logins_of(demo)


@pytest.fixture
async def ana(demo: Server, logins: dict[str, Login]) -> AsyncIterator[Client]:
    async with Client(demo.url) as client:
        await client.login(logins["ana"].email, logins["ana"].password)
        yield client
