"""`town` runs a test on each engine; `village` uses the embedded engine alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from accounts.town import Town, town_on
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
    endpoint: Endpoint = request.getfixturevalue("dynoxide_memory")
    async with dynamo(endpoint, clock) as remote:
        yield Table(remote, clock=clock)


@pytest.fixture
async def town(table: Table, clock: SetClock) -> AsyncIterator[Town]:
    async with town_on(table, clock) as town:
        yield town


@pytest.fixture
async def village(clock: SetClock) -> AsyncIterator[Town]:
    async with embedded(None, clock) as engine, town_on(Table(engine, clock=clock), clock) as town:
        yield town
