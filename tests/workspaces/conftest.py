"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `team` is a workspace with members."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from sobremesa.app import Sobremesa
from workspaces.team import Team, gather_team

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def team(app: Sobremesa) -> Team:
    return await gather_team(app)
