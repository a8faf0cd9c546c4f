"""`product` is a product's backend at a server in this process, on each engine; `receiver` receives its webhooks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from communities.conftest import Ahead, app, clock, store
from gateway.served_app import ServedApp, serve_app
from sobremesa.domains.webhooks import sending
from sobremesa.work.consumers import handlers as consumers
from webhooks.product import Product, create_product
from webhooks.receiver import LOOPBACK, Receiver, receiving

__all__ = ["app", "clock", "store"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that nothing depends on are short."""
    monkeypatch.setattr(consumers, "FLUSH_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "PAUSE_SECONDS", 0.2)
    monkeypatch.setattr(sending, "POLL_SECONDS", 0.1)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def served(store: str, clock: Ahead, tmp_path: Path, quick: None) -> AsyncIterator[ServedApp]:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[words]]\nhint = "words"\naction = "block"\nwords = ["forbidden"]\n')
    async with serve_app(
        store,
        clock=clock,
        webhook_allow_networks=[LOOPBACK],
        moderation_policy=str(policy),
        files=(tmp_path / "files").as_uri(),
        records=f"sqlite:///{tmp_path / 'records.db'}",
    ) as served:
        yield served


@pytest.fixture
async def product(served: ServedApp) -> Product:
    return await create_product(served)
