"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `shop` is a tenant with a key and users."""

from __future__ import annotations

import pytest

from communities.conftest import app, store
from inboxes.shop import NOW_MS, Shop
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock

__all__ = ["app", "store"]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW_MS)


@pytest.fixture
async def shop(app: Sobremesa, clock: SetClock) -> Shop:
    return Shop(app, clock)
