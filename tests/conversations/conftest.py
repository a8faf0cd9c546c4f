"""`app` is a complete Sobremesa, once on a file and once on DynamoDB's API; `people` are Ana, Ben and Cleo."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from conversations.company import Company, meet
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def people(app: Sobremesa) -> Company:
    return await meet(app)
