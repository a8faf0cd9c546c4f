"""`seeded` is a store with the demo in it, created once by the command and never used; `demo` serves a copy."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from api.running import Server
from demo.running import Login, copied, demo_running, logins_of
from sobremesa.client import Client


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run all of these: creating the demo takes as long as using it."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("demo"))


@pytest.fixture(scope="session")  # other tests may come between, and no test changes it: it can stay
def seeded(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("demo")
    store = f"sqlite:///{folder / 'world.db'}"
    with demo_running(store, folder / "first.log", "--quiet") as server:
        assert "Creating the demo" in server.log.read_text()
        assert server.stop() == 0
    return store


@pytest.fixture(scope="package")
def demo(seeded: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("talking")
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
