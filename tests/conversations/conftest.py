"""`app` is a complete Sobremesa, once on a file and once on DynamoDB's API; `users` are Ana, Ben and Cleo."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead, app, clock, store
from conversations.users import Users, create_users
from sobremesa.app import Sobremesa

__all__ = ["Ahead", "app", "clock", "store"]


@pytest.fixture
async def users(app: Sobremesa) -> Users:
    return await create_users(app)
