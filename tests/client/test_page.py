"""The examples of the client's page run from top to bottom."""

from __future__ import annotations

import inspect
from pathlib import Path

from api.running import serving
from test_docs import python_blocks

PAGE = Path(__file__).parents[2] / "docs" / "client.md"


async def test_every_example_of_the_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    blocks = python_blocks(PAGE)
    assert len(blocks) == 4
    with serving("sqlite://", tmp_path / "server.log") as server:
        env: dict[str, object] = {"__name__": "docs_client", "address": server.url}
        for block in blocks:
            outcome = eval(block, env)
            assert inspect.iscoroutine(outcome)
            await outcome
