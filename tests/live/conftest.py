"""`store` is a fresh table on dynoxide; nodes are started by the tests, each in a process of its own."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from live.nodes import Community, community_beside
from servers import Endpoint


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set credentials, which the test endpoints ignore."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.fixture
def store(dynamodb_endpoint: Endpoint) -> str:
    return f"dynamodb://live-{uuid.uuid4().hex}?region=eu-west-1&endpoint={dynamodb_endpoint.url}"


@pytest.fixture
async def community(store: str, tmp_path: Path) -> AsyncIterator[Community]:
    async with community_beside(store, tmp_path) as community:
        yield community
