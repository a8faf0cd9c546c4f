"""`server` is a real server in a process of its own, one for each engine and worker; `http` is a client of it."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import aiohttp
import pytest

from api.calling import client_of
from api.running import Server, serving
from servers import start_lasting_dynamodb

ENGINES = ("embedded", "dynamodb")


def store_of(engine: str, request: pytest.FixtureRequest) -> str:
    """A new store on an engine, for as long as what asks for it; on DynamoDB, with a server of its own."""
    if engine == "embedded":
        return f"sqlite:///{request.getfixturevalue('tmp_path_factory').mktemp('store') / 'chat.db'}"
    running = ExitStack()
    endpoint = running.enter_context(start_lasting_dynamodb())
    request.addfinalizer(running.close)
    return f"dynamodb://sobremesa-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


@pytest.fixture(scope="package", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="package")
def server(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {"files": tmp_path_factory.mktemp("files").as_uri()}
    if engine == "dynamodb":
        # As it would be at scale: the table in DynamoDB, the records in PostgreSQL.
        settings["records"] = request.getfixturevalue("postgres").url
    with serving(store_of(engine, request), tmp_path_factory.mktemp("log") / "server.log", **settings) as running:
        yield running


@pytest.fixture
async def http(server: Server) -> AsyncIterator[aiohttp.ClientSession]:
    async with client_of(server.url) as session:
        yield session


@pytest.fixture
def fresh() -> str:
    """A word that no other test uses, for names."""
    return uuid.uuid4().hex[:10]
