"""`app` is a complete Sobremesa, once on a file and once on DynamoDB's API; `community` is a server with members."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cheap import CHEAP
from communities.environment import Community, create_community
from servers import Endpoint
from servers.sharded import ShardingProxy
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import Settings


class Ahead(SystemClock):
    """The machine's clock, plus an offset that a test sets; it can be stopped."""

    def __init__(self) -> None:
        self._ahead_ms = 0
        self._stopped_ms: int | None = None

    def now_ms(self) -> int:
        return (super().now_ms() if self._stopped_ms is None else self._stopped_ms) + self._ahead_ms

    def stop(self) -> None:
        self._stopped_ms = super().now_ms()

    def move(self, *, seconds: float) -> None:
        self._ahead_ms += round(seconds * 1000)


@pytest.fixture
def clock() -> Ahead:
    return Ahead()


@pytest.fixture(params=["embedded", "dynamodb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "embedded":
        return f"sqlite:///{tmp_path / 'chat.db'}"
    # A test may also have `sharded` as its store: a stream of several shards.
    name = "sharded" if request.param == "sharded" else "dynamodb_endpoint"
    endpoint: Endpoint | ShardingProxy = request.getfixturevalue(name)
    return f"dynamodb://sobremesa-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


@pytest.fixture
async def app(store: str, clock: Ahead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sobremesa]:
    # In place of the machine's clock: one that an application passes in may not step back.
    monkeypatch.setattr("sobremesa.app.store.SystemClock", lambda: clock)
    settings = Settings(
        **CHEAP,
        rate_limits="off",
        mail="console",
        files=(tmp_path / "files").as_uri(),
        records=f"sqlite:///{tmp_path / 'records.db'}",
    )
    async with Sobremesa.open(store, settings=settings, background=False) as app:
        yield app


@pytest.fixture
async def community(app: Sobremesa) -> Community:
    return await create_community(app)
