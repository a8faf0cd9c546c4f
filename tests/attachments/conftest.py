"""`server` is a real server on each engine with files on the disk; `app` the same without HTTP; `s3` a server of S3."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
import requests

from api.calling import Caller, client_of, register
from api.conftest import ENGINES, store_of
from api.running import Server, serving
from attachments.http_client import MAX_BYTES
from cheap import CHEAP
from communities.conftest import Ahead
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings

REGION = "eu-west-1"


@pytest.fixture(scope="package", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the files of `server`."""
    return tmp_path_factory.mktemp("files") / "kept"


@pytest.fixture(scope="package")
def server(
    engine: str, folder: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("log") / "server.log"
    settings = {"files": folder.as_uri(), "max_upload_bytes": str(MAX_BYTES)}
    with serving(store_of(engine, request), log, **settings) as running:
        yield running


@pytest.fixture
async def http(server: Server) -> AsyncIterator[aiohttp.ClientSession]:
    async with client_of(server.url) as session:
        yield session


@pytest.fixture
async def ana(http: aiohttp.ClientSession) -> Caller:
    return await register(http, f"ana-{uuid.uuid4().hex[:10]}")


@pytest.fixture
async def ben(http: aiohttp.ClientSession) -> Caller:
    return await register(http, f"ben-{uuid.uuid4().hex[:10]}")


@pytest.fixture
def clock() -> Ahead:
    return Ahead()


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    return store_of(request.param, request)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder with the files of `app`."""
    return tmp_path / "files"


@pytest.fixture
async def app(store: str, files: Path, clock: Ahead) -> AsyncIterator[Sobremesa]:
    records = f"sqlite:///{files.parent / 'records.db'}"
    settings = Settings(**CHEAP, rate_limits="off", files=files.as_uri(), records=records)
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


@pytest.fixture(scope="module")
def bucket(moto_server: Endpoint) -> str:
    """The URL of a new bucket for `files`."""
    name = f"files-{uuid.uuid4().hex}"
    requests.put(f"{moto_server.url}/{name}", timeout=30).raise_for_status()
    return f"s3://{name}/uploads?region={REGION}&endpoint={moto_server.url}"
