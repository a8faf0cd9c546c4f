"""`app` is a whole Sobremesa, once on a file and once on DynamoDB's API; `before` is a workspace beside old rows."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from migration.before import Before, fill
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def before(app: Sobremesa) -> Before:
    return await fill(app, 30)
