"""The example of the page about bots runs as it is."""

from __future__ import annotations

import inspect
from pathlib import Path

from api.running import serving
from test_docs import python_blocks

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"


async def test_example_of_the_page_runs(tmp_path: Path) -> None:
    [block] = python_blocks(PAGE)
    with serving("sqlite://", tmp_path / "server.log") as server:
        outcome = eval(block, {"__name__": "docs_bots", "address": server.url})
        assert inspect.iscoroutine(outcome)
        await outcome
