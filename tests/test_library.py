"""The examples of docs/library.md run from top to bottom."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.rooms.errors import ClockBehind
from sobremesa.rooms.sending import Draft
from test_docs import python_blocks

PAGE = Path(__file__).parent.parent / "docs" / "library.md"


async def test_every_example_of_the_library_page_runs_from_top_to_bottom() -> None:
    blocks = python_blocks(PAGE)
    assert len(blocks) == 4
    env: dict[str, object] = {"__name__": "docs_library"}
    for block in blocks:
        outcome = eval(block, env)
        if inspect.iscoroutine(outcome):
            await outcome


def test_the_package_exports_its_main_names_and_imports_them_on_first_use() -> None:
    program = (
        "import sys, sobremesa.table\n"
        "assert 'sobremesa.app' not in sys.modules\n"
        "from sobremesa import Actor, Draft, Settings, Sobremesa\n"
        "assert not hasattr(sobremesa, 'missing')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


async def test_custom_clock_sets_the_times_of_messages_or_refuses_them() -> None:
    """An import of a history keeps its times: none is changed silently."""
    clock = SetClock()
    async with Sobremesa.open("sqlite://", clock=clock, background=False) as app:
        ana = (await app.accounts.register(email="ana@example.com", username="ana", password="correct horse")).actor
        server = await app.communities.create_server(ana, name="History")
        channel = (await app.communities.create_channel(ana, server.server_id, name="old")).channel.channel_id
        sent = []
        for _ in range(3):
            clock.move(seconds=3600)
            sent.append(clock.now())
            await app.communities.send(ana, channel, Draft("in order"))

        clock.move(seconds=-5400)
        with pytest.raises(ClockBehind):
            await app.communities.send(ana, channel, Draft("too late"))

        page = await app.communities.page(ana, channel, limit=10)
        assert [message.created_at for message in reversed(page.messages)] == sent
