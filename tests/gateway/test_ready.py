"""The cost of a ready snapshot: every row is read once, however many servers and channels there are."""

from __future__ import annotations

import pytest

from communities.world import requests
from gateway.conftest import LongTable
from gateway.town import Town
from sobremesa.glue import ready_snapshot


async def test_each_server_costs_a_ready_one_query_and_one_batch(town: Town, table: LongTable) -> None:
    async def cost() -> tuple[int, int]:
        with requests(town.app) as asked:
            async with town.connect(table.dora) as dora:
                ready = await dora.identify()
        assert all(len(server["channels"]) == 2 for server in ready["servers"])
        return asked["query"], asked["batch_get"]

    async def server() -> None:
        server_id = await town.server(table.ana, table.dora)
        for name in ("one", "two"):
            await town.channel(table.ana, server_id, name)

    await server()
    before = await cost()
    await server()
    await server()
    after = await cost()

    assert after[0] - before[0] <= 2
    assert after[1] - before[1] <= 2


async def test_ready_counts_unread_messages_in_a_bounded_number_of_channels(
    town: Town, table: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready_snapshot, "COUNTED_CHANNELS", 2)
    channels = [table.channel_id, *[await town.channel(table.ana, table.server_id, name) for name in ("b", "c", "d")]]
    for channel_id in channels[:3]:
        for text in ("one", "two"):
            await town.send(table.ana, channel_id, text)

    async with town.connect(table.bea) as bea:
        [server] = (await bea.identify())["servers"]

    counts = sorted((each["unread"]["count"], each["unread"]["capped"]) for each in server["channels"])
    assert counts == [(0, False), (1, True), (2, False), (2, False)]
