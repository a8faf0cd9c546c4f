"""`community` is a server whose channels are judged by `judge`, once on a file and once on DynamoDB's API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cheap import CHEAP
from communities.conftest import Ahead, clock, store  # noqa: F401 - fixtures
from communities.environment import Community, create_community
from moderation.environment import Script
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings


@pytest.fixture
def judge() -> Script:
    return Script()


@pytest.fixture
async def app(store: str, clock: Ahead, judge: Script, tmp_path: Path) -> AsyncIterator[Sobremesa]:  # noqa: F811
    settings = Settings(**CHEAP, rate_limits="off", moderation_seconds=0.5, files=(tmp_path / "files").as_uri())
    async with Sobremesa.open(store, settings=settings, clock=clock, judge=judge, background=False) as app:
        yield app


@pytest.fixture
async def community(app: Sobremesa) -> Community:
    return await create_community(app)
