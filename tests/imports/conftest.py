"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `world` has a room of each kind."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from imports.world import Room, World, create_world
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def world(app: Sobremesa) -> World:
    return await create_world(app)


@pytest.fixture(params=["channel", "conversation", "thread"])
def room(world: World, request: pytest.FixtureRequest) -> Room:
    return world.rooms[request.param]
