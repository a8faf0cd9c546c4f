"""The project panel: snapshots whose version only grows."""

from __future__ import annotations

import asyncio
import json
from typing import Any, get_args

import pytest

from sobremesa.core.errors import NotFound, StaleVersion, TooBig
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import TabName
from sobremesa.domains.threads.errors import Blocked, SystemTab, ThreadNotOpen
from sobremesa.domains.threads.tabs import MAX_CONTENT_BYTES, Content
from threads.conftest import Ahead
from threads.environment import Deal, at, requests

NESTED: dict[str, Any] = {
    "title": "The kitchen ☕",
    "half": 0.1,
    "third": 1 / 3,
    "tiny": 5e-100,
    "large": 1.7976931348623157e15,
    "whole": 12345678901234567890,
    "negative": -0.5,
    "none": None,
    "yes": True,
    "list": [1, 2.5, [], {}, "", [None, [False, {"deep": [0.25]}]]],
    "empty": {},
}


async def test_nested_json_is_returned_unchanged(deal: Deal) -> None:
    contents: list[Content] = [NESTED, [NESTED, 1.5], {}, []]
    for version, content in enumerate(contents, start=1):
        await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "brief", content, source_version=version)
        tab = await deal.app.threads.tabs.get(deal.seller, deal.thread_id, "brief")

        assert tab.content == content
        assert json.loads(json.dumps(tab.content)) == content
        assert (tab.source_version, tab.updated_by) == (version, deal.buyer.user_id)

    # An integer is the same number however it was written: clients that parse doubles get the same one.
    await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "brief", [1e100, 2.0], source_version=9)
    huge, two = (await deal.app.threads.tabs.get(deal.seller, deal.thread_id, "brief")).content
    assert (float(json.dumps(huge)), two) == (1e100, 2)


async def test_tab_version_only_grows(deal: Deal) -> None:
    put = deal.app.threads.tabs.put
    await put(deal.buyer, deal.thread_id, "shotlist", {"shots": 1}, source_version=5)

    for version in (5, 4, 1):
        with pytest.raises(StaleVersion) as refused:
            await put(deal.seller, deal.thread_id, "shotlist", {"shots": 0}, source_version=version)
        assert refused.value.data["current"]["sourceVersion"] == 5
    await put(deal.seller, deal.thread_id, "shotlist", {"shots": 2}, source_version=9)
    assert (await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "shotlist")).content == {"shots": 2}


async def test_newest_version_of_concurrent_writes_stays(deal: Deal) -> None:
    outcomes = await asyncio.gather(
        *(
            deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "files", {"version": version}, source_version=version)
            for version in range(1, 13)
        ),
        return_exceptions=True,
    )

    assert {type(one) for one in outcomes if isinstance(one, BaseException)} <= {StaleVersion}
    tab = await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "files")
    assert (tab.content, tab.source_version) == ({"version": 12}, 12)


async def test_tab_of_256_kb_is_stored_and_a_larger_one_refused(deal: Deal) -> None:
    room = MAX_CONTENT_BYTES - len(json.dumps({"text": ""}, separators=(",", ":")))
    await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "moodboard", {"text": "x" * room}, source_version=1)

    with pytest.raises(TooBig) as refused:
        await deal.app.threads.tabs.put(
            deal.buyer, deal.thread_id, "moodboard", {"text": "x" * (room + 1)}, source_version=2
        )
    assert refused.value.data == {"limit": MAX_CONTENT_BYTES}
    numbers = [1] * (MAX_CONTENT_BYTES // 2 - 1)
    await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "moodboard", numbers, source_version=3)


async def test_only_the_system_writes_system_tabs(deal: Deal) -> None:
    tabs, thread_id = deal.app.threads.tabs, deal.thread_id
    names: tuple[TabName, ...] = ("docs", "expenses", "actions")
    for name in names:
        with pytest.raises(SystemTab):
            await tabs.put(deal.admin, thread_id, name, {}, source_version=1)
        with pytest.raises(NotFound):
            await tabs.put(deal.stranger, thread_id, name, {}, source_version=1)

    await deal.app.threads.set_status(deal.buyer, thread_id, "locked")
    assert await tabs.put_snapshot(thread_id, "docs", {"signed": []}, 3)
    assert not await tabs.put_snapshot(thread_id, "docs", {"signed": [1]}, 3)
    assert not await tabs.put_snapshot(thread_id, "docs", {"signed": [1]}, 2)
    assert await tabs.put_snapshot(thread_id, "docs", {"signed": [2]}, 4)
    assert (await tabs.get(deal.buyer, thread_id, "docs")).content == {"signed": [2]}
    assert not await tabs.put_snapshot(RoomId("01NOTHREAD"), "docs", {}, 9)
    rows = [item async for item in deal.app.table.scan(consistent=True) if item["sk"] == "TAB#docs"]
    assert len(rows) == 1


async def test_panel_is_read_with_one_query(deal: Deal) -> None:
    names = get_args(TabName)
    for name in names[:4]:
        await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, name, {"tab": name}, source_version=1)
    await deal.app.threads.tabs.put_snapshot(deal.thread_id, "expenses", {"tab": "expenses"}, 1)

    with requests(deal.app) as asked:
        panel = await deal.app.threads.tabs.open_panel(deal.seller, deal.thread_id)

    assert dict(asked) == {"batch_get": 1, "query": 1}
    assert [tab.tab for tab in panel] == [*names[:4], "expenses"]
    assert [tab.content for tab in panel] == [{"tab": tab.tab} for tab in panel]
    empty = await deal.app.threads.tabs.get(deal.seller, deal.thread_id, "docs")
    assert (empty.content, empty.source_version) == (None, 0)
    for call in (
        lambda: deal.app.threads.tabs.open_panel(deal.stranger, deal.thread_id),
        lambda: deal.app.threads.tabs.get(deal.stranger, deal.thread_id, "brief"),
    ):
        with pytest.raises(NotFound):
            await call()


async def test_participant_who_cannot_send_cannot_write_a_tab(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = deal.app.threads.tabs.put
    until = at(clock.now_ms() + 60_000)
    await deal.app.threads.participants.change(deal.buyer, deal.thread_id, deal.seller.user_id, blocked_until=until)
    with pytest.raises(Blocked):
        await put(deal.seller, deal.thread_id, "brief", {}, source_version=1)

    write = deal.app.table.write

    async def locking(*operations: Any, **options: Any) -> Any:
        monkeypatch.setattr(deal.app.table, "write", write)
        await deal.app.threads.set_status(deal.admin, deal.thread_id, "locked")
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", locking)
    with pytest.raises(ThreadNotOpen):
        await put(deal.buyer, deal.thread_id, "brief", {}, source_version=1)
    assert (await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "brief")).source_version == 0


async def test_tab_content_is_stored_as_one_value(deal: Deal) -> None:
    """Each part of a nested value is a step for the engines, on the event loop: 256 KB of it were 150 ms."""
    content = {"shots": [{"title": "The kitchen", "n": number, "half": 0.5} for number in range(3)]}
    await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "shotlist", content, source_version=1)
    await deal.app.threads.tabs.put_snapshot(deal.thread_id, "docs", content, 1)

    rows = {row["sk"]: row for row in await deal.rows()}
    assert isinstance(rows["TAB#shotlist"]["content"], str)
    assert isinstance(rows["TAB#docs"]["content"], str)
    for tab in await deal.app.threads.tabs.open_panel(deal.seller, deal.thread_id):
        assert tab.content == content
