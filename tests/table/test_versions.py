"""Versions of rows: upgraded when they are read, and before they are changed; newer ones are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Entity,
    Index,
    Keys,
    Layout,
    Lookup,
    Pattern,
    Put,
    Table,
    Update,
    Upsert,
    add,
    equals,
    gsi1,
    set_to,
)
from sobremesa.table.engines.protocol import Engine, PutItem, RawKey
from sobremesa.table.errors import BadExpression, BadRow, ConditionFailed, RowTooNew
from sobremesa.table.values import Item
from table.engines import MAPS, embedded
from table.samples import row, stored


class Person(Entity):
    """Version 1 had `name`; version 2 `firstName` and `lastName`; version 3 has `lastName` in capitals, in an index."""

    keys = Keys(pk="PERSON#{person_id}", sk="META")
    by_name = Index(gsi1, pk="NAME#{last_name}", sk="{person_id}")
    schema_version = 3

    person_id: str
    first_name: str
    last_name: str
    visits: int = 0

    @classmethod
    def upgrade(cls, item: Item, from_version: int) -> Item:
        if from_version == 1:
            item["firstName"], item["lastName"] = item.pop("name").split()
        else:
            item["lastName"] = item["lastName"].upper()
        return item


person = Lookup("V1", "Who is this?", Person)
people_named = Pattern("V2", "Who has this name?", Person, index="by_name")

ADA = Person(person_id="1", first_name="Ada", last_name="LOVELACE")
FIRST: Item = {"entityType": "Person", "personId": "1", "name": "Ada Lovelace", "visits": 0}
SECOND: Item = {
    "entityType": "Person", "personId": "1", "firstName": "Ada", "lastName": "Lovelace", "visits": 0,
    "schemaVersion": 2,
}  # fmt: skip
THIRD: Item = {
    "pk": "PERSON#1", "sk": "META", "entityType": "Person", "personId": "1", "firstName": "Ada", "lastName": "LOVELACE",
    "visits": 0, "schemaVersion": 3, "gsi1pk": "NAME#LOVELACE", "gsi1sk": "1",
}  # fmt: skip


async def put_old(engine: Engine, old: Item) -> None:
    await engine.write(PutItem(RawKey("PERSON#1", "META"), {"pk": "PERSON#1", "sk": "META", **old}))


@pytest.mark.parametrize("old", [FIRST, SECOND, FIRST | {"schemaVersion": 1}, FIRST | {"schemaVersion": None}])
async def test_an_older_row_is_upgraded_when_it_is_read(table: Table, engine: Engine, old: Item) -> None:
    await put_old(engine, old)

    assert await table.get(person(person_id="1")) == ADA
    assert await table.get(person(person_id="1")) == ADA
    assert await stored(engine, "PERSON#1", "META") == {"pk": "PERSON#1", "sk": "META", **old}


async def test_the_version_is_stored_with_the_row(table: Table, engine: Engine) -> None:
    await put_old(engine, FIRST | {"theirs": 7})

    read = await table.get(person(person_id="1"))
    assert read is not None
    await table.write(Put(read))

    assert await stored(engine, "PERSON#1", "META") == THIRD | {"theirs": 7}
    assert await table.get(person(person_id="1")) == read
    assert (await table.query(people_named(last_name="LOVELACE"))).items == [read]


@pytest.mark.parametrize("old", [FIRST, SECOND])
async def test_an_update_upgrades_the_row_first(table: Table, engine: Engine, old: Item) -> None:
    await put_old(engine, old)

    written = await table.write(Update(ADA.own_key(), add(visits=1), when=equals("last_name", "LOVELACE")))

    assert written.visits == 1
    assert await stored(engine, "PERSON#1", "META") == THIRD | {"visits": 1}


async def test_every_row_of_a_transaction_is_upgraded_first(table: Table, engine: Engine) -> None:
    await put_old(engine, FIRST)
    await engine.write(row("PERSON#2", "META", **SECOND | {"personId": "2"}))
    await engine.write(row("PERSON#3", "META", **FIRST | {"personId": "3"}))

    await table.write(
        ada=Update(ADA.own_key(), set_to(first_name="Augusta")),
        second=Upsert(Person.key(person_id="2"), add(visits=2)),
        third=Check(Person.key(person_id="3"), when=equals("last_name", "LOVELACE")),
        fourth=Upsert(Person.key(person_id="4"), set_to(first_name="Bo", last_name="B")),
    )

    assert await stored(engine, "PERSON#1", "META") == THIRD | {"firstName": "Augusta"}
    assert (await stored(engine, "PERSON#2", "META") or {})["schemaVersion"] == 3
    assert (await stored(engine, "PERSON#4", "META") or {})["schemaVersion"] == 3
    assert await table.get(Person.key(person_id="2")) == Person(
        person_id="2", first_name="Ada", last_name="LOVELACE", visits=2
    )


async def test_a_condition_that_does_not_hold_for_the_upgraded_row_fails(table: Table, engine: Engine) -> None:
    await put_old(engine, FIRST)

    with pytest.raises(ConditionFailed):
        await table.write(Update(ADA.own_key(), add(visits=1), when=equals("last_name", "Lovelace")))
    with pytest.raises(ConditionFailed):
        await table.write(Create(ADA))
    await put_old(engine, FIRST)
    with pytest.raises(ConditionFailed):
        await table.write(Delete(ADA.own_key(), when=equals("first_name", "Bo")))
    await put_old(engine, FIRST)
    deleted = await table.write(Delete(ADA.own_key()))
    assert deleted == ADA


async def test_concurrent_updates_of_an_old_row_are_all_applied(clock: SetClock) -> None:
    async with embedded(None, clock) as engine:
        table = Table(engine, clock=clock)
        await put_old(engine, FIRST)

        await asyncio.gather(*(table.write(Update(ADA.own_key(), add(visits=1))) for _ in range(20)))

        assert await stored(engine, "PERSON#1", "META") == THIRD | {"visits": 20}


async def test_a_newer_row_is_refused(table: Table, engine: Engine) -> None:
    newer = THIRD | {"schemaVersion": 4}
    await put_old(engine, newer)

    with pytest.raises(RowTooNew, match="PERSON#1 / META has version 4 of Person; this program knows version 3") as new:
        await table.get(person(person_id="1"))
    with pytest.raises(RowTooNew):
        await table.write(Update(ADA.own_key(), add(visits=1)))
    with pytest.raises(RowTooNew):
        await table.write(Delete(ADA.own_key(), when=equals("visits", 0)))

    assert (new.value.version, new.value.known, new.value.key.pk) == (4, 3, "PERSON#1")
    page = await table.query(people_named(last_name="LOVELACE"))
    assert (page.items, [type(error) for error in page.unreadable]) == ([], [RowTooNew])
    assert await stored(engine, "PERSON#1", "META") == newer


class Stamp(Entity):
    """An entity that declares its first version."""

    keys = Keys(pk="STAMP#{stamp_id}", sk="META")
    schema_version = 1

    stamp_id: str
    value: int = 0


async def test_version_one_is_not_stored_and_newer_rows_are_refused(table: Table, engine: Engine) -> None:
    await table.write(Create(Stamp(stamp_id="s")))
    await table.write(Update(Stamp.key(stamp_id="s"), add(value=1)))
    await table.write(Upsert(Stamp.key(stamp_id="t"), add(value=1)))
    await engine.write(row("STAMP#u", "META", stampId="u", schemaVersion=2))

    assert "schemaVersion" not in (await stored(engine, "STAMP#s", "META") or {})
    assert "schemaVersion" not in (await stored(engine, "STAMP#t", "META") or {})
    assert await table.get(Stamp.key(stamp_id="s")) == Stamp(stamp_id="s", value=1)
    with pytest.raises(RowTooNew):
        await table.get(Stamp.key(stamp_id="u"))
    with pytest.raises(RowTooNew):
        await table.write(Update(Stamp.key(stamp_id="u"), add(value=1)))


class FirstName(msgspec.Struct):
    first_name: str


async def test_some_fields_of_an_older_row_are_upgraded(table: Table, engine: Engine) -> None:
    await put_old(engine, FIRST)

    assert await table.get(person(person_id="1"), into=FirstName) == FirstName("Ada")
    await table.write(Put(ADA))
    assert await table.get(person(person_id="1"), into=FirstName) == FirstName("Ada")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (FIRST | {"name": "Ada"}, "cannot be upgraded from version 1: ValueError"),
        (FIRST | {"schemaVersion": "2"}, "invalid schemaVersion '2'"),
        (FIRST | {"schemaVersion": 0}, "invalid schemaVersion 0"),
    ],
)
def test_a_row_that_cannot_be_upgraded_is_reported(bad: Item, why: str) -> None:
    with pytest.raises(BadRow, match=why):
        Person.from_item({"pk": "PERSON#1", "sk": "META", **bad}, Layout())


async def test_rows_in_the_style_of_electrodb_have_versions_too(clock: SetClock) -> None:
    async with embedded(None, clock, MAPS["electrodb"]) as engine:
        table = Table(engine, clock=clock)
        await engine.write(row("person#a", "meta", personId="A", name="Ada Lovelace", visits=0))

        written = await table.write(Update(Person.key(person_id="A"), add(visits=1)))

        assert written == Person(person_id="A", first_name="Ada", last_name="LOVELACE", visits=1)
        assert (await stored(engine, "person#a", "meta") or {})["schemaVersion"] == 3


def test_a_wrong_declaration_fails_when_the_class_is_created() -> None:
    def declare(**namespace: Any) -> None:
        annotations = {"a": str} | namespace.pop("fields", {})
        create: Any = type(Entity)
        create("Wrong", (Entity,), {"keys": Keys(pk="A#{a}", sk="A"), "__annotations__": annotations} | namespace)

    declare(schema_version=1)
    with pytest.raises(BadExpression, match="no method `upgrade`"):
        declare(schema_version=2)
    with pytest.raises(BadExpression, match="positive integer"):
        declare(schema_version=0)
    with pytest.raises(BadExpression, match="reserved"):
        declare(fields={"schema_version": int})
