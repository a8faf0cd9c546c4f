"""`env` is a Sobremesa with a real mail server, once on a file and once on DynamoDB's API; its clock is set."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from communities.conftest import store
from mail.smtp_servers import MailSink, smtp_server
from notifications.environment import NOW_MS, DigestEnvironment, mail_settings
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock

__all__ = ["store"]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW_MS)


@pytest.fixture
async def env(store: str, clock: SetClock, tmp_path: Path) -> AsyncIterator[DigestEnvironment]:
    mail_sink = MailSink()
    async with AsyncExitStack() as closing:
        port = await closing.enter_async_context(smtp_server(mail_sink))
        settings = mail_settings(
            port, files=(tmp_path / "files").as_uri(), records=f"sqlite:///{tmp_path / 'records.db'}"
        )

        async def open_app() -> Sobremesa:
            return await closing.enter_async_context(
                Sobremesa.open(store, settings=settings, clock=clock, background=False)
            )

        yield DigestEnvironment(await open_app(), clock, mail_sink, open_app)


@pytest.fixture
def app(env: DigestEnvironment) -> Sobremesa:
    return env.app
