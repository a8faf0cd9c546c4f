"""The queue of waiting writes: when it is full, when a waiting task is cancelled, and when the store is closed."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from durability.chat import LAYOUT, SENDERS, Message, has, operations, send, talk
from durability.inspection import inspect
from sobremesa.core.clock import SystemClock
from sobremesa.table.conditions import absent, present
from sobremesa.table.engines.embedded import EmbeddedEngine, writer
from sobremesa.table.engines.embedded.batch import Batch
from sobremesa.table.engines.embedded.rows import RowChange
from sobremesa.table.engines.protocol import (
    OLDEST,
    DeleteItem,
    ItemWrite,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    UpdateItem,
)
from sobremesa.table.errors import ConditionFailed, StoreBusy, StoreClosed, StoreError
from sobremesa.table.layout import gsi1
from sobremesa.table.updates import add, set_to

SOON_SECONDS = 60.0


async def turns(count: int) -> None:
    """Let everything else have so many turns of the event loop."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_when_the_queue_is_full_submitters_wait_and_nothing_is_lost(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 4)
    monkeypatch.setattr(writer, "MAX_BATCH", 3)
    longest = 0
    acknowledged: list[Message] = []

    def acknowledge(message: Message) -> None:
        nonlocal longest
        longest = max(longest, len(engine._writer._waiting))
        acknowledged.append(message)

    async with asyncio.timeout(30):
        await talk(engine, "run", acknowledge, senders=100, messages=5)

    assert 0 < longest <= 4
    assert len(acknowledged) == 500
    assert set(inspect(store).messages) == set(acknowledged)


async def test_a_full_queue_holds_no_more_than_its_bound_while_the_lock_is_held(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 4)
    holder = apsw.Connection(str(store))
    holder.execute("BEGIN IMMEDIATE")

    sending = asyncio.gather(*(send(engine, Message("run", sender, 0)) for sender in range(SENDERS)))
    await turns(20)
    assert len(engine._writer._waiting) == 4
    holder.execute("ROLLBACK")
    holder.close()
    await asyncio.wait_for(sending, SOON_SECONDS)

    assert len(inspect(store).messages) == SENDERS


async def test_a_task_that_is_cancelled_while_it_waits_for_space_leaves_the_others_unharmed(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 2)
    tasks = {
        message: asyncio.create_task(send(engine, message))
        for message in (Message("run", sender, 0) for sender in range(SENDERS))
    }
    await asyncio.sleep(0)

    cancelled = [message for message in tasks if message.sender % 3 == 2]
    for message in cancelled:
        tasks[message].cancel()
    await asyncio.wait_for(asyncio.wait(tasks.values()), SOON_SECONDS)

    assert set(inspect(store).messages) == set(tasks) - set(cancelled)


@pytest.mark.parametrize("seed", range(5))
async def test_cancelled_write_is_done_wholly_or_not_at_all_and_affects_no_other(
    engine: EmbeddedEngine, store: Path, seed: int
) -> None:
    chance = random.Random(seed)
    acknowledged: list[Message] = []

    async def acknowledged_send(message: Message) -> None:
        await send(engine, message)
        acknowledged.append(message)

    # Every user sends one message only, so that a cancelled one leaves no gap.
    tasks = [asyncio.create_task(acknowledged_send(Message(f"run{sender}", sender, 0))) for sender in range(300)]
    cancelled = chance.sample(tasks, 100)
    for task in cancelled:
        await turns(chance.randrange(2))
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    assert {type(outcome) for outcome in outcomes} <= {type(None), asyncio.CancelledError}
    assert len(acknowledged) >= 200
    inspect(store, acknowledged)


async def test_task_cancelled_in_the_queue_has_written_nothing(engine: EmbeddedEngine, store: Path) -> None:
    tasks = [asyncio.create_task(send(engine, Message(f"run{sender}", sender, 0))) for sender in range(10)]
    # The tasks have submitted; the commit has not had its turn.
    await asyncio.sleep(0)
    tasks[3].cancel()
    await asyncio.wait(tasks)

    assert [message.sender for message in inspect(store).messages] == [0, 1, 2, 4, 5, 6, 7, 8, 9]


