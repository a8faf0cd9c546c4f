"""Questions to one partition of the table or of an index."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import pytest

from sobremesa.table import Create, Put, RawKey, Table, absent, equals, greater, gsi1, gsi2, present
from sobremesa.table.engines.protocol import (
    Engine,
    IndexKey,
    QueryRequest,
    SortBetween,
    SortCondition,
    SortEquals,
    SortPrefix,
)
from sobremesa.table.errors import BadExpression, BadKey
from sobremesa.table.layout import IndexName
from table import gaps
from table.engines import Store
from table.samples import (
    Message,
    Seat,
    activity_of,
    messages_of,
    newest_of,
    post,
    refusal,
    rooms_of,
    row,
    seats_of,
    since,
    sized,
)


async def test_rows_are_read_forward_or_backward(table: Table) -> None:
    messages = await post(table, "r", 5)
    await post(table, "another", 3)

    assert (await table.query(messages_of(room_id="r"))).items == messages
    assert (await table.query(newest_of(room_id="r"))).items == messages[::-1]
    assert (await table.query(messages_of(room_id="r"), newest_first=True)).items == messages[::-1]
    assert (await table.query(newest_of(room_id="r"), newest_first=False)).items == messages
    assert (await table.query(messages_of(room_id="nobody"))).items == []


async def test_a_limit_cuts_a_page_and_a_key_starts_the_next(table: Table) -> None:
    messages = await post(table, "r", 5)

    page = await table.query(messages_of(room_id="r"), limit=2)
    assert page.items == messages[:2]
    assert page.last == RawKey("ROOM#r", "MSG#m01")
    page = await table.query(messages_of(room_id="r"), limit=2, after=messages[1].own_key())
    assert page.items == messages[2:4]
    page = await table.query(newest_of(room_id="r"), limit=3, after=messages[4].own_key())
    assert page.items == [messages[3], messages[2], messages[1]]
    absent_key = Message.key(room_id="r", message_id="m01x")
    assert (await table.query(messages_of(room_id="r"), after=absent_key)).items == messages[2:]


async def test_limit_met_at_the_end_has_a_start_for_a_next_page(engine: Engine, store: Store) -> None:
    for number in range(3):
        await engine.write(row("p", str(number)))

    page = await engine.query(QueryRequest(pk="p", limit=3))
    assert page.last == (None if gaps.has(store, "limit-at-end") else RawKey("p", "2"))
    page = await engine.query(QueryRequest(pk="p", limit=4))
    assert page.last is None
    page = await engine.query(QueryRequest(pk="p", limit=3, start=RawKey("p", "2")))
    assert (page.items, page.last) == ([], None)


async def test_all_rows_are_read_page_by_page(table: Table) -> None:
    messages = await post(table, "r", 60, body="x" * 20_000)
    wide = messages_of(room_id="r")

    assert [message async for message in table.every(wide)] == messages
    assert table.meter.totals()["T1"].calls == 2
    assert [m.message_id async for m in table.every(wide, where=equals("message_id", "m57"))] == ["m57"]


async def test_a_page_ends_before_it_is_larger_than_a_megabyte(engine: Engine, store: Store) -> None:
    for number in range(5):
        await engine.write(sized("p", f"s{number}", 300_000, gsi1pk="g", gsi1sk=f"s{number}"))

    for index in (None, gsi1):
        pk = "p" if index is None else "g"
        page = await engine.query(QueryRequest(pk=pk, index=index))
        fitting = 4 if gaps.has(store, "page-exceeds-a-megabyte") else 3
        assert [item["sk"] for item in page.items] == ["s0", "s1", "s2", "s3"][:fitting]
        assert page.count == fitting
        if not gaps.has(store, "page-scanned-one-more"):
            assert page.scanned == fitting
        page = await engine.query(QueryRequest(pk=pk, index=index, start=page.last))
        assert [item["sk"] for item in page.items] == ["s3", "s4"][fitting - 3 :]
        assert page.last is None


SORTS: list[tuple[SortCondition, list[str]]] = [
    (None, ["a", "b#1", "b#2", "b#3", "b$", "bb", "c", "é", "😀"]),
    (SortPrefix("b#"), ["b#1", "b#2", "b#3"]),
    (SortPrefix("b"), ["b#1", "b#2", "b#3", "b$", "bb"]),
    (SortPrefix("é"), ["é"]),
    (SortPrefix("x"), []),
    (SortEquals("b#2"), ["b#2"]),
    (SortEquals("B#2"), []),
    (SortBetween("b#2", "b$"), ["b#2", "b#3", "b$"]),
    (SortBetween("b#2", "b#2"), ["b#2"]),
    (SortBetween("b%", "é"), ["bb", "c", "é"]),
    (SortBetween("d", "e"), []),
]


async def test_a_range_gives_just_the_sort_keys_in_it(engine: Engine) -> None:
    for number, sk in enumerate(SORTS[0][1]):
        other = str(9 - number)
        await engine.write(row("p", sk, gsi1pk="g1", gsi1sk=sk, gsi2pk="g2", gsi2sk=sk, n=other))
    partitions: list[tuple[IndexName | None, str]] = [(None, "p"), (gsi1, "g1"), (gsi2, "g2")]

    for (index, pk), (sort, expected) in product(partitions, SORTS):
        for backward in (False, True):
            page = await engine.query(QueryRequest(pk=pk, index=index, sort=sort, backward=backward))
            found = [item["sk"] for item in page.items]
            assert found == (expected[::-1] if backward else expected), (index, sort, backward)
            counted = await engine.query(
                QueryRequest(pk=pk, index=index, sort=sort, backward=backward, count_only=True)
            )
            assert (counted.items, counted.count) == ([], len(expected))


async def test_prefix_is_case_sensitive(engine: Engine, store: Store) -> None:
    for sk in ("MSG#1", "msg#1", "Msg#1"):
        await engine.write(row("p", sk))

    page = await engine.query(QueryRequest(pk="p", sort=SortPrefix("MSG#")))

    folded = ["MSG#1", "Msg#1", "msg#1"]
    assert [item["sk"] for item in page.items] == (folded if gaps.has(store, "prefix-ignores-case") else ["MSG#1"])


async def test_a_filter_hides_rows_but_the_limit_counts_them(engine: Engine) -> None:
    for number in range(6):
        await engine.write(row("p", str(number), n=number))

    page = await engine.query(QueryRequest(pk="p", where=greater("n", 2), limit=4))

    assert [item["n"] for item in page.items] == [3]
    assert (page.count, page.scanned, page.last) == (1, 4, RawKey("p", "3"))


async def test_a_typed_filter_names_fields(table: Table) -> None:
    messages = await post(table, "r", 3)
    await table.write(Put(Message(room_id="r", message_id="m01", likes=5)))

    page = await table.query(messages_of(room_id="r"), where=greater("likes", 4))

    assert [message.message_id for message in page.items] == ["m01"]
    with pytest.raises(BadExpression, match="colour"):
        await table.query(messages_of(room_id="r"), where=present("colour"))
    assert (await table.query(messages_of(room_id="r"), where=greater("likes", 4) | equals("likes", 0))).items[
        0
    ] == messages[0]


async def test_query_of_some_fields(table: Table, engine: Engine) -> None:
    await post(table, "r", 2, body="b")

    raw = await engine.query(QueryRequest(pk="ROOM#r", fields=("likes", "gone")))
    assert raw.items == [{"likes": 0}, {"likes": 0}]
    assert raw.count == 2


async def test_rows_are_counted_up_to_a_limit(table: Table) -> None:
    await post(table, "r", 12)
    asked = messages_of(room_id="r")

    for at_most, expected in ((None, (12, False)), (20, (12, False)), (5, (5, True)), (11, (11, True))):
        counted = await table.count(asked, at_most=at_most)
        assert (counted.count, counted.capped) == expected
    counted = await table.count(asked, after=Message.key(room_id="r", message_id="m08"))
    assert counted.count == 3
    counted = await table.count(since(room_id="r", message_id="m10"))
    assert counted.count == 2
    counted = await table.count(asked, where=greater("likes", 0), at_most=3)
    assert (counted.count, counted.capped) == (0, False)


async def test_count_reads_several_pages(table: Table, store: Store) -> None:
    for number in range(7):
        await table.write(Put(Message(room_id="r", message_id=f"{number}", body="x" * 300_000)))

    counted = await table.count(messages_of(room_id="r"))

    assert (counted.count, counted.capped) == (7, False)
    assert table.meter.totals()["T1"].calls == (2 if gaps.has(store, "page-exceeds-a-megabyte") else 3)


async def test_an_index_lists_the_rows_that_have_its_keys(table: Table) -> None:
    seats = [Seat(room_id=f"r{number}", user_id="u", seen_at=f"2026-0{9 - number}") for number in range(4)]
    seats.append(Seat(room_id="r9", user_id="u"))
    await table.write_many(Put(seat) for seat in [*seats, Seat(room_id="r1", user_id="v", seen_at="2026")])

    assert (await table.query(rooms_of(user_id="u"))).items == seats
    assert (await table.query(activity_of(user_id="u"))).items == seats[:4]
    page = await table.query(activity_of(user_id="u"), limit=2)
    assert page.items == seats[:2]
    assert page.last == IndexKey("SEEN#2026-08#r1", RawKey("ROOM#r1", "SEAT#u"))
    assert (await table.query(activity_of(user_id="u"), after=page.last)).items == seats[2:4]


async def test_a_row_without_one_of_an_indexs_keys_is_not_in_it(engine: Engine) -> None:
    await engine.write(row("p", "both", gsi1pk="g", gsi1sk="1"))
    await engine.write(row("p", "first", gsi1pk="g"))
    await engine.write(row("p", "second", gsi1sk="1"))

    page = await engine.query(QueryRequest(pk="g", index=gsi1))

    assert [item["sk"] for item in page.items] == ["both"]


@pytest.mark.parametrize("backward", [False, True])
async def test_rows_of_equal_index_keys_page_one_by_one_without_loss(engine: Engine, backward: bool) -> None:
    keys = [(pk, sk) for pk in ("a", "b", "é") for sk in ("1", "2", "😀")]
    for pk, sk in keys:
        await engine.write(row(pk, sk, gsi1pk="g", gsi1sk="same"))

    seen: list[tuple[str, str]] = []
    start: Any = None
    while True:
        page = await engine.query(QueryRequest(pk="g", index=gsi1, limit=1, start=start, backward=backward))
        seen += [(item["pk"], item["sk"]) for item in page.items]
        start = page.last
        if start is None:
            break

    assert len(seen) == len(keys)
    assert set(seen) == set(keys)


async def test_rows_of_equal_index_keys_are_ordered_by_their_primary_keys(engine: Engine, store: Store) -> None:
    keys = [(partition, place) for partition in "abcdefgh" for place in "12"]
    for partition, place in keys:
        await engine.write(row(partition, place, gsi1pk="g", gsi1sk="equal"))

    page = await engine.query(QueryRequest(pk="g", index=gsi1))

    found = [(item["pk"], item["sk"]) for item in page.items]
    assert sorted(found) == keys
    assert (found != keys) if gaps.has(store, "equal-keys-unordered") else (found == keys)


@pytest.mark.parametrize("backward", [False, True])
async def test_limit_met_at_the_bound_of_a_range_has_a_start_for_a_next_page(
    engine: Engine, store: Store, backward: bool
) -> None:
    for number in range(5):
        await engine.write(row("p", str(number)))

    page = await engine.query(QueryRequest(pk="p", sort=SortBetween("1", "3"), limit=3, backward=backward))

    bound = RawKey("p", "1" if backward else "3")
    assert page.count == 3
    assert page.last == (None if gaps.has(store, "page-ends-at-bound") else bound)


@pytest.mark.parametrize("backward", [False, True])
async def test_page_that_starts_at_the_last_key_of_a_range_is_empty(
    engine: Engine, store: Store, backward: bool
) -> None:
    for number in range(5):
        await engine.write(row("p", str(number)))
    start = RawKey("p", "1" if backward else "3")
    request = QueryRequest(pk="p", sort=SortBetween("1", "3"), start=start, backward=backward)

    if gaps.has(store, "page-starts-at-bound"):
        with pytest.raises(BadExpression):
            await engine.query(request)
    else:
        assert (await engine.query(request)).count == 0


@pytest.mark.parametrize("backward", [False, True])
async def test_page_may_start_at_the_first_key_of_a_range(engine: Engine, backward: bool) -> None:
    for number in range(5):
        await engine.write(row("p", str(number)))
    first = "3" if backward else "1"

    page = await engine.query(
        QueryRequest(pk="p", sort=SortBetween("1", "3"), start=RawKey("p", first), backward=backward)
    )

    assert [item["sk"] for item in page.items] == (["2", "1"] if backward else ["2", "3"])


async def test_an_index_follows_writes_and_deletes(table: Table) -> None:
    from sobremesa.table import Delete

    seat = Seat(room_id="r", user_id="u", seen_at="1")
    await table.write(Create(seat))
    await table.write(Put(Seat(room_id="r", user_id="u", seen_at="2", role="owner")))
    assert [s.role for s in (await table.query(activity_of(user_id="u"))).items] == ["owner"]
    await table.write(Put(Seat(room_id="r", user_id="u")))
    assert (await table.query(activity_of(user_id="u"))).items == []
    await table.write(Delete(seat.own_key()))
    assert (await table.query(rooms_of(user_id="u"))).items == []
    assert (await table.query(seats_of(room_id="r"))).items == []


NONSENSE: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("an empty partition", {"pk": ""}, BadKey),
    ("a partition too long", {"pk": "x" * 2049}, BadKey),
    ("an empty prefix", {"sort": SortPrefix("")}, BadKey),
    ("a sort key too long", {"sort": SortEquals("x" * 1025)}, BadKey),
    ("bounds turned round", {"sort": SortBetween("b", "a")}, BadExpression),
    ("no rows", {"limit": 0}, BadExpression),
    ("fewer than no rows", {"limit": -1}, BadExpression),
    ("an unknown index", {"index": "gsi9"}, BadExpression),
    ("a consistent index", {"index": gsi1, "consistent": True}, BadExpression),
    ("a start in another partition", {"start": RawKey("other", "s")}, BadExpression),
    ("a start out of range", {"start": RawKey("p", "z"), "sort": SortPrefix("a")}, BadExpression),
    ("a start of an index", {"start": IndexKey("s", RawKey("p", "s"))}, BadExpression),
    ("a start of the table", {"index": gsi1, "start": RawKey("p", "s")}, BadExpression),
    ("a filter on the key", {"where": equals("pk", "x")}, BadExpression),
    ("a filter on the item", {"where": present()}, BadExpression),
    ("a filter on the index's key", {"index": gsi1, "where": absent("gsi1sk")}, BadExpression),
    ("no fields", {"fields": ()}, BadExpression),
    ("fields of a count", {"fields": ("a",), "count_only": True}, BadExpression),
]


async def test_a_question_that_makes_no_sense_is_refused(engine: Engine) -> None:
    for what, asked, error in NONSENSE:
        request = QueryRequest(**{"pk": "p", **asked})
        assert await refusal(partial(engine.query, request)) is error, what
