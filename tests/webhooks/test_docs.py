"""The receiver of the documentation accepts what is sent, once, and refuses what is forged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from test_docs import python_blocks
from webhooks.product import Product
from webhooks.receiver import Receiver

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"


@pytest.fixture
def receive() -> Callable[[str, dict[str, str], bytes], int]:
    [block] = python_blocks(PAGE)
    env: dict[str, Any] = {"__name__": "docs_webhooks"}
    exec(block, env)
    found: Callable[[str, dict[str, str], bytes], int] = env["receive"]
    return found


async def test_receiver_of_the_documentation_works(
    product: Product,
    receiver: Receiver,
    receive: Callable[[str, dict[str, str], bytes], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    secret = ""
    receiver.answer = lambda received: receive(secret, received.headers, received.raw)
    secret = (await product.hook(receiver.url))["secret"]
    await product.send("Hello")
    await receiver.until_accepted("Hello")

    [received] = receiver.accepted
    assert "ana Hello" in capsys.readouterr().out
    assert receive(secret, received.headers, received.raw) == 204
    assert "Hello" not in capsys.readouterr().out, "the second time is ignored"
    assert receive(secret, received.headers, received.raw + b" ") == 400
