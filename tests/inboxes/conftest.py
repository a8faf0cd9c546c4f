"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `shop` is a tenant with a key and people."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from inboxes.shop import Shop
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def shop(app: Sobremesa, clock: Ahead) -> Shop:
    return Shop(app, clock)
