"""Several nodes share the webhooks of one table, and no event is sent twice in normal operation."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from gateway.served_app import serve_app
from sobremesa.domains.webhooks import sending
from webhooks.product import create_product
from webhooks.receiver import LOOPBACK, Received, Receiver

HOOKS = ("/0", "/1", "/2", "/3")
MESSAGES = 20


@pytest.mark.parametrize("store", ["dynamodb"], indirect=True)
async def test_two_nodes_share_the_work_and_send_nothing_twice(
    store: str, receiver: Receiver, tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A node that serves one webhook at a time leaves the others to the other node.
    monkeypatch.setattr(sending, "HOOKS_AT_ONCE", 1)
    files = (tmp_path / "files").as_uri()
    both_at_once = asyncio.Event()

    async def answer(received: Received) -> int:
        if len({each.path for each in receiver.requests}) >= 2:
            both_at_once.set()
        await both_at_once.wait()
        return 200

    receiver.answer = answer
    async with (
        serve_app(store, webhook_allow_networks=[LOOPBACK], files=files) as one,
        serve_app(store, webhook_allow_networks=[LOOPBACK], files=files) as two,
    ):
        product = await create_product(one)
        for path in HOOKS:
            await product.hook(receiver.url + path)
        await product.send(*(str(number) for number in range(MESSAGES)))
        await receiver.until(lambda: len(receiver.accepted) >= MESSAGES * len(HOOKS))
        usages = [node.app.webhook_delivery.usage for node in (one, two)]

    assert Counter(Counter((each.path, each.id) for each in receiver.requests).values()) == {1: MESSAGES * len(HOOKS)}
    assert all(usage.attempts["delivered"] > 0 for usage in usages)
    for path in HOOKS:
        contents = [int(each.content) for each in receiver.accepted if each.path == path]
        assert contents == list(range(MESSAGES))
