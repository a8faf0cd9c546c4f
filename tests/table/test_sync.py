"""The table without `await`: the same results, from any thread, with or without a running loop."""

from __future__ import annotations

import inspect
import threading
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, assert_type

import msgspec
import pytest

from servers import Endpoint
from sobremesa.table import (
    OLDEST,
    Create,
    Delete,
    Operation,
    Page,
    Put,
    SyncTable,
    Table,
    Update,
    add,
    measure,
)
from sobremesa.table.errors import ConditionFailed, StoreClosed
from sobremesa.table.opening import BadStore
from sobremesa.table.sync import FETCHED_AT_ONCE
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, messages_of, room


@pytest.fixture
def address(store: Store, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    if store.startswith("embedded"):
        return f"sqlite:///{tmp_path / 'table.db'}" if store == "embedded-file" else "sqlite://"
    endpoint: Endpoint = request.getfixturevalue("moto_server" if store == "moto" else "dynamodb_endpoint")
    return f"dynamodb://sync-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


@pytest.fixture
def table(address: str) -> Iterator[SyncTable]:
    with SyncTable.open(address) as table:
        table.run(table.table.engine.create_table())
        yield table


class Body(msgspec.Struct):
    body: str


def test_a_script_reads_and_writes(table: SyncTable) -> None:
    message = table.write(Create(Message(room_id="r", message_id="m", body="b")))
    both = table.write(room=Create(Room(room_id="r")), account=Create(Account(account_id="a")))
    updated = table.write(Update(message.own_key(), add(likes=1)))

    assert_type(message, Message)
    assert_type(both, None)
    assert_type(table.get(room(room_id="r")), Room | None)
    assert_type(table.query(messages_of(room_id="r")), Page[Message])
    assert_type(table.query(messages_of(room_id="r"), into=Body), Page[Body])
    assert_type(table.every(messages_of(room_id="r")), Iterator[Message])
    assert updated.likes == 1
    assert table.get(room(room_id="r")) == Room(room_id="r")
    assert table.get_many([message.own_key()]) == [updated]
    assert table.get_together(message.own_key(), Room.key(room_id="r")) == (updated, Room(room_id="r"))
    assert table.query(messages_of(room_id="r"), into=Body).items == [Body("b")]
    assert table.count(messages_of(room_id="r")).count == 1
    assert table.write(Delete(message.own_key())) == updated
    with pytest.raises(ConditionFailed):
        table.write(Create(Room(room_id="r")))


def test_rows_are_iterated_page_by_page(table: SyncTable) -> None:
    messages = [Message(room_id="r", message_id=f"{number:04}") for number in range(2 * FETCHED_AT_ONCE + 3)]
    table.write_many(Put(message) for message in messages)

    assert list(table.every(messages_of(room_id="r"))) == messages
    assert next(table.every(messages_of(room_id="r"))) == messages[0]
    assert len(list(table.scan(segments=2))) == len(messages)
    assert table.delete_every(messages_of(room_id="r")) == len(messages)
    assert list(table.every(messages_of(room_id="r"))) == []


@pytest.mark.parametrize("readable", [0, 3, FETCHED_AT_ONCE, FETCHED_AT_ONCE + 3])
def test_rows_before_an_error_are_yielded(readable: int) -> None:
    async def numbers() -> AsyncIterator[int]:
        for number in range(readable):
            yield number
        raise ValueError("unreadable page")

    with SyncTable.open("sqlite://") as table:
        rows = table.iterate(numbers())

        assert list(islice(rows, readable)) == list(range(readable))
        with pytest.raises(ValueError, match="unreadable page"):
            next(rows)
        assert list(rows) == []


def test_changes_are_read() -> None:
    with SyncTable.open("sqlite://") as table:
        table.write(Create(Room(room_id="r")))
        reader = table.changes(OLDEST)

        assert [change.key.pk for change in reader.read(0).changes] == ["ROOM#r"]
        assert reader.read(0).changes == []
        reader.close()


def test_a_shard_is_read_by_itself() -> None:
    with SyncTable.open("sqlite://") as table:
        table.write(Create(Room(room_id="r")))
        [shard] = table.shards().shards
        reader = table.open_shard(shard.id, OLDEST)

        assert [change.key.pk for change in reader.read().changes] == ["ROOM#r"]
        assert reader.read().changes == []
        assert reader.pause_seconds >= 0
        assert list(table.shard_positions(OLDEST)) == [shard.id]


def test_threads_share_a_table(table: SyncTable, store: Store) -> None:
    account = table.write(Create(Account(account_id="a")))

    def deposit(_: int) -> Account:
        return table.write(Update(account.own_key(), add(balance=1)))

    with ThreadPoolExecutor(1 if gaps.has(store, "writes-race") else 8) as threads:
        balances = [each.balance for each in threads.map(deposit, range(40))]

    assert len(balances) == 40
    assert table.get(account.own_key(), consistent=True) == Account(account_id="a", balance=40)


async def test_it_works_where_a_loop_is_running() -> None:
    with SyncTable.open("sqlite://") as table:
        table.write(Create(Room(room_id="r")))

        assert table.get(room(room_id="r")) == Room(room_id="r")


def test_costs_are_measured_in_the_calling_thread() -> None:
    with SyncTable.open("sqlite://") as table, measure() as used:
        table.write(Create(Room(room_id="r")))
        table.get(room(room_id="r"))

    assert (used.calls, used.read, used.write) == (2, 0.5, 1.0)


def test_closing_ends_the_thread_and_every_later_call() -> None:
    before = threading.active_count()
    table = SyncTable.open("sqlite://")
    rows = table.every(messages_of(room_id="r"))

    table.close()
    table.close()

    assert threading.active_count() == before
    with pytest.raises(StoreClosed):
        table.get(room(room_id="r"))
    with pytest.raises(StoreClosed):
        next(rows)


def test_a_call_that_waits_ends_when_the_table_is_closed() -> None:
    table = SyncTable.open("sqlite://")
    reader = table.changes()
    waiting = threading.Event()

    def read() -> Any:
        waiting.set()
        return reader.read(wait_seconds=60)

    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(read)
        waiting.wait()
        table.close()
        with pytest.raises(StoreClosed):
            reading.result(timeout=30)


def test_the_error_of_opening_is_raised_and_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()

    with pytest.raises(BadStore):
        SyncTable.open("postgres://x")

    assert threading.active_count() == before


def test_use_in_its_own_thread_is_refused() -> None:
    with SyncTable.open("sqlite://") as table:

        def reads_the_table(operations: Sequence[Operation], *, in_bulk: bool) -> None:
            table.get(room(room_id="r"))

        table.table.watch(reads_the_table)

        with pytest.raises(RuntimeError, match="own thread"):
            table.write(Create(Room(room_id="r")))


def test_every_call_of_the_table_has_its_counterpart() -> None:
    """A new coroutine or iterator of `Table` belongs here too."""
    asynchronous = {
        name
        for name, method in inspect.getmembers(Table)
        if not name.startswith("_") and (inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method))
    }

    assert asynchronous - set(dir(SyncTable)) == set()
    assert inspect.signature(SyncTable.count) == inspect.signature(Table.count)
