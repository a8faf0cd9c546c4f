"""The page about the library is true: its examples run from top to bottom."""

import inspect
from pathlib import Path

from test_docs import python_blocks

PAGE = Path(__file__).parent.parent / "docs" / "library.md"


async def test_every_example_of_the_library_page_runs_from_top_to_bottom() -> None:
    blocks = python_blocks(PAGE)
    assert len(blocks) == 2
    world: dict[str, object] = {"__name__": "docs_library"}
    for block in blocks:
        outcome = eval(block, world)
        if inspect.iscoroutine(outcome):
            await outcome
