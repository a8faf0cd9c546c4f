"""`desk` is a Sobremesa with a real mail server, once on a file and once on DynamoDB's API; its clock is set."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from communities.conftest import store
from mail.smtp_servers import Postbox, smtp_server
from notifications.desk import NOW_MS, Desk, mail_settings
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock

__all__ = ["store"]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW_MS)


@pytest.fixture
async def desk(store: str, clock: SetClock, tmp_path: Path) -> AsyncIterator[Desk]:
    postbox = Postbox()
    async with AsyncExitStack() as closing:
        port = await closing.enter_async_context(smtp_server(postbox))
        settings = mail_settings(
            port, files=(tmp_path / "files").as_uri(), records=f"sqlite:///{tmp_path / 'records.db'}"
        )

        async def open_app() -> Sobremesa:
            return await closing.enter_async_context(
                Sobremesa.open(store, settings=settings, clock=clock, background=False)
            )

        yield Desk(await open_app(), clock, postbox, open_app)


@pytest.fixture
def app(desk: Desk) -> Sobremesa:
    return desk.app
