"""Indexes that project only keys, or some attributes: what they return and cost, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import msgspec
import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import (
    KEYS_ONLY,
    Create,
    Delete,
    Entity,
    Index,
    IndexKey,
    IndexLayout,
    Keys,
    Layout,
    Page,
    Pattern,
    RawKey,
    Registry,
    Table,
    Update,
    add,
    begins_with,
    equals,
    gsi1,
    gsi2,
    measure,
    set_to,
)
from sobremesa.table.catalog import pattern_rows
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import Engine, QueryRequest
from sobremesa.table.errors import BadExpression
from sobremesa.table.names import BadNames
from table import gaps
from table.engines import MAPS, Projections, Store, embedded
from table.samples import Session, row, sized


class Order(Entity):
    """A row in an index of keys and in one with its state."""

    keys = Keys(pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")
    by_day = Index(gsi1, pk="DAY#{day}", sk="ORDER#{order_id}", projects=())
    by_seller = Index(gsi2, pk="SELLER#{seller}", sk="ORDER#{order_id}", projects=["state", "total_price"])

    customer_id: str
    order_id: str
    day: str
    seller: str | None = None
    state: str = "open"
    total_price: int = 0
    note: str = ""


class OrderId(msgspec.Struct, frozen=True):
    customer_id: str
    order_id: str
    day: str


class OrderState(msgspec.Struct, frozen=True):
    order_id: str
    state: str
    total_price: int


class OrderNote(msgspec.Struct, frozen=True):
    order_id: str
    note: str


orders_on = Pattern("P1", "Which orders are of this day?", Order, index="by_day", into=OrderId)
orders_of_seller = Pattern("P2", "How are the orders of this seller?", Order, index="by_seller", into=OrderState)


@pytest.fixture
def projections() -> Projections:
    return {gsi1: KEYS_ONLY, gsi2: ("state", "totalPrice")}


def order(number: int, **fields: Any) -> Order:
    return Order(customer_id="c", order_id=f"o{number}", day="d", seller="s", **fields)


async def test_a_pattern_returns_what_its_index_projects(table: Table) -> None:
    for number in range(3):
        await table.write(Create(order(number, total_price=number, note="n" * 500)))

    ids = await table.query(orders_on(day="d"), limit=2)
    rest = await table.query(orders_on(day="d"), cursor=ids.cursor)
    assert_type(ids, Page[OrderId])
    assert ids.items == [OrderId("c", "o0", "d"), OrderId("c", "o1", "d")]
    assert rest.items == [OrderId("c", "o2", "d")]

    states = [each async for each in table.every(orders_of_seller(seller="s"), where=equals("total_price", 1))]
    assert states == [OrderState("o1", "open", 1)]
    assert (await table.count(orders_on(day="d"))).count == 3
    assert (await table.query(orders_of_seller(seller="s"), after=order(1))).items == [OrderState("o2", "open", 2)]

    await table.write(Update(order(2).own_key(), set_to(state="paid", seller="t"), add(total_price=5)))
    assert (await table.query(orders_of_seller(seller="t"))).items == [OrderState("o2", "paid", 7)]
    assert len((await table.query(orders_of_seller(seller="s"))).items) == 2


async def test_an_entry_has_the_keys_and_the_projected_attributes(engine: Engine) -> None:
    keys = {"gsi1pk": "a", "gsi1sk": "1", "gsi2pk": "b", "gsi2sk": "2"}
    await engine.write(row("p", "s", state="open", note="long", **keys))

    by_keys = await engine.query(QueryRequest(pk="a", index=gsi1))
    included = await engine.query(QueryRequest(pk="b", index=gsi2))

    own = {"pk": "p", "sk": "s"}
    assert by_keys.items == [own | {"gsi1pk": "a", "gsi1sk": "1"}]
    assert included.items == [own | {"gsi2pk": "b", "gsi2sk": "2", "state": "open"}]


async def test_reading_costs_what_the_index_has(table: Table, store: Store) -> None:
    for number in range(3):
        await table.write(Create(order(number, note="n" * 9000)))
    with measure() as read:
        await table.query(orders_on(day="d"))
    with measure() as counted:
        await table.count(orders_of_seller(seller="s"))

    if not gaps.has(store, "capacity-constant"):
        assert (read.read, counted.read) == (0.5, 0.5)


async def test_a_page_ends_at_one_megabyte_of_what_the_index_has(engine: Engine, store: Store) -> None:
    for number in range(4):
        keys = {"gsi1pk": "a", "gsi1sk": str(number), "gsi2pk": "b", "gsi2sk": str(number)}
        await engine.write(sized("p", str(number), 400_000, **keys, state="x" * 380_000))

    by_keys = await engine.query(QueryRequest(pk="a", index=gsi1))
    included = await engine.query(QueryRequest(pk="b", index=gsi2))

    if gaps.has(store, "index-page-of-whole-items"):
        assert by_keys.count == (3 if gaps.has(store, "page-exceeds-a-megabyte") else 2)
    else:
        assert (by_keys.count, by_keys.last) == (4, None)
    fitting = 3 if gaps.has(store, "page-exceeds-a-megabyte") else 2
    last = str(fitting - 1)
    assert (included.count, included.last) == (fitting, IndexKey(last, RawKey("p", last)))


async def test_a_write_pays_for_an_index_only_if_its_entry_changes(table: Table, store: Store) -> None:
    """One unit for the row, two if it is larger than 1 KB; an entry is always small here."""
    with measure() as created:
        await table.write(Create(order(1, note="n" * 1500)))
    with measure() as unseen:
        await table.write(Update(order(1).own_key(), set_to(note="m" * 1500)))
    with measure() as seen:
        await table.write(Update(order(1).own_key(), set_to(state="paid")))
    with measure() as moved:
        await table.write(Update(order(1).own_key(), set_to(day="e")))
    with measure() as deleted:
        await table.write(Delete(order(1).own_key()))

    if not gaps.has(store, "capacity-constant"):
        costs = [each.write for each in (created, unseen, seen, moved, deleted)]
        assert costs == [2 + 1 + 1, 2, 2 + 1, 2 + 2, 2 + 1 + 1]


def test_whole_rows_of_such_an_index_are_refused_at_declaration() -> None:
    with pytest.raises(
        BadExpression, match=r"Order\.by_day projects only customer_id, order_id, day, not whole rows; give .* `into`"
    ):
        Pattern("P3", "Orders", Order, index="by_day")
    with pytest.raises(BadExpression, match=r"OrderNote\.note is not projected by the index gsi2, which has "):
        Pattern("P3", "Orders", Order, index="by_seller", into=OrderNote)
    assert Pattern("P3", "Orders", Order, into=OrderNote).into is OrderNote
    assert pattern_rows(Registry(patterns=[orders_on]))[0]["returns"] == "OrderId of Order"


def test_an_index_that_would_return_wrong_rows_is_refused_at_declaration() -> None:
    with pytest.raises(BadExpression, match=r"Typo\.by_x projects 'sate', which is not a field \(did you mean state"):

        class Typo(Order):
            by_x = Index(gsi1, pk="X#{state}", sk="-", projects=["sate"])

    with pytest.raises(BadExpression, match="must project expires_at, or expired rows would be returned"):

        class Expiring(Session):
            by_x = Index(gsi2, pk="X#{device}", sk="-", projects=["uses"])

    with pytest.raises(BadExpression, match="must have whole rows: an upgrade"):

        class Versioned(Order):
            schema_version = 1

    for projects in (("a", "a"), ("pk",), ("x2",), ("",)):
        with pytest.raises(BadNames, match="name each once, and no keys"):
            Layout(indexes={gsi1: IndexLayout("gsi1", "x1", "x2", projects)})


class Unaware(Entity):
    """An entity that expects whole rows of the same indexes."""

    keys = Keys(pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}")
    by_day = Index(gsi1, pk="DAY#{day}", sk="ORDER#{order_id}")

    customer_id: str
    order_id: str
    day: str
    note: str = ""


unaware = Pattern("P4", "Which orders are of this day?", Unaware, index="by_day")


async def test_a_read_of_more_than_the_table_projects_is_refused(table: Table) -> None:
    await table.write(Create(order(1)))

    with pytest.raises(BadExpression, match="the index gsi1 projects only gsi1pk, gsi1sk, pk, sk: declare this"):
        await table.query(unaware(day="d"))
    with pytest.raises(BadExpression, match=r"OrderNote\.note is not projected by the index gsi1"):
        await table.query(unaware(day="d"), into=OrderNote)
    with pytest.raises(BadExpression, match=r"OrderNote\.note is not projected by the index gsi2"):
        await table.query(orders_of_seller(seller="s"), into=OrderNote)
    assert (await table.query(unaware(day="d"), into=OrderId)).items == [OrderId("c", "o1", "d")]
    for question in (unaware(day="d"), orders_on(day="d")):
        with pytest.raises(BadExpression, match="a filter cannot name note, which the index gsi1 does not project"):
            await table.count(question, where=begins_with("note", "n"))
    with pytest.raises(BadExpression, match="gsi2 does not project note"):
        await table.engine.query(QueryRequest(pk="b", index=gsi2, fields=("state", "note")))
    with pytest.raises(BadExpression, match="returns no whole rows"):
        await table.delete_every(orders_on(day="d"))


async def test_a_table_that_projects_more_is_read_the_same(clock: SetClock) -> None:
    async with embedded(None, clock) as engine:
        table = Table(engine, clock=clock)
        await table.write(Create(order(1, total_price=3)))

        assert (await table.query(orders_on(day="d"))).items == [OrderId("c", "o1", "d")]
        assert (await table.query(orders_of_seller(seller="s"))).items == [OrderState("o1", "open", 3)]
        with pytest.raises(BadExpression, match="a filter cannot name note"):
            await table.query(orders_on(day="d"), where=equals("note", ""))


async def test_ids_are_not_read_from_keys_in_lower_case(clock: SetClock) -> None:
    projected = {gsi2: ("orderId", "state", "totalPrice")}
    async with embedded(None, clock, MAPS["electrodb"], {gsi1: KEYS_ONLY, **projected}) as engine:
        table = Table(engine, clock=clock)
        await table.write(Create(Order(customer_id="C", order_id="O", day="D", seller="S")))

        assert (await table.query(orders_of_seller(seller="S"))).items == [OrderState("O", "open", 0)]
        with pytest.raises(BadExpression, match=r"OrderId\.customer_id is not projected"):
            await table.query(orders_on(day="D"))


class Lease(Entity):
    """A row that expires, in an index that has its expiry."""

    keys = Keys(pk="LEASE#{name}", sk="-")
    by_holder = Index(gsi1, pk="HOLDER#{holder}", sk="{name}", projects=["until"])
    expires = "until"

    name: str
    holder: str
    until: int


class LeaseName(msgspec.Struct):
    name: str


leases_of = Pattern("P5", "Which leases has this holder?", Lease, index="by_holder", into=LeaseName)


async def test_expired_rows_are_not_returned(clock: SetClock) -> None:
    async with embedded(None, clock, projections={gsi1: ("until",)}) as engine:
        table = Table(engine, clock=clock)
        now = clock.now_ms() // 1000
        await table.write(old=Create(Lease(name="a", holder="h", until=now + 1)))
        await table.write(new=Create(Lease(name="b", holder="h", until=now + 100)))
        clock.move(seconds=2)

        assert (await table.query(leases_of(holder="h"))).items == [LeaseName("b")]

    async with embedded(None, clock, projections={gsi1: KEYS_ONLY}) as engine:
        with pytest.raises(BadExpression, match="the index gsi1 does not project until"):
            await Table(engine, clock=clock).query(leases_of(holder="h"))


async def test_a_file_is_opened_with_another_projection(clock: SetClock, tmp_path: Path) -> None:
    """Entries are references, so a projection may change; a file without one is as it always was."""
    async with embedded(tmp_path / "a.db", clock) as whole:
        await Table(whole).write(Create(order(1, total_price=3)))
    async with embedded(tmp_path / "a.db", clock, projections={gsi1: KEYS_ONLY}) as engine:
        assert (await Table(engine).query(orders_on(day="d"))).items == [OrderId("c", "o1", "d")]
    reopened = await EmbeddedEngine.open(str(tmp_path / "a.db"), None, clock=clock, janitor=False)
    assert reopened.layout.indexes[gsi1].projects == KEYS_ONLY
    assert reopened.layout.indexes[gsi2].projects is None
    await reopened.close()
