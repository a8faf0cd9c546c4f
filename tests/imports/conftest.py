"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `env` has a room of each kind."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from imports.environment import Environment, Room, create_environment
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def env(app: Sobremesa) -> Environment:
    return await create_environment(app)


@pytest.fixture(params=["channel", "conversation", "thread"])
def room(env: Environment, request: pytest.FixtureRequest) -> Room:
    return env.rooms[request.param]
