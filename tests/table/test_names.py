"""A table that names things otherwise keeps every promise, and a name map that cannot be is refused."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from servers import Endpoint
from sobremesa.app import REGISTRY
from sobremesa.core.clock import SetClock
from sobremesa.table import OLDEST, Create, Entity, Keys, Layout, RawKey, Registry, Table, Update, gsi1, gsi2, set_to
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import StoreForeign
from sobremesa.table.names import BadNames, IndexNames, Names
from table import (
    test_cursors,
    test_entities,
    test_expiry,
    test_guards,
    test_patterns,
    test_queries,
    test_read_cache,
    test_reads,
    test_transactions,
    test_upserts,
    test_writes,
)
from table.engines import CAPITALS, MAPS, dynamo, embedded
from table.samples import Message, Seat, Session, stored

PROMISES: tuple[Callable[..., Awaitable[None]], ...] = (
    test_cursors.test_a_cursor_leads_from_page_to_page_to_the_end,
    test_cursors.test_a_cursor_leads_through_an_index_backward,
    test_cursors.test_a_cursor_of_another_question_is_refused,
    test_cursors.test_a_cursor_of_another_direction_is_refused,
    test_cursors.test_a_page_starts_after_a_cursor_or_a_key_but_not_both,
    test_cursors.test_cursor_is_valid_after_its_row_is_deleted,
    test_entities.test_every_kind_of_field_comes_back_as_it_went,
    test_expiry.test_a_row_is_there_until_its_second_comes,
    test_expiry.test_an_expired_row_is_invisible_to_every_read,
    test_expiry.test_an_expired_row_may_be_created_again,
    test_expiry.test_what_must_be_absent_may_be_expired,
    test_guards.test_a_pattern_without_a_prefix_gives_no_rows_of_other_kinds,
    test_guards.test_page_of_an_index_continues_after_a_row,
    test_patterns.test_pattern_of_several_entities_returns_each_row_as_its_entity,
    test_queries.test_rows_are_read_forward_or_backward,
    test_queries.test_all_rows_are_read_page_by_page,
    test_queries.test_a_typed_filter_names_fields,
    test_queries.test_rows_are_counted_up_to_a_limit,
    test_queries.test_an_index_follows_writes_and_deletes,
    test_reads.test_many_rows_come_in_the_order_of_their_keys_however_many_and_however_often,
    test_reads.test_many_rows_of_several_kinds_come_each_as_their_own,
    test_read_cache.test_result_is_loaded_once_until_a_row_it_read_changes,
    test_transactions.test_all_operations_happen_together,
    test_transactions.test_when_one_condition_fails_nothing_happens_and_every_failure_is_named,
    test_transactions.test_indexes_and_rows_change_together_or_not_at_all,
    test_upserts.test_upsert_creates_a_complete_row,
    test_upserts.test_an_upsert_describes_only_an_existing_row,
    test_upserts.test_a_pair_of_different_rows_comes_by_one_request,
    test_upserts.test_leaving_an_index_needs_only_the_removed_part,
    test_writes.test_a_create_succeeds_once,
    test_writes.test_a_put_replaces_the_whole_row,
    test_writes.test_an_update_or_delete_of_nothing_fails_and_leaves_no_ghost,
    test_writes.test_an_update_gives_the_row_after_it_and_a_delete_the_row_before_it,
    test_writes.test_a_cursor_moves_forward_only,
    test_writes.test_single_check_changes_nothing_and_fails_like_other_operations,
    test_writes.test_many_rows_are_written_whatever_their_number_and_the_last_of_equal_keys_wins,
)
"""Tests of the contract that speak of rows and not of how they are stored."""


@pytest.fixture(params=MAPS)
def names(request: pytest.FixtureRequest) -> Names:
    return MAPS[request.param]


@pytest.fixture(params=["embedded", "dynoxide"])
async def engine(
    names: Names, clock: SetClock, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Engine]:
    if request.param == "embedded":
        async with embedded(tmp_path / "table.db", clock, names) as local:
            yield local
        return
    endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
    async with dynamo(endpoint, clock, names) as remote:
        yield remote


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_every_promise_is_kept_under_other_names(
    promise: Callable[..., Awaitable[None]], table: Table, clock: SetClock
) -> None:
    given = {"table": table, "engine": table.engine, "clock": clock}

    await promise(**{name: given[name] for name in inspect.signature(promise).parameters})


async def test_rows_are_stored_under_the_names_of_the_map(table: Table, names: Names) -> None:
    seat = Seat(room_id="R1", user_id="U1", seen_at="2026")
    session = Session(user_id="U1", session_id="S1", expires_at=4102444800)
    await table.write(seat=Create(seat), session=Create(session))

    if names is CAPITALS:
        assert await stored(table.engine, "ROOM#R1", "SEAT#U1") == {
            "PK": "ROOM#R1", "SK": "SEAT#U1", "GSI1PK": "USER#U1", "GSI1SK": "ROOM#R1", "GSI2PK": "USER#U1",
            "GSI2SK": "SEEN#2026#R1", "_type": "Seat", "roomId": "R1", "userId": "U1", "role": "member",
            "seenAt": "2026",
        }  # fmt: skip
        kept = await stored(table.engine, "USER#U1", "SESSION#S1")
    else:
        assert await stored(table.engine, "room#r1", "seat#u1") == {
            "pk": "room#r1", "sk": "seat#u1", "gsi1pk": "user#u1", "gsi1sk": "room#r1", "gsi2pk": "user#u1",
            "gsi2sk": "seen#2026#r1", "__edb_e__": "seat", "__edb_v__": "1", "roomId": "R1", "userId": "U1",
            "role": "member", "seenAt": "2026",
        }  # fmt: skip
        kept = await stored(table.engine, "user#u1", "session#s1")
    assert kept is not None
    assert kept[names.ttl] == kept["expiresAt"] == 4102444800


async def test_a_row_of_the_stream_finds_its_entity(table: Table) -> None:
    registry = Registry([Seat, Message])
    message = Message(room_id="R1", message_id="M1", body="hello")
    await table.write(Create(message))
    await table.write(Update(message.own_key(), set_to(body="Hello")))

    reader = await table.changes(OLDEST)
    rows = [change.new for change in (await reader.read(1)).changes if change.new]
    await reader.close()

    assert [registry.entity_of(row, table.layout) for row in rows] == [Message, Message]
    assert [Message.from_item(row, table.layout).body for row in rows] == ["hello", "Hello"]


async def test_file_keeps_its_names_and_accepts_no_others(names: Names, tmp_path: Path, clock: SetClock) -> None:
    file = tmp_path / "table.db"
    seat = Seat(room_id="R1", user_id="U1")
    async with embedded(file, clock, names) as engine:
        await Table(engine).write(Create(seat))

    by_itself = await EmbeddedEngine.open(str(file), None, clock=clock, janitor=False)
    assert await Table(by_itself).get(seat.own_key()) == seat
    await by_itself.close()
    with pytest.raises(StoreForeign, match="stored under the names"):
        await EmbeddedEngine.open(str(file), Layout(), clock=clock)
    async with embedded(file, clock, names) as again:
        assert await Table(again).get(seat.own_key()) == seat


def test_without_names_everything_has_its_own() -> None:
    named, own = Layout.named(Names()), Layout()

    for field in Layout.__struct_fields__:
        assert getattr(named, field) == getattr(own, field)
    assert Layout.named(CAPITALS).indexes[gsi2].sk == "GSI2SK"
    half = Layout.named(Names(indexes={"gsi1": IndexNames(name="ByUser")}))
    assert (half.indexes[gsi1].name, half.indexes[gsi1].pk) == ("ByUser", "gsi1pk")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"pk": "id", "sk": "id"}, "pk and sk are both called 'id'"),
        ({"ttl": "gsi2sk"}, "ttl and indexes.gsi2.sk are both called 'gsi2sk'"),
        ({"indexes": {"gsi1": IndexNames(name="gsi2")}}, "indexes.gsi1.name and indexes.gsi2.name"),
        ({"indexes": {"gsi1": IndexNames(name="g 1")}}, "indexes.gsi1.name is 'g 1'"),
        ({"pk": ""}, "pk has a name of 1 to 255 bytes"),
        ({"sk": "ä" * 128}, "sk has a name of 1 to 255 bytes"),
        ({"style": "electrodb", "entity_type": "__edb_v__"}, "entityType and entityVersion are both called"),
        ({"types": {"User": "user"}}, "go with the style electrodb only"),
    ],
)
def test_a_map_in_which_two_things_have_one_name_is_refused(names: dict[str, Any], message: str) -> None:
    with pytest.raises(BadNames, match=message):
        Names(**names)


class Counter(Entity):
    keys = Keys(pk="COUNTER#{name}", sk="COUNTER")

    name: str
    hits: int = 0
    gone: str | None = None


@pytest.mark.parametrize("names", [Names(sk="name"), Names(entity_type="gone"), Names(ttl="hits")])
def test_name_that_rows_use_for_another_attribute_is_refused(names: Names) -> None:
    with pytest.raises(BadNames, match="Counter already has an attribute"):
        Registry([Counter]).require_free_names(Layout.named(names))


def test_a_time_to_live_may_be_the_rows_own_or_a_text_that_is_no_time() -> None:
    Registry([Session]).require_free_names(Layout.named(Names(ttl="expiresAt")))
    Registry([Counter]).require_free_names(Layout.named(Names(ttl="gone")))


def test_types_name_kinds_of_row_that_there_are() -> None:
    REGISTRY.require_free_names(Layout.named(Names(style="electrodb", types={"Message": "msg"})))
    with pytest.raises(BadNames, match="types has 'Massage'"):
        REGISTRY.require_free_names(Layout.named(Names(style="electrodb", types={"Massage": "msg"})))


def test_all_entities_are_distinct_in_lower_case() -> None:
    plain, lowered = Layout(), Layout.named(Names(style="electrodb"))
    for entity in REGISTRY.entities:
        raw = _sample_key(entity)

        row = {"pk": raw.pk, "sk": raw.sk, "entityType": entity.shape.type_name}
        low = {"pk": raw.pk.lower(), "sk": raw.sk.lower(), "__edb_e__": entity.shape.type_name[0].lower()}

        fitting = _fitting(row, plain)
        assert entity in fitting
        assert _fitting(low, lowered) == fitting


def _fitting(row: dict[str, str], layout: Layout) -> list[type[Entity]]:
    return [entity for entity in REGISTRY.entities if Registry([entity]).entity_of(row, layout) is entity]


def _sample_key(entity: type[Entity]) -> RawKey:
    parts = {field: 1 if field in entity.shape.numbers else "01HW1A2B3C" for field in entity.shape.keys.fields}
    return entity.key(**parts).raw
