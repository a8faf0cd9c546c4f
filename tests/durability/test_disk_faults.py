"""A disk that is full or fails: no lost write is acknowledged, and the engine recovers by itself."""

from __future__ import annotations

import asyncio
import itertools
import resource
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from durability.chat import CONVERSATIONS, LAYOUT, SENDERS, Message, has, send, talk
from durability.failing_disk import FailingDisk, Fault, failing_disk
from durability.inspection import inspect
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine, writer
from sobremesa.table.engines.protocol import OLDEST, QueryRequest, RawKey, ScanRequest
from sobremesa.table.errors import StoreFailed

FULL = Fault("write", "-wal", apsw.FullError)
TORN = Fault("write", "-wal", apsw.IOError, torn=True)
NO_SYNC = Fault("sync", "-wal", apsw.IOError)
ANSWERED_WITHIN_SECONDS = 10
LONG_TEXT = "and then, " * 200


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FailingDisk]:
    with failing_disk(f"failing {tmp_path}") as disk:
        yield disk


@pytest.fixture(autouse=True)
def all_in_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on a machine that is busy with something else: who sends at once shares a commit, and its fault."""
    monkeypatch.setattr(writer, "BATCH_SECONDS", ANSWERED_WITHIN_SECONDS)


@pytest.fixture
async def engine(store: Path, disk: FailingDisk) -> AsyncIterator[EmbeddedEngine]:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False, vfs=disk.name)
    yield engine
    disk.repair()
    await asyncio.wait_for(engine.close(), ANSWERED_WITHIN_SECONDS)


async def send_all(engine: EmbeddedEngine, run: str, *, text: str = "hello") -> tuple[list[Message], list[Message]]:
    """Send one message of all users at once; return the acknowledged ones, and those that raised StoreFailed."""
    messages = [Message(run, sender, 0) for sender in range(SENDERS)]
    async with asyncio.timeout(ANSWERED_WITHIN_SECONDS):
        outcomes = await asyncio.gather(
            *(send(engine, message, text=text) for message in messages), return_exceptions=True
        )
    sent: list[Message] = []
    failed: list[Message] = []
    for message, outcome in zip(messages, outcomes, strict=True):
        if isinstance(outcome, StoreFailed):
            failed.append(message)
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            sent.append(message)
    return sent, failed


@pytest.mark.parametrize("after_calls", [0, 1, 2, 5, 10, 15])
@pytest.mark.parametrize("fault", [FULL, TORN, NO_SYNC], ids=["full disk", "torn write", "failed sync"])
async def test_failed_write_of_the_disk_is_reported_and_not_stored(
    engine: EmbeddedEngine, disk: FailingDisk, store: Path, fault: Fault, after_calls: int
) -> None:
    before, _ = await send_all(engine, "before")

    disk.fail(fault, after_calls=0 if fault.call == "sync" else after_calls)
    sent, failed = await send_all(engine, "during")

    assert disk.failures > 0
    assert (sent, len(failed)) == ([], SENDERS)
    for message in failed:
        assert not await has(engine, message)
    disk.repair()
    assert [message for message in inspect(store).messages if message.run == "during"] == []
    assert set(inspect(store).messages) == set(before)


@pytest.mark.parametrize("fault", [FULL, TORN, NO_SYNC], ids=["full disk", "torn write", "failed sync"])
async def test_reads_continue_while_the_disk_rejects_writes(
    engine: EmbeddedEngine, disk: FailingDisk, fault: Fault
) -> None:
    sent, _ = await send_all(engine, "before")
    disk.fail(fault)
    await send_all(engine, "during")

    assert all([await has(engine, message) for message in sent])
    page = await engine.query(QueryRequest(pk=sent[0].conversation))
    scanned = await engine.scan(ScanRequest())
    batch = await (await engine.changes(OLDEST)).read(0)
    facts = await engine.describe_table()

    assert page.count == SENDERS // CONVERSATIONS * 2 + 1
    assert scanned.count == facts.items == SENDERS * 2 + CONVERSATIONS
    assert len(batch.changes) == SENDERS * 3


@pytest.mark.parametrize("after_calls", [0, 3, 7])
@pytest.mark.parametrize("fault", [FULL, TORN, NO_SYNC], ids=["full disk", "torn write", "failed sync"])
async def test_engine_writes_again_once_the_disk_is_repaired(
    store: Path, disk: FailingDisk, fault: Fault, after_calls: int
) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), vfs=disk.name)
    acknowledged: list[Message] = []
    for round_ in range(4):
        disk.fail(fault, after_calls=after_calls)
        during, _ = await send_all(engine, f"during{round_}")
        disk.repair()
        after, failed = await send_all(engine, f"after{round_}")
        assert failed == []
        acknowledged += [*during, *after]
    await engine.close()

    assert set(inspect(store).messages) == set(acknowledged)
    reopened = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    await reopened.close()


async def test_after_a_failed_sync_and_a_kill_nothing_is_half_done(
    engine: EmbeddedEngine, disk: FailingDisk, store: Path, tmp_path: Path
) -> None:
    sent, _ = await send_all(engine, "before")
    disk.fail(NO_SYNC)
    _, failed = await send_all(engine, "during")

    # What the kernel has is what another process would find after a kill at this moment.
    left = tmp_path / "left"
    left.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{store}{suffix}", left)
    disk.repair()

    found = inspect(left / "chat.db", sent)
    assert set(found.messages) - set(sent) <= set(failed)


async def test_a_checkpoint_that_fails_loses_nothing(engine: EmbeddedEngine, disk: FailingDisk, store: Path) -> None:
    sent, _ = await send_all(engine, "before", text=LONG_TEXT)
    for fault in (Fault("write", "chat.db", apsw.FullError, torn=True), Fault("sync", "chat.db", apsw.IOError)):
        disk.fail(fault, after_calls=1 if fault.call == "write" else 0)
        with pytest.raises(fault.error):
            engine._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        assert disk.failures > 0
        assert all([await has(engine, message) for message in sent])
        more, failed = await send_all(engine, f"after the failed {fault.call}")
        assert failed == []
        sent += more
    disk.repair()

    engine._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert set(inspect(store, sent).messages) == set(sent)


async def test_failed_read_of_the_disk_is_reported(store: Path, disk: FailingDisk) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    sent, _ = await send_all(engine, "before")
    await engine.close()
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False, vfs=disk.name)
    engine._connection.cache_flush()
    engine._connection.pragma("cache_size", 0)

    disk.fail(Fault("read", "chat.db", apsw.IOError))
    with pytest.raises(StoreFailed):
        await engine.get(sent[-1].key, consistent=True, fields=None)
    with pytest.raises(StoreFailed):
        await engine.query(QueryRequest(pk=sent[-1].conversation))
    with pytest.raises(StoreFailed):
        await engine.changes(OLDEST)
    with pytest.raises(StoreFailed):
        await engine.describe_table()
    with pytest.raises(StoreFailed):
        await engine.sweep()
    _, failed = await send_all(engine, "during")
    assert len(failed) == SENDERS
    disk.repair()

    assert all([await has(engine, message) for message in sent])
    await engine.sweep()
    await engine.close()


async def test_a_store_that_may_not_grow_refuses_writes_and_takes_them_again_when_it_may(store: Path) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    sent, _ = await send_all(engine, "before")
    pages = engine._connection.pragma("page_count")

    engine._connection.pragma("max_page_count", pages + 1)
    during, failed = await send_all(engine, "during", text=LONG_TEXT)
    assert failed
    with pytest.raises(StoreFailed, match="full"):
        await send(engine, Message("once more", 0, 0), text=LONG_TEXT * 10)
    assert all([await has(engine, message) for message in sent])
    engine._connection.pragma("max_page_count", 2**30)

    after, still_failed = await send_all(engine, "after", text=LONG_TEXT)
    assert still_failed == []
    await engine.close()
    assert set(inspect(store).messages) == {*sent, *during, *after}


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let the kernel itself refuse to write beyond this size, in this process."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def send_until_refused(engine: EmbeddedEngine, run: str) -> list[Message]:
    """Send long messages of all users until each has a failure; return the acknowledged ones."""
    acknowledged: list[Message] = []

    async def one_sender(sender: int) -> None:
        for number in itertools.count():
            message = Message(run, sender, number)
            try:
                await send(engine, message, text=LONG_TEXT)
            except StoreFailed:
                return
            acknowledged.append(message)

    async with asyncio.timeout(ANSWERED_WITHIN_SECONDS):
        await asyncio.gather(*map(one_sender, range(SENDERS)))
    return acknowledged


@pytest.mark.parametrize("checkpoint_pages", [1000, 10], ids=["the log meets the limit", "checkpoints meet the limit"])
async def test_a_limit_of_the_kernel_refuses_writes_until_it_is_lifted(store: Path, checkpoint_pages: int) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    engine._connection.wal_autocheckpoint(checkpoint_pages)

    with no_file_larger_than(1024 * 1024):
        acknowledged = await send_until_refused(engine, "during")
        assert all([await has(engine, message) for message in acknowledged])
        head = await engine.get(RawKey(acknowledged[0].conversation, "HEAD"), consistent=True, fields=None)
        assert head.item is not None

    await talk(engine, "after", acknowledged.append, messages=2)
    await engine.close()
    assert set(inspect(store).messages) == set(acknowledged)
    assert len(acknowledged) > 3 * SENDERS
