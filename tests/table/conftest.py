"""`store` runs a test once on each of the stores; `engine` and `table` are open on it, with a set clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from servers import Endpoint
from sobremesa.core.clock import SetClock
from sobremesa.table import Table
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import Engine
from table.engines import STORES, Projections, Store, dynamo, embedded


@pytest.fixture(params=[pytest.param(store, marks=pytest.mark.long if store == "moto" else ()) for store in STORES])
def store(request: pytest.FixtureRequest) -> Store:
    name: Store = request.param
    return name


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def projections() -> Projections:
    """What the indexes project; a module with other indexes overrides it."""
    return {}


@pytest.fixture
async def engine(
    store: Store, clock: SetClock, tmp_path: Path, request: pytest.FixtureRequest, projections: Projections
) -> AsyncIterator[Engine]:
    if store.startswith("embedded"):
        path = tmp_path / "table.db" if store == "embedded-file" else None
        async with embedded(path, clock, projections=projections) as engine:
            yield engine
        return
    # Asked for only here, so that a run over the embedded engine alone starts no server.
    endpoint: Endpoint = request.getfixturevalue("moto_server" if store == "moto" else "dynamodb_endpoint")
    async with dynamo(endpoint, clock, projections=projections) as remote:
        yield remote


@pytest.fixture
def table(engine: Engine, clock: SetClock) -> Table:
    return Table(engine, clock=clock)


@pytest.fixture
async def memory(clock: SetClock) -> AsyncIterator[EmbeddedEngine]:
    """The embedded engine in memory, for what only it does."""
    async with embedded(None, clock) as engine:
        yield engine
