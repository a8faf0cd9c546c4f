"""What the toolkit does not let happen by accident: ghost rows, leaking questions, rows that cannot be read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import (
    Create,
    Delete,
    Entity,
    Index,
    Keys,
    Pattern,
    Put,
    RawKey,
    Table,
    Update,
    absent,
    add,
    always,
    equals,
    gsi1,
    less_if_present,
    open_engine,
    set_if_absent,
    set_to,
)
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.errors import BadExpression, BadRow, BadValue, ConditionFailed, StoreBusy, StoreFailed
from sobremesa.table.layout import IndexLayout, IndexName, Layout


class Circle(msgspec.Struct, tag=True):
    radius: int


class Square(msgspec.Struct, tag=True):
    side: int


class Note(Entity):
    keys = Keys(pk="PAD#{pad}", sk="NOTE#{note}")
    by_author = Index(gsi1, pk="AUTHOR#{author}", sk="{written}#{note}")

    pad: str
    note: str
    seen: str | None = None
    author: str
    written: str = "2026"
    drawing: Circle | Square | None = None


class Sticker(Entity):
    keys = Keys(pk="PAD#{pad}", sk="STICKER#{name}")

    pad: str
    name: str


class Lent(Entity):
    keys = Keys(pk="PAD#{pad}", sk="LENT#{name}")
    expires = "until"

    pad: str
    name: str
    until: int | None = None
    secret: str = ""


class Tally(Entity):
    keys = Keys(pk="TALLY#{name}", sk="TALLY")

    name: str
    title: str
    count: int = 0


notes_on = Pattern("G1", "What is on this pad?", Note)
everything_on = Pattern[Note | Sticker]("G2", "What is all on it?", Note, Sticker)
notes_of = Pattern("G3", "What did they write?", Note, index="by_author")
lent_from = Pattern("G4", "What is lent?", Lent)


def note(number: str, **more: Any) -> Note:
    return Note(pad="p", note=number, author="ana", **more)


@pytest.mark.parametrize("when", [absent("seen"), less_if_present("seen", "b"), None])
async def test_no_condition_lets_an_update_or_delete_create_a_row(table: Table, when: Any) -> None:
    for operation in (
        Update(Note.key(pad="p", note="1"), set_to(seen="b"), when=when),
        Delete(Note.key(pad="p", note="1"), when=when),
    ):
        with pytest.raises(ConditionFailed):
            await table.write(operation)

    assert (await table.query(notes_on(pad="p"))).items == []


async def test_a_cursor_moves_forward_also_from_null(table: Table) -> None:
    await table.write(Create(note("1")))
    item = note("1").to_item(table.layout) | {"seen": None}
    await table.engine.write(PutItem(RawKey("PAD#p", "NOTE#1"), item))

    moved = await table.write(Update(note("1").own_key(), set_to(seen="b"), when=less_if_present("seen", "b")))

    assert moved.seen == "b"


async def test_a_pattern_without_a_prefix_gives_no_rows_of_other_kinds(table: Table) -> None:
    await table.write(
        note=Create(note("1")), sticker=Create(Sticker(pad="p", name="star")), lent=Create(Lent(pad="p", name="pen"))
    )

    assert [type(row) for row in (await table.query(notes_on(pad="p"))).items] == [Note]
    assert [type(row) for row in (await table.query(everything_on(pad="p"))).items] == [Note, Sticker]


async def test_what_is_one_of_several_shapes_can_be_read_again(table: Table) -> None:
    await table.write(Create(note("1", drawing=Square(side=3))))

    found = await table.get(note("1").own_key())

    assert found is not None
    assert found.drawing == Square(side=3)


async def test_page_of_an_index_continues_after_a_row(table: Table) -> None:
    written = [note(str(number), written=f"202{number}") for number in range(4)]
    for each in written:
        await table.write(Create(each))

    page = await table.query(notes_of(author="ana"), after=written[1])

    assert [each.note for each in page.items] == ["2", "3"]


async def test_a_path_of_one_step_is_a_name(table: Table) -> None:
    await table.write(Create(note("1")))
    key = note("1").own_key()

    await table.write(Update(key, set_to({("author",): "bo", ("written",): "2027"})))
    assert len((await table.query(notes_of(author="bo"))).items) == 1
    for forbidden in (set_to({("note",): "2"}), set_to({("note", "x"): "2"})):
        with pytest.raises(BadExpression, match="key"):
            await table.write(Update(key, forbidden))


async def test_no_value_is_no_value_to_set_if_absent(table: Table) -> None:
    await table.write(Create(note("1")))

    await table.write(Update(note("1").own_key(), set_if_absent(seen=None), set_to(written="2027", author="ana")))

    read = await table.engine.get(RawKey("PAD#p", "NOTE#1"), consistent=True, fields=None)
    assert read.item is not None
    assert "seen" not in read.item


async def test_row_that_was_written_but_cannot_be_read_is_not_a_refusal(table: Table) -> None:
    with pytest.raises(BadRow):
        await table.write(Update(Tally.key(name="t"), add(count=1), when=always()))

    read = await table.engine.get(RawKey("TALLY#t", "TALLY"), consistent=True, fields=None)
    assert read.item is not None
    assert read.item["count"] == 1


class Secret(msgspec.Struct):
    secret: str | None


async def test_some_fields_of_an_expired_row_are_not_shown_either(table: Table, clock: SetClock) -> None:
    await table.write(Create(Lent(pad="p", name="pen", until=clock.now_ms() // 1000 + 10, secret="s")))
    assert (await table.query(lent_from(pad="p"), into=Secret)).items == [Secret("s")]

    clock.move(seconds=11)

    assert (await table.query(lent_from(pad="p"), into=Secret)).items == []
    assert await table.get(Lent.key(pad="p", name="pen"), into=Secret) is None


async def test_a_row_that_knows_only_the_tables_expiry_keeps_it_when_it_is_written_again(table: Table) -> None:
    expiry = 4_000_000_000
    item = {"pk": "PAD#p", "sk": "LENT#pen", "pad": "p", "name": "pen", "ttl": expiry}
    await table.engine.write(PutItem(RawKey("PAD#p", "LENT#pen"), item))
    row = await table.get(Lent.key(pad="p", name="pen"))
    assert row is not None

    await table.write(Put(row))

    read = await table.engine.get(RawKey("PAD#p", "LENT#pen"), consistent=True, fields=None)
    assert read.item is not None
    assert (read.item["ttl"], read.item["until"]) == (expiry, expiry)


async def test_token_cannot_be_used_with_rows_that_expire(table: Table) -> None:
    with pytest.raises(BadExpression, match="token"):
        await table.write(lent=Create(Lent(pad="p", name="pen")), note=Create(note("1")), token="t")


def test_a_field_may_not_take_a_name_that_every_entity_needs() -> None:
    with pytest.raises(BadExpression, match="own_key"):

        class Taken(Entity):
            own_key: str  # type: ignore[assignment]


async def test_lone_surrogate_is_refused_everywhere(table: Table) -> None:
    await table.write(Create(note("1")))
    key = note("1").own_key()

    for write in (
        Update(key, set_to(seen="\ud800")),
        Update(key, set_to(seen="x"), when=equals("seen", "\ud800")),
    ):
        with pytest.raises(BadValue):
            await table.write(write)


@pytest.mark.parametrize("expiry", [1 << 63, 10**37])
async def test_time_after_the_year_9999_does_no_harm(table: Table, expiry: int) -> None:
    await table.write(Create(Lent(pad="p", name="pen", until=expiry)))

    found = await table.get(Lent.key(pad="p", name="pen"))

    assert found is not None
    assert found.until == expiry


async def test_time_before_the_year_one_does_no_harm(table: Table) -> None:
    key = RawKey("PAD#p", "LENT#pen")
    item = {"pk": key.pk, "sk": key.sk, "ttl": -(10**37)}
    await table.engine.write(PutItem(key, item))

    assert (await table.engine.get(key, consistent=True, fields=None)).item == item


async def test_a_number_too_long_to_be_written_down_is_a_clear_error(table: Table) -> None:
    await table.write(Create(note("1")))

    with pytest.raises(BadValue, match="digits"):
        await table.write(Update(note("1").own_key(), set_to(seen=10**5000 + 1)))


async def test_the_indexes_of_a_store_in_use_stay_as_they_are(tmp_path: Path) -> None:
    third = Layout(indexes={**Layout().indexes, IndexName("gsi3"): IndexLayout("gsi3", "gsi3pk", "gsi3sk")})
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    server = await open_engine(store, layout=third, janitor=False)

    command = await open_engine(store, janitor=False)
    assert command.layout.indexes.keys() == third.indexes.keys()
    await command.close()
    with pytest.raises(StoreBusy):
        await open_engine(store, layout=Layout(), janitor=False)
    other = await open_engine(store, janitor=False)
    with pytest.raises(StoreBusy):
        await other.drop_table()
    await other.close()
    await server.write(PutItem(RawKey("p", "s"), {"pk": "p", "sk": "s", "gsi3pk": "a", "gsi3sk": "b"}))
    await server.close()


async def test_a_copy_is_not_made_beside_the_log_of_another_store(tmp_path: Path) -> None:
    engine = await EmbeddedEngine.open(str(tmp_path / "chat.db"), None, clock=SetClock(), janitor=False)
    (tmp_path / "copy.db-wal").write_bytes(b"left by a killed process")

    with pytest.raises(StoreFailed, match="left from another store"):
        await engine.backup(tmp_path / "copy.db")

    assert not (tmp_path / "copy.db").exists()
    await engine.close()
