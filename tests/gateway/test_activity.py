"""Reports of activity in crowded servers, with a hub that the test steps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from cheap import CHEAP
from gateway.conftest import SharedChannel, shared_channel
from gateway.served_app import ServedApp
from gateway.test_hub import subscribe
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.communities.privacy import AccessList

ACTIVITY = "channel.activity"


@pytest.fixture
async def served(store: str) -> AsyncIterator[ServedApp]:
    settings = Settings(**CHEAP, store=store, rate_limits="off", lazy_delivery_above=0)
    async with Sobremesa.open(settings=settings, background=False) as app, aiohttp.ClientSession() as http:
        await app.live.hub.open()
        yield ServedApp(app, "", http)


@pytest.fixture
async def shared(served: ServedApp) -> SharedChannel:
    return await shared_channel(served)


async def test_report_waits_until_it_is_known_who_sees_the_channel(served: ServedApp, shared: SharedChannel) -> None:
    hub, privacy = served.app.live.hub, served.app.communities.privacy
    private = await served.channel(shared.ana, shared.server_id, "private")
    both = [shared.bea.user.user_id, shared.carl.user.user_id]
    await privacy.change(shared.ana.actor, private, AccessList([], both))
    bea, carl = await subscribe(served, shared.bea), await subscribe(served, shared.carl)
    await hub.step()
    await served.send(shared.ana, private, "seen by both")
    await hub.step()

    await privacy.change(shared.ana.actor, private, AccessList([], both[1:]))
    reporting = asyncio.create_task(hub.lazy.run())
    for _ in range(100):
        await asyncio.sleep(0)
    assert ACTIVITY not in bea.names + carl.names

    await hub.step()
    async with asyncio.timeout(60):
        while ACTIVITY not in carl.names:
            await asyncio.wait((reporting,), timeout=0.01)
    assert ACTIVITY not in bea.names
    reporting.cancel()


async def test_one_frame_is_made_for_all_subscribers_of_a_topic(served: ServedApp, shared: SharedChannel) -> None:
    """What a message costs those who do not look: nothing until the report, and then one flush."""
    hub = served.app.live.hub
    await hub.step()  # what happened before
    subscribers = [await subscribe(served, who) for who in (shared.bea, shared.carl) for _ in range(10)]
    sent = [await served.send(shared.ana, shared.channel_id, f"{number}") for number in range(30)]
    await hub.step()
    assert [subscriber.flushes for subscriber in subscribers] == [0] * len(subscribers)

    reporting = asyncio.create_task(hub.lazy.run())
    async with asyncio.timeout(60):
        while not all(subscriber.received for subscriber in subscribers):
            await asyncio.wait((reporting,), timeout=0.01)
    for subscriber in subscribers:
        assert (subscriber.names, subscriber.flushes) == ([ACTIVITY], 1)
        [channel] = subscriber.received[0]["d"]["channels"]
        assert channel["after"] < sent[0] <= channel["until"] == sent[-1]
    reporting.cancel()
