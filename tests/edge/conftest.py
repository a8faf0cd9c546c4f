"""`client` is a client of the small API on a real server; `logged` is what the process logs meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
import structlog

from edge.running import running, site_of


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[dict[str, Any]]]:
    with structlog.testing.capture_logs() as lines:
        yield lines  # type: ignore[misc]


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with running(site_of(request_seconds=1.0)) as session:
        yield session
