"""`env` runs a test on each engine; `embedded_env` uses the embedded engine alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from accounts.environment import Environment, environment_on
from servers import Endpoint
from sobremesa.core.clock import SetClock
from sobremesa.table import Table
from table.engines import dynamo, embedded


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture(params=["embedded", "dynamodb"])
async def table(request: pytest.FixtureRequest, clock: SetClock) -> AsyncIterator[Table]:
    if request.param == "embedded":
        async with embedded(None, clock) as engine:
            yield Table(engine, clock=clock)
        return
    # Requested only here, so that a run on the embedded engine alone starts no server.
    endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
    async with dynamo(endpoint, clock) as remote:
        yield Table(remote, clock=clock)


@pytest.fixture
async def env(table: Table, clock: SetClock) -> AsyncIterator[Environment]:
    async with environment_on(table, clock) as env:
        yield env


@pytest.fixture
async def embedded_env(clock: SetClock) -> AsyncIterator[Environment]:
    async with embedded(None, clock) as engine, environment_on(Table(engine, clock=clock), clock) as env:
        yield env
