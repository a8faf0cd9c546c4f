"""The outbox: every change reaches its tab despite failures, and no tab moves back."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from records.environment import (
    BUYER,
    SELLER,
    SOON_SECONDS,
    THREAD,
    Environment,
    Roles,
    Shown,
    TablePanels,
    open_environment,
)
from servers import Endpoint
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.core.ids import Ids
from sobremesa.domains.records import outbox, snapshots
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.records.outbox import Outbox, ReplayResult, status_of
from sobremesa.domains.records.views import Tab
from sobremesa.table import Delete, Put, Table, open_engine

MAX_TAB_BYTES = 256 * 1024


@pytest.fixture
async def table(request: pytest.FixtureRequest, address: RecordsAddress, tmp_path: Path) -> AsyncIterator[Table]:
    """Embedded beside records in SQLite, in DynamoDB beside records in PostgreSQL: neither knows of the other."""
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    if address.postgres:
        endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
        store = f"dynamodb://records-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"
    engine = await open_engine(store, janitor=False)
    await engine.create_table()
    table = Table(engine)
    yield table
    await table.close()


async def pending(env: Environment) -> int:
    database = env.outbox._database
    return (await database.read(status_of)).pending


async def assert_fresh(env: Environment, tab: Tab, thread: str = THREAD) -> Shown:
    """Assert that the tab matches the current records."""
    shown, snapshot = await env.panels.tab(tab, thread), await env.outbox.snapshot(thread, tab)
    assert shown is not None
    assert snapshot is not None
    assert (shown.content, shown.source_version) == (snapshot.content, snapshot.source_version)
    return shown


async def test_replay_writes_changes_and_leaves_nothing_pending(env: Environment) -> None:
    created = await env.records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it.")
    await env.records.sign(BUYER, THREAD, created.document_id, version=1)
    await env.spend(1250)

    assert await env.outbox.replay() == ReplayResult(written=2, failed=0)

    docs = await assert_fresh(env, "docs")
    assert docs.source_version == 2
    assert docs.content["documents"][0]["signatures"][0]["userId"] == "buyer-1"
    assert "body" not in docs.content["documents"][0]
    expenses = await assert_fresh(env, "expenses")
    assert expenses.content["totals"] == [{"currency": "EUR", "state": "submitted", "amount": 1250, "count": 1}]
    assert await pending(env) == 0
    assert await env.outbox.replay() == ReplayResult(written=0, failed=0)


async def test_next_process_replays_after_a_crash(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table) as first:
        await first.spend()
        assert await first.panels.tab("expenses") is None

    async with open_environment(address, table) as second:
        await second.outbox.replay()
        await assert_fresh(second, "expenses")


async def test_failed_write_of_a_tab_stays_pending(env: Environment) -> None:
    await env.spend()
    env.panels.broken = True

    assert await env.outbox.replay() == ReplayResult(written=0, failed=1)
    assert await pending(env) == 1
    env.panels.broken = False

    assert await env.outbox.replay() == ReplayResult(written=1, failed=0)
    await assert_fresh(env, "expenses")


async def test_crash_between_write_and_mark_is_harmless(env: Environment) -> None:
    await env.spend()
    snapshot = await env.outbox.snapshot(THREAD, "expenses")
    assert snapshot is not None
    await env.panels.put_snapshot(THREAD, "expenses", *snapshot)

    assert await env.outbox.replay() == ReplayResult(written=0, failed=0)

    assert await pending(env) == 0
    assert env.panels.versions == [1]


async def test_repeated_and_late_writes_never_move_a_tab_back(env: Environment) -> None:
    snapshots = []
    for amount in (1, 2, 3):
        await env.spend(amount)
        snapshots.append(await env.outbox.snapshot(THREAD, "expenses"))
    await env.outbox.replay()

    for snapshot in (*snapshots, *reversed(snapshots)):
        assert snapshot is not None
        assert not await env.panels.put_snapshot(THREAD, "expenses", *snapshot)

    assert (await assert_fresh(env, "expenses")).source_version == 3


async def test_failing_thread_delays_no_other(env: Environment) -> None:
    class Picky(TablePanels):
        async def put_snapshot(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
            if thread_id == "thread-0":
                raise RuntimeError("not this one")
            return await super().put_snapshot(thread_id, tab, content, source_version)

    for number in range(3):
        await env.spend(thread=f"thread-{number}")
    picky = Outbox(env.outbox._database, SystemClock(), Picky(env.panels.table))

    assert await picky.replay() == ReplayResult(written=2, failed=1)
    await assert_fresh(env, "expenses", "thread-2")
    assert await pending(env) == 1


async def test_more_tabs_than_a_page_are_all_written(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "PANELS_A_PAGE", 5)
    await asyncio.gather(*(env.spend(thread=f"thread-{number:03d}") for number in range(12)))

    assert await env.outbox.replay() == ReplayResult(written=12, failed=0)
    assert await pending(env) == 0


async def test_concurrent_replays_and_writes(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table) as one, open_environment(address, table) as two:

        async def write(env: Environment) -> None:
            for number in range(8):
                await env.spend(number + 1, thread=f"thread-{number % 3}")

        async def replay(env: Environment) -> int:
            return sum([(await env.outbox.replay()).failed for _ in range(6)])

        _, failed, failed_too, also = await asyncio.gather(
            asyncio.gather(write(one), write(two)), replay(one), replay(two), replay(two)
        )
        assert (failed, failed_too, also) == (0, 0, 0)
        await one.outbox.replay()

        assert await pending(one) == 0
        for number in range(3):
            await assert_fresh(one, "expenses", f"thread-{number}")


async def test_concurrent_replay_skips_or_repeats_a_tab(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table) as one, open_environment(address, table) as two:
        await one.spend()
        showing, go_on = asyncio.Event(), asyncio.Event()

        class Slow(TablePanels):
            async def put_snapshot(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
                showing.set()
                await go_on.wait()
                return await super().put_snapshot(thread_id, tab, content, source_version)

        slow = asyncio.create_task(Outbox(one.outbox._database, SystemClock(), Slow(table)).replay())
        await showing.wait()
        other = await asyncio.wait_for(two.outbox.replay(), SOON_SECONDS)
        writing = await asyncio.wait_for(two.spend(), SOON_SECONDS)
        go_on.set()

        # PostgreSQL skips locked rows; SQLite writes twice, and the second write changes nothing.
        assert other.written == (0 if address.postgres else 1)
        assert await slow == ReplayResult(written=1 if address.postgres else 0, failed=0)
        assert writing.amount == 1250
        await two.outbox.replay()
        await assert_fresh(two, "expenses")
        assert await pending(two) == 0


async def test_background_replay_follows_a_commit_at_once(address: RecordsAddress, table: Table) -> None:
    clock = SystemClock()
    panels = TablePanels(table)
    store = RecordsStore(address, clock, Ids(clock), parties=Roles(), panels=panels)
    running = asyncio.create_task(store.run())
    try:
        records = store.records
        created = await records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it.")
        await panels.until(lambda: panels.versions == [1])
        await records.sign(BUYER, THREAD, created.document_id, version=1)
        await panels.until(lambda: panels.versions == [1, 2])
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        await store.close()


async def test_background_replay_retries_failures(env: Environment) -> None:
    env.panels.broken = True
    patient = Outbox(env.outbox._database, SystemClock(), env.panels, poll_seconds=0.01)
    running = asyncio.create_task(patient.run())
    try:
        await env.records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it.")
        await env.panels.until(lambda: env.panels.failures >= 2)
        env.panels.broken = False
        await env.panels.until(lambda: env.panels.versions == [1])
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def test_a_snapshot_shows_the_newest_and_counts_the_rest(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MAX_ENTRIES", 20)
    for start in range(0, 25, 5):
        await asyncio.gather(*(env.spend(1 + start + number) for number in range(5)))

    await env.outbox.replay()

    tab = await assert_fresh(env, "expenses")
    assert (len(tab.content["expenses"]), tab.content["truncated"]) == (20, True)
    assert tab.content["counts"] == {"expenses": 25}
    assert tab.content["totals"][0]["count"] == 25
    newest = await env.records.list_expenses(BUYER, THREAD, limit=1)
    assert tab.content["expenses"][0]["expenseId"] == newest.items[0].expense_id


async def test_a_snapshot_is_never_larger_than_a_tab_may_be(env: Environment) -> None:
    wordy = "ñ" * 4000
    accepted_at = (await env.spend()).created_at
    for _ in range(26):
        await env.spend(title=wordy)
    for number in range(14):
        await env.records.create_document(SELLER, THREAD, title=wordy, kind="other", body="x")
        await env.records.record_amendment(
            THREAD,
            card_message_id=f"01J{number}",
            summary=wordy,
            payload={"text": wordy},
            accepted_by="buyer-1",
            accepted_at=accepted_at,
        )

    await env.outbox.replay()

    for tab in ("docs", "expenses"):
        shown = await assert_fresh(env, tab)
        assert shown.content["truncated"]
        assert 100_000 < len(msgspec.json.encode(shown.content)) < MAX_TAB_BYTES


async def test_rebuild_repairs_lost_damaged_and_too_new_tabs(env: Environment) -> None:
    for number in range(3):
        await env.spend(thread=f"thread-{number}")
    await env.outbox.replay()
    table = env.panels.table
    await table.write(Delete(Shown.key(thread_id="thread-0", tab="expenses")))
    for thread, version in (("thread-1", 1), ("thread-2", 999_999)):
        await table.write(Put(Shown(thread_id=thread, tab="expenses", content={"what": "?"}, source_version=version)))

    rebuilt = [one async for one in env.outbox.rebuild()]

    assert len(rebuilt) == await env.outbox.count_panels() == 3
    assert all(one.written for one in rebuilt)
    for number in range(3):
        await assert_fresh(env, "expenses", f"thread-{number}")
    assert await pending(env) == 0
    before = await env.source_version("expenses", "thread-1")
    await env.spend(thread="thread-1")
    assert await env.source_version("expenses", "thread-1") == before + 1


async def test_rebuild_of_one_thread_leaves_the_others(env: Environment) -> None:
    for thread in ("thread-0", "thread-1"):
        await env.spend(thread=thread)
    await env.outbox.replay()

    rebuilt = [one async for one in env.outbox.rebuild("thread-1")]

    assert [one.panel for one in rebuilt] == [("thread-1", "expenses")]
    assert await env.outbox.count_panels("thread-1") == 1
    assert await env.source_version("expenses", "thread-0") == 1


async def test_applied_rows_are_deleted_after_a_week(address: RecordsAddress, table: Table) -> None:
    clock = SetClock()
    async with open_environment(address, table, clock=clock) as env:
        for _ in range(2):
            await env.spend()
            await env.outbox.replay()
        assert await kept(env) == 2
        clock.move(seconds=8 * 86400)
        await env.spend()
        await env.outbox.replay()

        assert await kept(env) == 1


async def kept(env: Environment) -> int:
    async def look(connection: AsyncConnection) -> int:
        counted: int = (await connection.execute(text("SELECT count(*) FROM outbox"))).scalar_one()
        return counted

    return await env.outbox._database.read(look)
