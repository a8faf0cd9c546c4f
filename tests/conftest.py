"""Servers that every test may use: one of each kind for each test worker, started when first asked for."""

from collections.abc import Iterator

import pytest

from servers import Endpoint, start_dynoxide, start_moto, start_valkey
from servers.postgres import start_postgres


@pytest.fixture(scope="session")
def dynoxide_memory() -> Iterator[Endpoint]:
    with start_dynoxide() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def dynoxide_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with start_dynoxide(tmp_path_factory.mktemp("dynoxide") / "table.db") as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def moto_server() -> Iterator[Endpoint]:
    with start_moto() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def postgres() -> Iterator[Endpoint]:
    with start_postgres() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def valkey() -> Iterator[Endpoint]:
    with start_valkey() as endpoint:
        yield endpoint
