"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `deal` is a thread with participants."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from sobremesa.app import Sobremesa
from threads.environment import Deal, strike_deal

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def deal(app: Sobremesa) -> Deal:
    return await strike_deal(app)
