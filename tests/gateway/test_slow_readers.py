"""Clients that resume and never read do not hold up others."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack

import pytest

from gateway.conftest import SharedChannel
from gateway.connection import Connection
from gateway.raw import TEXT, RawSocket, frame
from gateway.served_app import ServedApp
from sobremesa.live import admission, identify, replay

MESSAGES = 60
LONG = "x" * 3900


pytestmark = pytest.mark.usefixtures("small_buffers")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "PART_BYTES", 4000)


async def missed_much(served: ServedApp, shared: SharedChannel) -> Connection:
    """Return a session of Bea that has missed more than a socket buffers."""
    async with served.connect(shared.bea) as before:
        await before.identify()
    await asyncio.gather(*(served.send(shared.ana, shared.channel_id, LONG) for _ in range(MESSAGES)))
    return before


async def resume_and_never_read(raw: RawSocket, before: Connection) -> None:
    assert await raw.handshake() == 101
    raw.stop_reading()
    asked = {"token": before.token, "sessionId": before.session_id, "s": before.s}
    await raw.send(frame(TEXT, json.dumps({"op": 6, "d": asked}).encode()))


async def test_slow_resumes_do_not_block_other_clients(served: ServedApp, shared: SharedChannel) -> None:
    before = await missed_much(served, shared)
    hub, bea = served.app.live.hub, shared.bea.user.user_id
    async with AsyncExitStack() as sockets:
        for _ in range(admission.AT_ONCE + 1):
            raw = await sockets.enter_async_context(RawSocket(served.url, receive_bytes=4096))
            await resume_and_never_read(raw, before)
        while hub.attaching_of(bea) <= admission.AT_ONCE:  # noqa: ASYNC110 - polled: there is no signal
            await asyncio.sleep(0)
        async with served.connect(shared.carl) as carl:
            await carl.identify()


async def test_resume_that_is_not_read_is_closed(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "DRAIN_SECONDS", 0.05)
    before = await missed_much(served, shared)
    async with RawSocket(served.url, receive_bytes=4096) as raw:
        await resume_and_never_read(raw, before)
        while not (arriving := served.app.live.hub.attaching_of(shared.bea.user.user_id)):  # noqa: ASYNC110
            await asyncio.sleep(0)
        while arriving:
            await asyncio.sleep(0)
            arriving = served.app.live.hub.attaching_of(shared.bea.user.user_id)
        raw.read_again()
        assert await raw.close_code() == 4015


async def test_more_resumes_of_one_user_than_allowed_are_closed(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identify, "ATTACHING_AT_ONCE", 1)
    before = await missed_much(served, shared)
    async with RawSocket(served.url, receive_bytes=4096) as raw:
        await resume_and_never_read(raw, before)
        while not served.app.live.hub.attaching_of(shared.bea.user.user_id):  # noqa: ASYNC110 - polled: there is no signal
            await asyncio.sleep(0)
        async with served.connect(shared.bea) as again:
            await again.frame()
            await again.send(2, {"token": shared.bea.access_token})
            assert (await again.closed()).code == 4008
