"""Entities: typed rows, their stored names, and what is refused when a class is made."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NewType

import msgspec
import pytest

from sobremesa.table import (
    NEWEST,
    Create,
    Entity,
    Index,
    IndexLayout,
    Keys,
    Layout,
    Put,
    Table,
    Update,
    add,
    gsi1,
    gsi2,
    set_to,
)
from sobremesa.table.engines.embedded.codec import pack, unpack
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.errors import BadExpression, BadKey, BadRow
from sobremesa.table.lowering import lower
from sobremesa.table.values import SharedItem, weigh
from table.samples import Message, Room, Seat, stored

LAYOUT = Layout()
UserId = NewType("UserId", str)


class Colour(Enum):
    RED = "red"


class Size(msgspec.Struct, frozen=True, rename="camel"):
    width_px: int
    height_px: int | None = None


class Picture(Entity):
    """Fields of every kind."""

    keys = Keys(pk="PICTURE#{picture_id}", sk="META")

    picture_id: str
    owner_id: UserId
    size: Size
    colours: tuple[Colour, ...] = ()
    tags: frozenset[str] = frozenset()
    exif: dict[str, Any] = msgspec.field(default_factory=dict)
    price: Decimal | int | float = 0
    digest: bytes = b""
    kind: Literal["photo", "drawing"] = "photo"
    public: bool = False
    taken_at: str | None = None


PICTURE = Picture(
    picture_id="p1",
    owner_id=UserId("u1"),
    size=Size(640),
    colours=(Colour.RED,),
    tags=frozenset({"é", "b"}),
    exif={"lens": {"mm": 35.5}, "list": [1, None]},
    price=Decimal("12345678901234567890.123"),
    digest=b"\x00\x01",
    public=True,
)


async def test_every_kind_of_field_comes_back_as_it_went(table: Table) -> None:
    await table.write(Create(PICTURE))

    assert await table.get(PICTURE.own_key(), consistent=True) == PICTURE


async def test_a_row_is_stored_under_camel_case_names_with_its_type_and_without_none(table: Table) -> None:
    await table.write(Create(PICTURE))

    item = await stored(table.engine, "PICTURE#p1", "META")

    assert item == {
        "pk": "PICTURE#p1",
        "sk": "META",
        "entityType": "Picture",
        "pictureId": "p1",
        "ownerId": "u1",
        "size": {"widthPx": 640},
        "colours": ["red"],
        "tags": {"é", "b"},
        "exif": {"lens": {"mm": 35.5}, "list": [1, None]},
        "price": Decimal("12345678901234567890.123"),
        "digest": b"\x00\x01",
        "kind": "photo",
        "public": True,
    }


def test_an_entity_may_choose_its_own_names() -> None:
    class Inbox(Entity, rename={"tenant": "tenant_key", "user": "uid"}):
        keys = Keys(pk="t#{tenant}U#{user}", sk="c#*")
        entity_type = "US"

        tenant: str
        user: str
        published: int = 0

    item = Inbox(tenant="t", user="u").to_item(LAYOUT)

    assert item == {
        "pk": "t#tU#u", "sk": "c#*", "entityType": "US", "tenant_key": "t", "uid": "u", "published": 0,
    }  # fmt: skip
    assert Inbox.from_item(item, LAYOUT) == Inbox(tenant="t", user="u")


def test_one_field_may_have_a_name_of_its_own() -> None:
    class Thing(Entity):
        keys = Keys(pk="THING#{thing_id}", sk="THING")

        thing_id: str
        seen_at: int = msgspec.field(name="SEEN", default=0)

    assert Thing(thing_id="x", seen_at=1).to_item(LAYOUT)["SEEN"] == 1


def test_layout_names_the_keys_indexes_and_type_of_an_existing_table() -> None:
    theirs = Layout(
        pk="PK",
        sk="SK",
        entity_type="_type",
        indexes={gsi1: IndexLayout("GSI1", "GSI1PK", "GSI1SK"), gsi2: IndexLayout("GSI2", "GSI2PK", "GSI2SK")},
    )
    seat = Seat(room_id="r", user_id="u", seen_at="t")

    item = seat.to_item(theirs)

    assert item["PK"] == "ROOM#r"
    assert item["_type"] == "Seat"
    assert (item["GSI1PK"], item["GSI1SK"]) == ("USER#u", "ROOM#r")
    assert (item["GSI2PK"], item["GSI2SK"]) == ("USER#u", "SEEN#t#r")
    assert Seat.from_item(item, theirs) == seat


def test_a_row_stays_out_of_an_index_while_a_part_of_its_key_is_none() -> None:
    item = Seat(room_id="r", user_id="u").to_item(LAYOUT)

    assert item["gsi1pk"] == "USER#u"
    assert "gsi2pk" not in item
    assert "gsi2sk" not in item


def test_of_several_declarations_on_one_index_the_first_that_is_complete_counts() -> None:
    class Thread(Entity):
        keys = Keys(pk="THR#{thread_id}", sk="THR")
        by_lbg = Index(gsi2, pk="LBG#{lbg_id}", sk="{created_at}")
        by_leg = Index(gsi2, pk="LEG#{leg_id}", sk="{created_at}")

        thread_id: str
        created_at: str
        lbg_id: str | None = None
        leg_id: str | None = None

    def partition(**ids: Any) -> Any:
        return Thread(thread_id="t", created_at="2025", **ids).to_item(LAYOUT).get("gsi2pk")

    assert partition(lbg_id="a", leg_id="b") == "LBG#a"
    assert partition(leg_id="b") == "LEG#b"
    assert partition() is None


async def test_an_update_of_a_part_moves_the_row_in_its_index(table: Table) -> None:
    from table.samples import activity_of

    await table.write(Create(Seat(room_id="r", user_id="u")))
    key = Seat.key(room_id="r", user_id="u")
    assert (await table.query(activity_of(user_id="u"))).items == []

    moved = await table.write(Update(key, set_to(seen_at="2026")))
    assert (await table.query(activity_of(user_id="u"))).items == [moved]

    item = await stored(table.engine, *key.raw)
    assert item is not None
    assert item["gsi2sk"] == "SEEN#2026#r"

    await table.write(Update(key, set_to(seen_at=None)))
    assert (await table.query(activity_of(user_id="u"))).items == []


def test_update_that_does_not_determine_the_new_index_key_is_refused() -> None:
    from sobremesa.table.lowering import lower

    class Case(Entity):
        keys = Keys(pk="CASE#{case_id}", sk="CASE")
        by_state = Index(gsi1, pk="STATE#{state}", sk="{opened_at}#{case_id}")

        case_id: str
        state: str
        opened_at: str
        votes: int = 0

    key = Case.key(case_id="c")
    lower(Update(key, set_to(state="open", opened_at="2026")), LAYOUT, 0)
    lower(Update(key, add(votes=1)), LAYOUT, 0)
    with pytest.raises(BadExpression, match="opened_at"):
        lower(Update(key, set_to(state="open")), LAYOUT, 0)
    with pytest.raises(BadExpression, match="case_id is part"):
        lower(Update(key, set_to(case_id="d")), LAYOUT, 0)
    with pytest.raises(BadExpression, match="no field 'colour'"):
        lower(Update(key, set_to(colour="red")), LAYOUT, 0)
    with pytest.raises(BadKey):
        lower(Update(key, set_to(state="a#b", opened_at="2026")), LAYOUT, 0)


def test_type_of_a_row_is_its_class_name_by_default() -> None:
    assert Room(room_id="r").to_item(LAYOUT)["entityType"] == "Room"


def test_unknown_field_in_an_index_fails_when_the_class_is_created() -> None:
    with pytest.raises(BadKey, match="unknown"):

        class Wrong(Entity):
            keys = Keys(pk="A#{a}", sk="A")
            by_b = Index(gsi1, pk="B#{unknown}", sk="A")

            a: str


def test_a_field_that_may_be_none_needs_a_default_and_may_not_be_in_the_key() -> None:
    with pytest.raises(BadExpression, match="default"):

        class WithoutDefault(Entity):
            keys = Keys(pk="A#{a}", sk="A")

            a: str
            b: str | None

    with pytest.raises(BadKey, match="may not be None"):

        class NoneInKey(Entity):
            keys = Keys(pk="A#{a}", sk="A")

            a: str | None = None


def test_expiry_of_an_unknown_field_fails_when_the_class_is_created() -> None:
    with pytest.raises(BadExpression, match="until"):

        class Wrong(Entity):
            keys = Keys(pk="A#{a}", sk="A")
            expires = "until"

            a: str


class Note(Entity):
    """Fields whose stored form may differ from what was given."""

    keys = Keys(pk="NOTE#{note_id}", sk="META")

    note_id: str
    text: str | None = None
    price: float | int = 0
    tags: frozenset[str] = frozenset()
    data: dict[str, Any] | None = None


class Colored(Entity):
    """A field that is not None again if it was None when the row was written."""

    keys = Keys(pk="COLORED#{id}", sk="META")

    id: str
    color: str | None = "red"


@pytest.mark.parametrize(
    ("row", "is_kept"),
    [
        (Note(note_id="n", text="hello"), True),
        (Note(note_id="n", text="", price=1), True),
        (Note(note_id="n", price=1.0), False),
        (Note(note_id="n", tags=frozenset("a")), False),
        (Note(note_id="n", data={"size": 1.0}), False),
        (Note(note_id="n", other={"else": "kept"}), False),
        (Colored(id="c", color=None), False),
        (Picture(picture_id="p", owner_id=UserId("u"), size=Size(1)), False),
    ],
)
def test_item_has_its_entity_only_if_reading_it_gives_the_same(row: Entity, is_kept: bool) -> None:
    written = lower(Put(row), LAYOUT, 0)
    assert isinstance(written, PutItem)
    item, _ = weigh(written.item)
    kept = item.entity if isinstance(item, SharedItem) else None
    assert kept is (row if is_kept else None)
    if is_kept:
        assert type(row).from_item(unpack(pack(item)), LAYOUT) == row


async def test_change_of_a_new_row_has_the_row_that_was_written(table: Table) -> None:
    if not table.engine.keeps_order:
        return  # only the embedded engine has the item in memory
    reader = await table.changes(NEWEST)
    note = Note(note_id="n", text="hello")
    await table.write(Create(note))
    [change] = (await reader.read(10)).changes
    assert change.new is not None
    assert table.decode(change.new, Note) is note
    assert table.decode(dict(change.new), Note) == note
    assert table.decode(change.new, Picture) is None


def test_entities_are_frozen_and_equal_by_value() -> None:
    message = Message(room_id="r", message_id="m")

    with pytest.raises(AttributeError):
        message.body = "x"  # type: ignore[misc]
    assert message == Message(room_id="r", message_id="m")
    assert message != Message(room_id="r", message_id="m", body="x")


async def test_unknown_attributes_are_kept_when_a_row_is_written_again(table: Table) -> None:
    foreign = {
        "pk": "ROOM#r", "sk": "MSG#m", "entityType": "Message", "roomId": "r", "messageId": "m", "body": "old",
        "likes": 0, "schemaVersion": 2, "theirs": {"deep": [1, b"x"]}, "nothing": None, "gsi2pk": "X", "gsi2sk": "Y",
    }  # fmt: skip
    from sobremesa.table.engines.protocol import PutItem, RawKey

    await table.engine.write(PutItem(RawKey("ROOM#r", "MSG#m"), foreign))

    loaded = await table.get(Message.key(room_id="r", message_id="m"))
    assert loaded is not None
    assert loaded.other["theirs"] == {"deep": [1, b"x"]}
    await table.write(Put(msgspec.structs.replace(loaded, body="new")))

    assert await stored(table.engine, "ROOM#r", "MSG#m") == foreign | {"body": "new"}


def test_row_without_a_required_field_is_reported() -> None:
    with pytest.raises(BadRow, match="PICTURE#p1") as bad:
        Picture.from_item({"pk": "PICTURE#p1", "sk": "META"}, LAYOUT)
    assert bad.value.key == ("PICTURE#p1", "META")
    with pytest.raises(BadRow, match="likes"):
        Message.from_item({"pk": "ROOM#r", "sk": "MSG#m", "likes": "many"}, LAYOUT)


def test_a_number_in_a_key_is_read_back_as_a_number() -> None:
    class Chunk(Entity):
        keys = Keys(pk="JOB#{job}", sk="CHUNK#{n:05}")

        job: str
        n: int

    chunk = Chunk.from_item({"pk": "JOB#j", "sk": "CHUNK#00012"}, LAYOUT)

    assert chunk == Chunk(job="j", n=12)
    assert chunk.own_key().raw.sk == "CHUNK#00012"
    with pytest.raises(BadRow):
        Chunk.from_item({"pk": "JOB#j", "sk": "CHUNK#abc"}, LAYOUT)