async def test_refused_write_leaves_no_trace_in_its_batch(engine: EmbeddedEngine, store: Path) -> None:
    taken = Message("run", 0, 0)
    await send(engine, taken)
    refused = operations(Message("refused", 1, 0))
    condition = PutItem(taken.key, {"pk": taken.key.pk, "sk": taken.key.sk}, absent())

    sending = [asyncio.create_task(send(engine, Message(f"run{sender}", sender, 0))) for sender in range(1, 10)]
    with pytest.raises(ConditionFailed) as raised:
        await engine.transact([*refused, condition], token="refused")
    await asyncio.gather(*sending)

    assert [failure.index for failure in raised.value.failures] == [3]
    assert len(inspect(store).messages) == 10


async def test_a_mistake_of_ours_in_one_write_fails_its_batch_and_nothing_else(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied = 0
    apply = Batch.apply

    def break_at_the_fifth(batch: Batch, change: RowChange, *, factor: int) -> int:
        nonlocal applied
        applied += 1
        if applied == 5:
            raise RuntimeError("a mistake of ours")
        return apply(batch, change, factor=factor)

    monkeypatch.setattr(Batch, "apply", break_at_the_fifth)
    monkeypatch.setattr(writer, "MAX_BATCH", 3)
    mistakes: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: mistakes.append(context))
    messages = [Message(f"run{sender}", sender, 0) for sender in range(10)]

    async with asyncio.timeout(SOON_SECONDS):
        outcomes = await asyncio.gather(*(send(engine, message) for message in messages), return_exceptions=True)

    failed = [message for message, outcome in zip(messages, outcomes, strict=True) if isinstance(outcome, StoreError)]
    assert 1 <= len(failed) <= 3  # a batch is shorter where a write takes long
    assert len(mistakes) == 1
    assert set(inspect(store).messages) == set(messages) - set(failed)


async def test_closing_commits_waiting_writes_and_rejects_later_ones(store: Path) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    tasks = [asyncio.create_task(send(engine, Message(f"run{sender}", sender, 0))) for sender in range(500)]
    await asyncio.sleep(0)

    closing = asyncio.create_task(engine.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreClosed):
        await send(engine, Message("late", 0, 0))
    await asyncio.wait_for(closing, SOON_SECONDS)

    assert [task.exception() for task in tasks] == [None] * 500
    assert len(inspect(store).messages) == 500


