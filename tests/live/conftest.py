"""`store` is a fresh table on dynoxide, with a stream of one shard or several; nodes are processes that tests start."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from live.nodes import Community, community_beside


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set credentials, which the test endpoints ignore."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.fixture
def store(request: pytest.FixtureRequest) -> str:
    """A table of its own; on an endpoint with several shards, if the parameter is `sharded`."""
    endpoint = request.getfixturevalue(getattr(request, "param", "dynamodb_endpoint"))
    return f"dynamodb://live-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


@pytest.fixture
async def community(store: str, tmp_path: Path) -> AsyncIterator[Community]:
    async with community_beside(store, tmp_path) as community:
        yield community
