"""Projections: some fields of rows as a smaller struct, on every engine."""

from __future__ import annotations

import msgspec
import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import Create, Layout, Put, Table, begins_with, measure
from sobremesa.table.engines.protocol import Engine, RawKey
from sobremesa.table.errors import BadExpression, BadRow
from sobremesa.table.projections import projection
from table import gaps
from table.engines import MAPS, Store, embedded
from table.samples import Message, Seat, everything_of, messages_of, post, room, rooms_of, row


class Body(msgspec.Struct, frozen=True):
    message_id: str
    body: str


class Likes(msgspec.Struct, frozen=True):
    """A field that the entity has a default for, one with another default, and a key part."""

    likes: int
    room_id: str
    body: str = "-"


class LikesOnly(msgspec.Struct, frozen=True):
    likes: int


class SeatState(msgspec.Struct, frozen=True, rename="kebab"):
    user_id: str
    seen_at: str | None
    tags: frozenset[str]


async def test_rows_are_read_as_a_smaller_struct(table: Table) -> None:
    messages = await post(table, "r", 3, body="hello")

    page = await table.query(messages_of(room_id="r"), into=Body, limit=2)
    rest = await table.query(messages_of(room_id="r"), into=Body, cursor=page.cursor)
    after = await table.query(messages_of(room_id="r"), into=Body, after=messages[1], where=begins_with("body", "h"))

    assert page.items == [Body("m00", "hello"), Body("m01", "hello")]
    assert rest.items == after.items == [Body("m02", "hello")]
    assert [each async for each in table.every(messages_of(room_id="r"), into=Body)] == page.items + rest.items
    assert await table.get(messages[0].own_key(), into=Body) == Body("m00", "hello")
    assert await table.get(Message.key(room_id="r", message_id="x"), into=Body) is None


async def test_rows_by_their_keys_are_read_as_a_smaller_struct(table: Table) -> None:
    messages = await post(table, "r", 120, body="hello")  # more than one batch
    missing = Message.key(room_id="r", message_id="x")

    found = await table.get_many([missing, *(message.own_key() for message in reversed(messages))], into=Body)

    assert found == [None, *(Body(message.message_id, "hello") for message in reversed(messages))]
    assert await table.get_many([], into=Body) == []


async def test_rows_of_several_entities_are_not_read_as_one_struct(table: Table) -> None:
    with pytest.raises(BadExpression, match="of one entity"):
        await table.get_many([room(room_id="r"), Message.key(room_id="r", message_id="m")], into=Body)


async def test_fields_of_a_batch_of_reads_include_the_key(engine: Engine) -> None:
    for fields in ((), ("body",), ("pk", "body"), ("pk", "sk", "sk")):
        with pytest.raises(BadExpression):
            await engine.batch_get([RawKey("p", "s")], consistent=True, fields=fields)


async def test_an_index_is_read_as_a_smaller_struct(table: Table) -> None:
    await table.write(Create(Seat(room_id="r", user_id="u", tags=frozenset({"a"}))))

    page = await table.query(rooms_of(user_id="u"), into=SeatState)

    assert page.items == [SeatState(user_id="u", seen_at=None, tags=frozenset({"a"}))]


async def test_a_missing_attribute_has_the_default_that_it_has_in_the_whole_row(table: Table) -> None:
    """Rows of other writers: a missing attribute, NULL, and parts that are only in the keys."""
    await table.engine.write(row("ROOM#r", "MSG#1"))
    await table.engine.write(row("ROOM#r", "MSG#2", likes=None, body="b"))
    await table.engine.write(row("ROOM#s", "SEAT#u", gsi1pk="USER#u", gsi1sk="ROOM#s"))

    page = await table.query(messages_of(room_id="r"), into=Likes)

    assert page.items == [Likes(likes=0, room_id="r"), Likes(likes=0, room_id="r", body="b")]
    assert (await table.query(rooms_of(user_id="u"), into=SeatState)).items == [SeatState("u", None, frozenset())]


async def test_a_row_that_does_not_fit_is_reported(table: Table) -> None:
    await post(table, "r", 1)
    await table.engine.write(row("ROOM#r", "MSG#bad", body=7))

    page = await table.query(messages_of(room_id="r"), into=Body)

    assert len(page.items) == 1
    assert [error.key.sk for error in page.unreadable] == ["MSG#bad"]
    with pytest.raises(BadRow, match="is not a valid Body"):
        await table.get(Message.key(room_id="r", message_id="bad"), into=Body)
    assert (await table.query(messages_of(room_id="r"), into=Likes)).unreadable[0].key.sk == "MSG#bad"


async def test_it_costs_as_much_as_the_whole_rows(table: Table, store: Store) -> None:
    await table.write(Put(Message(room_id="r", message_id="m", body="x" * 9000)))
    key = Message.key(room_id="r", message_id="m")
    with measure() as whole:
        await table.query(messages_of(room_id="r"))
    with measure() as some:
        await table.query(messages_of(room_id="r"), into=LikesOnly)
    with measure() as one:
        await table.get(key, into=LikesOnly, consistent=True)
    with measure() as several:
        await table.get_many([key], into=LikesOnly, consistent=True)

    assert some.read == whole.read
    if not gaps.has(store, "capacity-constant"):
        assert whole.read == 1.5
        assert several.read == 3.0
        assert one.read == (1.0 if gaps.has(store, "projection-charged") else 3.0)


def test_only_the_attributes_of_the_fields_are_requested() -> None:
    assert projection(Message, Body).attributes(Layout()) == ("body", "messageId", "pk", "sk")
    assert projection(Seat, SeatState).attributes(Layout()) == (
        "gsi2pk", "gsi2sk", "pk", "seenAt", "sk", "tags", "userId",
    )  # fmt: skip


class Typo(msgspec.Struct):
    bodi: str


class Nothing(msgspec.Struct):
    pass


async def test_a_field_that_the_entity_does_not_have_is_refused(table: Table) -> None:
    with pytest.raises(BadExpression, match=r"Typo.bodi is not a field of Message \(did you mean body\?\), which has"):
        await table.query(messages_of(room_id="r"), into=Typo)
    with pytest.raises(BadExpression, match=r"Typo\.bodi is not a field of Room"):
        await table.get(room(room_id="r"), into=Typo)
    with pytest.raises(BadExpression, match="no fields"):
        await table.get(room(room_id="r"), into=Nothing)
    with pytest.raises(BadExpression, match="several entities"):
        await table.query(everything_of(room_id="r"), into=Body)


async def test_ids_in_another_case_are_not_confused(clock: SetClock) -> None:
    async with embedded(None, clock, MAPS["electrodb"]) as engine:
        table = Table(engine, clock=clock)
        await table.write(Create(Message(room_id="R", message_id="M", body="b")))

        assert await table.get(Message.key(room_id="R", message_id="M"), into=Body) == Body("M", "b")
        assert await table.get(Message.key(room_id="r", message_id="M"), into=Body) is None
        keys = [Message.key(room_id=room_id, message_id="M") for room_id in ("R", "r")]
        assert await table.get_many(keys, into=Body) == [Body("M", "b"), None]
        assert (await table.query(messages_of(room_id="R"), into=Body)).items == [Body("M", "b")]
        assert (await table.query(messages_of(room_id="r"), into=Body)).items == []
