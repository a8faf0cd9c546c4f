"""What each call costs, in DynamoDB's units: the same numbers on the embedded engine and on an endpoint that counts."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from sobremesa.table import (
    Capacity,
    Create,
    Put,
    RawKey,
    Table,
    Update,
    WritePattern,
    add,
    equals,
    gsi1,
    measure,
    present,
)
from sobremesa.table.capacity import index_write_units, read_units, write_units
from sobremesa.table.engines.protocol import (
    CheckItem,
    DeleteItem,
    Engine,
    ItemWrite,
    PutItem,
    QueryRequest,
    ScanRequest,
    UpdateItem,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Add, Remove, Set
from table import gaps
from table.engines import STORES, Store
from table.samples import Message, Room, Seat, messages_of, post, room, row, sized

COUNTING = [store for store in STORES if not gaps.has(store, "capacity-constant")]
counting = pytest.mark.parametrize("store", COUNTING, indirect=True)

Call: TypeAlias = Callable[[Engine], Awaitable[Capacity]]
KEY = RawKey("p", "s")
IN_BOTH = {"gsi1pk": "g", "gsi1sk": "1", "gsi2pk": "g", "gsi2sk": "1"}
IN_FIRST = {"gsi1pk": "g", "gsi1sk": "1"}


def get(key: RawKey, *, consistent: bool = False) -> Call:
    async def call(engine: Engine) -> Capacity:
        return (await engine.get(key, consistent=consistent, fields=None)).capacity

    return call


def batch_get(*keys: RawKey, consistent: bool = False) -> Call:
    async def call(engine: Engine) -> Capacity:
        return (await engine.batch_get(keys, consistent=consistent)).capacity

    return call


def write(operation: ItemWrite) -> Call:
    async def call(engine: Engine) -> Capacity:
        return (await engine.write(operation)).capacity

    return call


def transact(*operations: ItemWrite) -> Call:
    async def call(engine: Engine) -> Capacity:
        return (await engine.transact(operations, None)).capacity

    return call


def batch_write(*operations: PutItem | DeleteItem) -> Call:
    async def call(engine: Engine) -> Capacity:
        return (await engine.batch_write(operations)).capacity

    return call


def update(*actions: Set | Add | Remove) -> UpdateItem:
    return UpdateItem(KEY, actions)


READS: dict[str, tuple[list[PutItem], Call, float]] = {
    "get of nothing": ([], get(KEY), 0.5),
    "consistent get of nothing": ([], get(KEY, consistent=True), 1.0),
    "get of a little": ([sized("p", "s", 100)], get(KEY), 0.5),
    "get of 4 KB": ([sized("p", "s", 4096)], get(KEY), 0.5),
    "get of 4 KB and a byte": ([sized("p", "s", 4097)], get(KEY), 1.0),
    "consistent get of 4 KB and a byte": ([sized("p", "s", 4097)], get(KEY, consistent=True), 2.0),
    "get of 9,000 bytes": ([sized("p", "s", 9000)], get(KEY), 1.5),
    "batch get, each item by itself": (
        [sized("p", "a", 100), sized("p", "b", 4097), sized("p", "c", 9000)],
        batch_get(*(RawKey("p", sk) for sk in ("a", "b", "c", "none"))),
        3.5,
    ),
    "consistent batch get": (
        [sized("p", "a", 100), sized("p", "b", 4097), sized("p", "c", 9000)],
        batch_get(*(RawKey("p", sk) for sk in ("a", "b", "c", "none")), consistent=True),
        7.0,
    ),
}
WRITES: dict[str, tuple[list[PutItem], Call, float]] = {
    "put of a little": ([], write(sized("p", "s", 100)), 1),
    "put of 1 KB": ([], write(sized("p", "s", 1024)), 1),
    "put of 1 KB and a byte": ([], write(sized("p", "s", 1025)), 2),
    "put of more over less": ([sized("p", "s", 100)], write(sized("p", "s", 3000)), 3),
    "put of less over more": ([sized("p", "s", 3000)], write(sized("p", "s", 100)), 3),
    "put of the same": ([sized("p", "s", 100)], write(sized("p", "s", 100)), 1),
    "put into two indexes": ([], write(row("p", "s", **IN_BOTH)), 3),
    "put of the same in two indexes": ([row("p", "s", **IN_BOTH)], write(row("p", "s", **IN_BOTH)), 1),
    "put of half an index key": ([], write(row("p", "s", gsi1pk="g")), 1),
    "put of 3,000 bytes into two indexes": ([], write(sized("p", "s", 3000, **IN_BOTH)), 9),
    "put out of an index": ([row("p", "s", **IN_FIRST)], write(row("p", "s")), 2),
    "put to another index key": ([row("p", "s", **IN_FIRST)], write(row("p", "s", gsi1pk="g", gsi1sk="2")), 3),
    "a put that only orders a set anew": (
        [row("p", "s", x=frozenset("ab"), **IN_BOTH)],
        write(row("p", "s", x=frozenset("ba"), **IN_BOTH)),
        1,
    ),
    "update of nothing": ([], write(update(Set("n", 1))), 1),
    "update in two indexes": ([row("p", "s", n=0, **IN_BOTH)], write(update(Set("n", 1))), 3),
    "update to the same": ([row("p", "s", n=1, **IN_BOTH)], write(update(Set("n", 1.0))), 1),
    "update of an index key": ([row("p", "s", n=1, **IN_BOTH)], write(update(Set("gsi1sk", "2"))), 4),
    "update out of an index": ([row("p", "s", **IN_BOTH)], write(update(Remove("gsi1pk"))), 3),
    "update of 3,000 bytes in two indexes": ([sized("p", "s", 3000, **IN_BOTH)], write(update(Set("n", 1))), 9),
    "move of 3,000 bytes in an index": ([sized("p", "s", 3000, **IN_BOTH)], write(update(Set("gsi1sk", "2"))), 12),
    "delete of nothing": ([], write(DeleteItem(KEY)), 1),
    "delete of 3,000 bytes": ([sized("p", "s", 3000)], write(DeleteItem(KEY)), 3),
    "delete from an index": ([sized("p", "s", 3000, **IN_FIRST)], write(DeleteItem(KEY)), 6),
    "a conditional put": ([row("p", "s", n=1)], write(PutItem(KEY, row("p", "s", n=2).item, equals("n", 1))), 1),
    "batch write, each by itself": (
        [sized("p", "b", 3000)],
        batch_write(sized("p", "a", 1025), sized("p", "b", 100), DeleteItem(RawKey("p", "c"))),
        6,
    ),
    "transaction of one": ([], transact(sized("p", "s", 100)), 2),
    "transaction of 1 KB and a byte": ([], transact(sized("p", "s", 1025)), 4),
    "transaction into two indexes, which are not doubled": ([], transact(row("p", "s", **IN_BOTH)), 4),
    "transaction of 3,000 bytes into two indexes": ([], transact(sized("p", "s", 3000, **IN_BOTH)), 12),
    "transaction of three": (
        [],
        transact(*(row("p", sk, gsi1pk="g", gsi1sk=sk) for sk in "abc")),
        9,
    ),
    "transaction that changes nothing": ([sized("p", "s", 3000)], transact(update(Remove("gone"))), 6),
    "transaction that moves in an index": (
        [sized("p", "s", 3000, **IN_BOTH)],
        transact(update(Set("gsi1sk", "2"))),
        15,
    ),
    "transaction that deletes nothing": ([], transact(DeleteItem(KEY)), 2),
    "transaction that deletes from an index": ([sized("p", "s", 3000, **IN_FIRST)], transact(DeleteItem(KEY)), 9),
    "check of nothing": ([row("p", "x")], transact(CheckItem(KEY, ~present()), row("p", "x")), 4),
    "check of 9,000 bytes": ([sized("p", "s", 9000, **IN_FIRST)], write(CheckItem(KEY, present())), 18),
}


INSTEAD: dict[str, dict[str, float]] = {
    "absent-uncharged": {
        "batch get, each item by itself": 3.0,
        "consistent batch get": 6.0,
        "nothing": 0.0,
        "nothing, consistently": 0.0,
        "nothing in an index": 0.0,
    },
    "batch-deletes-charged": {"batch write, each by itself": 7},
    "transaction-capacity": {
        "transaction into two indexes, which are not doubled": 6,
        "transaction of 3,000 bytes into two indexes": 18,
        "transaction of three": 4,
        "transaction that moves in an index": 24,
        "transaction that deletes nothing": 1,
        "transaction that deletes from an index": 12,
        "check of nothing": 2,
        "check of 9,000 bytes": 6,
    },
}


@counting
async def test_reads_cost_half_a_unit_for_each_4_kilobytes_and_twice_that_when_consistent(
    engine: Engine, store: Store
) -> None:
    instead = _instead(store)
    cases = {
        name: (before, call, Capacity(read=instead.get(name, units))) for name, (before, call, units) in READS.items()
    }
    await _hold(engine, cases)


@counting
async def test_writes_cost_a_unit_for_each_kilobyte_in_the_table_and_in_every_index(
    engine: Engine, store: Store
) -> None:
    instead = _instead(store)
    cases = {
        name: (before, call, Capacity(write=instead.get(name, units))) for name, (before, call, units) in WRITES.items()
    }
    await _hold(engine, cases)


def _instead(store: Store) -> dict[str, float]:
    """The units that a store charges where it has a gap."""
    return {name: units for gap, charged in INSTEAD.items() if gaps.has(store, gap) for name, units in charged.items()}


async def _hold(engine: Engine, cases: dict[str, tuple[list[PutItem], Call, Capacity]]) -> None:
    wrong = []
    for name, (before, call, expected) in cases.items():
        async for key in _keys(engine):
            await engine.write(DeleteItem(key))
        for put in before:
            await engine.write(put)
        if (used := await call(engine)) != expected:
            wrong.append((name, used, "instead of", expected))
    assert not wrong, "\n".join(map(str, wrong))


async def _keys(engine: Engine) -> AsyncIterator[RawKey]:
    for item in (await engine.scan(ScanRequest(consistent=True))).items:
        yield RawKey(item["pk"], item["sk"])


QUERIES: list[tuple[str, dict[str, Any], float]] = [
    ("nothing", {"pk": "nobody"}, 0.5),
    ("nothing, consistently", {"pk": "nobody", "consistent": True}, 1.0),
    ("ten kilobytes together", {"pk": "p"}, 1.5),
    ("consistently", {"pk": "p", "consistent": True}, 3.0),
    ("half of it", {"pk": "p", "limit": 5}, 1.0),
    ("a count", {"pk": "p", "count_only": True}, 1.5),
    ("what a filter hides", {"pk": "p", "where": equals("n", "none")}, 1.5),
    ("some fields", {"pk": "p", "fields": ("n",)}, 1.5),
    ("backward", {"pk": "p", "backward": True, "limit": 4}, 0.5),
    ("an index", {"pk": "g", "index": gsi1}, 1.5),
    ("nothing in an index", {"pk": "nobody", "index": gsi1}, 0.5),
    ("a count of an index", {"pk": "g", "index": gsi1, "limit": 4, "count_only": True}, 0.5),
]


@counting
async def test_a_query_costs_what_it_looks_at_rounded_up_once(engine: Engine, store: Store) -> None:
    for number in range(10):
        await engine.write(sized("p", f"s{number}", 1000, gsi1pk="g", gsi1sk=str(number)))

    wrong = []
    for what, asked, units in QUERIES:
        expected = Capacity(read=_instead(store).get(what, units))
        if (used := (await engine.query(QueryRequest(**asked))).capacity) != expected:
            wrong.append((what, used, "instead of", expected))
    assert not wrong, "\n".join(map(str, wrong))


@counting
async def test_a_scan_costs_as_a_query_does(engine: Engine) -> None:
    for number in range(10):
        await engine.write(sized(f"p{number}", "s", 1000))

    assert (await engine.scan(ScanRequest())).capacity == Capacity(read=1.5)
    assert (await engine.scan(ScanRequest(consistent=True))).capacity == Capacity(read=3.0)
    assert (await engine.scan(ScanRequest(limit=5))).capacity == Capacity(read=1.0)


@counting
async def test_a_get_of_some_fields_costs_the_whole_item(engine: Engine, store: Store) -> None:
    await engine.write(sized("p", "s", 9000, a="1"))

    used = (await engine.get(KEY, consistent=False, fields=("a",))).capacity.read

    assert used == (0.5 if gaps.has(store, "projection-charged") else 1.5)


@counting
async def test_a_page_of_a_megabyte_costs_what_is_in_it(engine: Engine, store: Store) -> None:
    for number in range(5):
        await engine.write(sized("p", f"s{number}", 300_000))

    units = 146.5 if gaps.has(store, "page-exceeds-a-megabyte") else 110.0
    assert (await engine.query(QueryRequest(pk="p"))).capacity == Capacity(read=units)


@counting
@pytest.mark.parametrize(
    ("before", "operations", "units"),
    [
        ([], [sized("p", "s", 100)], 2.0),
        ([], [sized("p", "s", 3000, **IN_BOTH)], 2.0),
        ([], [sized("p", "s", 9000)], 6.0),
        ([sized("p", "s", 3000)], [DeleteItem(KEY)], 2.0),
        ([sized("p", "s", 9000)], [DeleteItem(KEY)], 6.0),
        ([sized("p", "s", 9000)], [sized("p", "s", 100)], 6.0),
        ([sized("p", "s", 9000)], [UpdateItem(KEY, (Remove("pad"),))], 6.0),
        ([sized("p", "s", 9000)], [CheckItem(KEY, present())], 6.0),
        (
            [sized("p", "b", 100), sized("p", "c", 100), sized("p", "d", 100)],
            [
                sized("p", "a", 100),
                UpdateItem(RawKey("p", "b"), (Set("n", 1),)),
                DeleteItem(RawKey("p", "c")),
                CheckItem(RawKey("p", "d"), present()),
            ],
            8.0,
        ),
    ],
    ids=[
        "a little",
        "3,000 bytes",
        "9,000 bytes",
        "a deleted item",
        "a large deleted item",
        "less over more",
        "a shrunk item",
        "a large item that was checked",
        "one of each",
    ],
)
async def test_a_transaction_that_is_sent_again_costs_a_read_of_its_items(
    engine: Engine, store: Store, before: list[PutItem], operations: list[ItemWrite], units: float
) -> None:
    for put in before:
        await engine.write(put)
    token = uuid.uuid4().hex
    await engine.transact(operations, token)

    again = (await engine.transact(operations, token)).capacity
    if gaps.has(store, "replay-charged-as-write"):
        assert again.read == 0 < again.write
    else:
        assert again == Capacity(read=units)


async def test_what_a_block_used_can_be_measured(table: Table, store: Store) -> None:
    await post(table, "r", 3)

    with measure() as used:
        await table.query(messages_of(room_id="r"))
        await table.get(room(room_id="r"), consistent=True)
        await table.write(Create(Room(room_id="r")))
        with pytest.raises(ConditionFailed):
            await table.write(Create(Room(room_id="r")))

    # A condition that does not hold is charged as well.
    assert used.calls == 4
    if not gaps.has(store, "capacity-constant"):
        assert (used.read, used.write) == (1.5, 2.0)
    await table.get(room(room_id="r"))
    assert used.calls == 4


@counting
async def test_the_meter_adds_up_each_pattern(table: Table, store: Store) -> None:
    send = WritePattern("W1", "Send a message", Message, Room)
    await table.write(Create(Room(room_id="r")))
    for number in range(3):
        await table.write(
            message=Create(Message(room_id="r", message_id=str(number))),
            room=Update(Room.key(room_id="r"), add(messages=1)),
            pattern=send,
        )
    await table.write_many([Put(Seat(room_id="r", user_id="u"))], pattern=send)

    usage = table.meter.totals()["W1"]

    each = 2 if gaps.has(store, "transaction-capacity") else 4
    assert (usage.calls, usage.capacity) == (4, Capacity(write=3 * each + 2))


def test_units_are_rounded_up() -> None:
    assert [read_units(size, consistent=True) for size in (0, 1, 4096, 4097)] == [1, 1, 1, 2]
    assert [read_units(size, consistent=False) for size in (0, 4096, 4097)] == [0.5, 0.5, 1.0]
    assert [write_units(size) for size in (0, 1, 1024, 1025)] == [1, 1, 1, 2]
    assert index_write_units(None, None, 0, 5000, changed=True) == 0
    assert index_write_units(("a", "b"), ("a", "b"), 100, 5000, changed=False) == 0
