"""Two processes at one file: both write, both see everything in one order, and neither can stop the other for long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import apsw
import pytest

from durability.chat import LAYOUT, SENDERS, Message, has, send, talk
from durability.child import last_lines_of, line_of, lines_until, started
from durability.inspection import inspect
from durability.other_process import follow
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine, writer
from sobremesa.table.engines.protocol import NEWEST, QueryRequest
from sobremesa.table.errors import StoreBusy

OTHER_PROCESS = "durability.other_process"
PATIENCE_SECONDS = 60.0
TURNS = 100


@asynccontextmanager
async def lock_held(store: Path) -> AsyncIterator[Callable[[], None]]:
    """Hold the write lock in another connection; yield the function that releases it."""
    connection = apsw.Connection(str(store))
    connection.execute("BEGIN IMMEDIATE")
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            yield lambda: _let_go(connection)
    finally:
        connection.close()


async def busy_since(engine: EmbeddedEngine) -> float:
    """Return since when the engine waits for the lock, once it does."""
    while (since := engine._writer._busy_since) is None:  # noqa: ASYNC110 - the engine has no event for it
        await asyncio.sleep(0.001)
    return since


def _let_go(connection: apsw.Connection) -> None:
    connection.execute("ROLLBACK")


async def test_two_processes_under_load_see_all_changes_of_both_in_one_order(
    engine: EmbeddedEngine, store: Path
) -> None:
    messages = 15
    transactions = 2 * messages * SENDERS
    acknowledged: list[Message] = []

    arguments = ("theirs", "ours", str(messages), str(transactions))
    with started(OTHER_PROCESS, "talk-and-follow", str(store), *arguments) as process:
        await asyncio.to_thread(lines_until, process, "ready")
        assert process.stdin
        process.stdin.write(b"go\n")
        theirs = asyncio.create_task(asyncio.to_thread(lines_until, process, "done"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            ours = asyncio.create_task(follow(engine, transactions))
            await talk(engine, "ours", acknowledged.append, messages=messages, beside="theirs")
            followed_here = await ours
        lines = await theirs

    followed_there = [line.removeprefix("change ") for line in lines if line.startswith("change ")]
    acknowledged += [Message.of_id(line) for line in lines if not line.startswith("change ")]
    found = inspect(store, acknowledged)
    assert followed_here == followed_there
    assert len(found.messages) == len(acknowledged) == transactions
    # They did write at the same time: neither had finished before the other began.
    runs = [message.run for message in found.messages]
    assert "ours" in runs[runs.index("theirs") :]
    assert "theirs" in runs[runs.index("ours") :]
    assert all([await has(engine, message) for message in acknowledged])


async def test_a_process_that_is_killed_under_load_beside_another_leaves_it_whole(
    engine: EmbeddedEngine, store: Path
) -> None:
    acknowledged: list[Message] = []
    with started("durability.sending_process", str(store), "theirs") as process:
        await asyncio.to_thread(lines_until, process, "ready")
        first = await asyncio.to_thread(line_of, process)

        def acknowledge(message: Message) -> None:
            acknowledged.append(message)
            if len(acknowledged) == 100:
                process.kill()

        await talk(engine, "ours", acknowledge, messages=20)
        lines = [first, *last_lines_of(process)]

    found = inspect(store, [*acknowledged, *map(Message.of_id, lines)])
    assert len(acknowledged) == 20 * SENDERS
    assert {message.run for message in found.messages} == {"ours", "theirs"}


async def test_process_killed_with_the_write_lock_does_not_block_others(engine: EmbeddedEngine, store: Path) -> None:
    await send(engine, Message("before", 0, 0))

    with started(OTHER_PROCESS, "hold", str(store)) as process:
        await asyncio.to_thread(lines_until, process, "holding")
        waiting = asyncio.create_task(send(engine, Message("during", 0, 0)))
        await busy_since(engine)
        assert not waiting.done()
        process.kill()
        await asyncio.wait_for(waiting, PATIENCE_SECONDS)

    assert [message.run for message in inspect(store).messages] == ["before", "during"]


async def test_event_loop_and_reads_continue_while_a_write_waits_for_the_lock(
    engine: EmbeddedEngine, store: Path
) -> None:
    before = Message("before", 0, 0)
    await send(engine, before)

    async with lock_held(store) as let_go:
        waiting = asyncio.gather(*(send(engine, Message("during", sender, 0)) for sender in range(SENDERS)))
        # A write that waited inside of the event loop would let none of these turns begin before the lock is free.
        for _ in range(TURNS):
            await asyncio.sleep(0.001)
            page = await engine.query(QueryRequest(pk=before.conversation))
            assert page.count == 3
        assert not waiting.done()
        let_go()
        await waiting

    assert len(inspect(store).messages) == SENDERS + 1


async def test_lock_held_beyond_the_deadline_is_reported_and_later_writes_work(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "BUSY_SECONDS", 0.2)
    messages = [Message("during", sender, 0) for sender in range(SENDERS)]

    async with lock_held(store) as let_go:
        asked_at = time.monotonic()
        outcomes = await asyncio.gather(*(send(engine, message) for message in messages), return_exceptions=True)
        waited = time.monotonic() - asked_at
        let_go()

    assert {type(outcome) for outcome in outcomes} == {StoreBusy}
    assert len({id(outcome) for outcome in outcomes}) == SENDERS, "each has its own traceback"
    assert waited >= 0.2
    assert inspect(store).messages == []
    await asyncio.gather(*(send(engine, message) for message in messages))
    assert len(inspect(store).messages) == SENDERS


async def test_the_deadline_is_counted_anew_for_each_time_the_lock_is_held(engine: EmbeddedEngine, store: Path) -> None:
    for number in range(3):
        async with lock_held(store) as let_go:
            held_at = asyncio.get_running_loop().time()
            waiting = asyncio.create_task(send(engine, Message("during", 0, number)))
            assert await busy_since(engine) >= held_at
            let_go()
            await waiting

    assert len(inspect(store).messages) == 3


async def test_a_waiting_reader_soon_sees_what_another_process_commits(engine: EmbeddedEngine, store: Path) -> None:
    other = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    waiting = asyncio.create_task((await engine.changes(NEWEST)).read(60.0))
    await asyncio.sleep(0)

    await send(other, Message("theirs", 0, 0))

    assert len((await asyncio.wait_for(waiting, PATIENCE_SECONDS)).changes) == 3
    await other.close()
    assert await has(engine, Message("theirs", 0, 0))


async def test_two_engines_that_create_a_store_at_once_share_it(store: Path) -> None:
    engines = await asyncio.gather(
        *(EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False) for _ in range(6))
    )

    await asyncio.gather(*(send(engine, Message(f"run{place}", 0, 0)) for place, engine in enumerate(engines)))

    assert len({engine._schema.store_id for engine in engines}) == 1
    for engine in engines:
        await engine.close()
    assert len(inspect(store).messages) == 6