async def test_closing_a_store_with_a_full_queue_fails_the_waiting_writes(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_WAITING", 8)
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    messages = [Message(f"run{sender}", sender, 0) for sender in range(100)]
    sending = asyncio.gather(*(send(engine, message) for message in messages), return_exceptions=True)
    await asyncio.sleep(0)

    await asyncio.wait_for(engine.close(), SOON_SECONDS)
    outcomes = await asyncio.wait_for(sending, SOON_SECONDS)

    assert {type(outcome) for outcome in outcomes} == {type(None), StoreClosed}
    acknowledged = [message for message, outcome in zip(messages, outcomes, strict=True) if outcome is None]
    assert set(inspect(store).messages) == set(acknowledged)


async def test_closing_under_load_keeps_everything_that_was_acknowledged(store: Path) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    acknowledged: list[Message] = []
    enough = asyncio.Event()

    def acknowledge(message: Message) -> None:
        acknowledged.append(message)
        if len(acknowledged) == 200:
            enough.set()

    talking = asyncio.create_task(talk(engine, "run", acknowledge))
    await enough.wait()
    await asyncio.wait_for(engine.close(), SOON_SECONDS)
    with pytest.raises(ExceptionGroup) as raised:
        await talking

    assert {type(error) for error in raised.value.exceptions} == {StoreClosed}
    # The last ones were committed, though the store was closed before their senders could report it.
    assert set(acknowledged) <= set(inspect(store, acknowledged).messages)


async def test_every_call_of_a_closed_store_raises(store: Path) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    await send(engine, Message("before", 0, 0))
    reader = await engine.changes(OLDEST)
    await engine.close()
    await engine.close()

    key = RawKey("CONVO#0", "HEAD")
    asked = {
        "get": engine.get(key, consistent=True, fields=None),
        "batch_get": engine.batch_get([key], consistent=True),
        "query": engine.query(QueryRequest(pk="CONVO#0")),
        "scan": engine.scan(ScanRequest()),
        "write": engine.write(PutItem(key, {"pk": key.pk, "sk": key.sk})),
        "transact": send(engine, Message("after", 0, 0)),
        "batch_write": engine.batch_write([PutItem(key, {"pk": key.pk, "sk": key.sk})]),
        "changes": engine.changes(OLDEST),
        "describe_table": engine.describe_table(),
        "sweep": engine.sweep(),
        "backup": engine.backup(store.with_name("copy.db")),
        "read": reader.read(0.1),
    }
    outcomes = dict(zip(asked, await asyncio.gather(*asked.values(), return_exceptions=True), strict=True))

    assert {name: type(outcome) for name, outcome in outcomes.items()} == dict.fromkeys(asked, StoreClosed)


async def test_the_janitor_outlives_a_failure_and_ends_with_the_store(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sobremesa.table.engines.embedded.engine.SWEEP_EVERY_SECONDS", 0.001)
    monkeypatch.setattr(writer, "BUSY_SECONDS", 0.01)
    failed = asyncio.Event()

    class Watched(EmbeddedEngine):
        async def sweep(self) -> int:
            try:
                return await super().sweep()
            except StoreBusy:
                failed.set()
                raise

    engine = await Watched.open(str(store), LAYOUT, clock=SystemClock())
    holder = apsw.Connection(str(store))
    holder.execute("BEGIN IMMEDIATE")
    await asyncio.wait_for(failed.wait(), SOON_SECONDS)
    holder.close()

    await send(engine, Message("after", 0, 0))
    assert await has(engine, Message("after", 0, 0))
    janitor = engine._janitor
    assert janitor is not None
    assert not janitor.done()
    await asyncio.wait_for(engine.close(), SOON_SECONDS)
    assert janitor.done()
    with suppress(asyncio.CancelledError):
        assert janitor.exception() is None


def _random_write(chance: random.Random) -> ItemWrite:
    """A write of one of few items, which enters an index, leaves it or moves in it."""
    key = RawKey("ROOM#r", f"NOTE#{chance.randrange(3)}")
    entry = {"gsi1pk": f"SHELF#{chance.randrange(2)}", "gsi1sk": "NOTE"} if chance.random() < 0.7 else {}
    when = chance.choice((None, None, absent(), present()))
    kind = chance.randrange(4)
    if kind == 0:
        return DeleteItem(key, when)
    if kind == 1:
        return UpdateItem(key, (*set_to(text=chance.choice("abc")), *add(edits=1)), when)
    if kind == 2 and entry:
        return UpdateItem(key, set_to(**entry), when)
    return PutItem(key, {"pk": key.pk, "sk": key.sk, "text": chance.choice("abc"), **entry}, when)


async def _everything(engine: EmbeddedEngine) -> tuple[object, ...]:
    """The rows, both shelves of the index, and the stream without its times and ids."""
    shelves = [await engine.query(QueryRequest(pk=f"SHELF#{shelf}", index=gsi1)) for shelf in range(2)]
    changes = (await (await engine.changes(OLDEST)).read(0)).changes
    return (
        (await engine.scan(ScanRequest())).items,
        [shelf.items for shelf in shelves],
        [(change.key, change.old, change.new) for change in changes],
    )


@pytest.mark.parametrize("seed", range(40))
async def test_writes_of_one_batch_do_what_they_do_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)
    writes = [_random_write(chance) for _ in range(30)]
    together = await EmbeddedEngine.open(":memory:", LAYOUT, clock=SystemClock(), janitor=False)
    apart = await EmbeddedEngine.open(":memory:", LAYOUT, clock=SystemClock(), janitor=False)

    outcomes = await asyncio.gather(*(together.write(write) for write in writes), return_exceptions=True)
    expected = [(await asyncio.gather(apart.write(write), return_exceptions=True))[0] for write in writes]

    assert [str(outcome) for outcome in outcomes] == [str(outcome) for outcome in expected]
    assert await _everything(together) == await _everything(apart)
    await together.close()
    await apart.close()
