"""Cursors: where a page ended, for clients to keep; of use only for the very question that made them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sobremesa.core.clock import SetClock
from sobremesa.table import Entity, Pattern, Put, Question, Table
from sobremesa.table.cursor import Cursors, Seal
from sobremesa.table.engines.protocol import IndexKey, RawKey
from sobremesa.table.errors import BadCursor, BadExpression
from table.engines import embedded
from table.samples import Message, Seat, activity_of, messages_of, newest_of, post, rooms_of, since

ASKED = messages_of(room_id="r")


async def _cursor(table: Table, question: Question[Message] = ASKED, *, newest_first: bool | None = None) -> str:
    cursor = (await table.query(question, limit=2, newest_first=newest_first)).cursor
    assert cursor is not None
    return cursor


async def test_a_cursor_leads_from_page_to_page_to_the_end(table: Table) -> None:
    messages = await post(table, "r", 5)

    seen: list[Message] = []
    sizes: list[int] = []
    cursor = None
    while True:
        page = await table.query(ASKED, limit=2, cursor=cursor)
        seen += page.items
        sizes.append(len(page.items))
        cursor = page.cursor
        if cursor is None:
            break

    assert seen == messages
    assert sizes == [2, 2, 1]


async def test_a_cursor_leads_through_an_index_backward(table: Table) -> None:
    seats = [Seat(room_id=f"r{number}", user_id="u", seen_at=f"{number}") for number in range(5)]
    await table.write_many(Put(seat) for seat in seats)

    first = await table.query(activity_of(user_id="u"), limit=3)
    second = await table.query(activity_of(user_id="u"), limit=3, cursor=first.cursor)

    assert first.items + second.items == seats[::-1]


async def test_a_cursor_is_opaque_and_short(table: Table) -> None:
    await post(table, "r", 3)

    cursor = await _cursor(table)

    assert "ROOM" not in cursor
    assert "MSG" not in cursor
    assert len(cursor) < 60
    assert cursor.replace("-", "").replace("_", "").isalnum()


async def test_a_cursor_of_another_question_is_refused(table: Table) -> None:
    await post(table, "r", 3)
    await table.write_many(Put(Seat(room_id=f"r{number}", user_id="u")) for number in range(3))
    cursor = await _cursor(table)
    of_index = (await table.query(rooms_of(user_id="u"), limit=2)).cursor

    for question in (messages_of(room_id="other"), since(room_id="r", message_id="m00"), newest_of(room_id="r")):
        with pytest.raises(BadCursor):
            await table.query(question, cursor=cursor)
    for person in ("u", "v"):
        with pytest.raises(BadCursor):
            await table.query(rooms_of(user_id=person), cursor=cursor)
    with pytest.raises(BadCursor):
        await table.query(ASKED, cursor=of_index)
    with pytest.raises(BadCursor):
        await table.query(rooms_of(user_id="v"), cursor=of_index)


async def test_a_cursor_of_another_direction_is_refused(table: Table) -> None:
    await post(table, "r", 3)

    with pytest.raises(BadCursor):
        await table.query(ASKED, cursor=await _cursor(table), newest_first=True)
    with pytest.raises(BadCursor):
        await table.query(ASKED, cursor=await _cursor(table, newest_first=True))


@pytest.mark.parametrize("secret", [b"", b"a secret"], ids=["sealed", "signed"])
async def test_a_cursor_with_any_byte_altered_is_refused(table: Table, secret: bytes) -> None:
    table = Table(table.engine, cursor_secret=secret)
    await post(table, "r", 3)
    cursor = await _cursor(table)
    assert (await table.query(ASKED, cursor=cursor)).items

    for place, character in enumerate(cursor):
        for other in {"A", "b", "_", "9"} - {character}:
            with pytest.raises(BadCursor):
                await table.query(ASKED, cursor=cursor[:place] + other + cursor[place + 1 :])
    for other in (cursor[:-1], cursor[1:], cursor + "A", cursor + "=", cursor + " ", cursor * 2, cursor.upper()):
        with pytest.raises(BadCursor):
            await table.query(ASKED, cursor=other)


async def test_nonsense_is_no_cursor(table: Table) -> None:
    for nonsense in ("", "A", "====", "é", "a b", "\x00", "x" * 10_000, "null", "-" * 40):
        with pytest.raises(BadCursor):
            await table.query(ASKED, cursor=nonsense)


async def test_a_cursor_of_another_secret_is_refused(table: Table) -> None:
    await post(table, "r", 3)
    theirs = Table(table.engine, cursor_secret=b"theirs")

    with pytest.raises(BadCursor):
        await table.query(ASKED, cursor=await _cursor(theirs))
    with pytest.raises(BadCursor):
        await theirs.query(ASKED, cursor=await _cursor(table))


def forged(body: bytes, question: Question[Message] | Question[Seat], *, backward: bool = False) -> str:
    """A cursor forged without the secret."""
    seal = Seal().sign(question.fingerprint(backward=backward) + body)
    return base64.urlsafe_b64encode(seal + body).rstrip(b"=").decode()


FORGERIES: dict[str, bytes] = {
    "a place out of range": msgspec.msgpack.encode(["PART#1"]),
    "another partition": msgspec.msgpack.encode(["MSG#m00", "ROOM#other", "MSG#m00"]),
    "a pair": msgspec.msgpack.encode(["ROOM#other", "MSG#m00"]),
    "nothing": msgspec.msgpack.encode([]),
    "an empty place": msgspec.msgpack.encode([""]),
    "a place too long": msgspec.msgpack.encode(["MSG#" + "x" * 2000]),
    "a number": msgspec.msgpack.encode([1]),
    "no list": msgspec.msgpack.encode({"sk": "x"}),
    "no bytes": b"",
    "broken bytes": b"\xff\xff",
    "bytes left over": msgspec.msgpack.encode(["MSG#m00"]) + b"\x00",
}


async def test_a_forged_cursor_is_refused_and_cannot_leave_its_partition(table: Table) -> None:
    await post(table, "r", 3)
    await post(table, "other", 3)

    for forgery in FORGERIES.values():
        with pytest.raises(BadCursor):
            await table.query(ASKED, cursor=forged(forgery, ASKED))


async def test_a_forged_cursor_of_an_index_stays_in_its_partition(table: Table) -> None:
    await table.write_many(Put(Seat(room_id=f"r{n}", user_id=user)) for n in range(3) for user in ("u", "v"))
    question = rooms_of(user_id="u")
    body = msgspec.msgpack.encode(["ROOM#r0", "ROOM#r0", "SEAT#v"])

    page = await table.query(question, cursor=forged(body, question))

    assert {seat.user_id for seat in page.items} == {"u"}
    for bad in (["ROOM#r0"], ["ZOOM#r0", "ROOM#r0", "SEAT#u"], ["ROOM#r0", "", "SEAT#u"], ["", "a", "b"]):
        with pytest.raises(BadCursor):
            await table.query(question, cursor=forged(msgspec.msgpack.encode(bad), question))


async def test_cursor_cannot_be_forged_with_a_secret(table: Table) -> None:
    await post(table, "r", 3)
    table = Table(table.engine, cursor_secret=b"a secret")

    with pytest.raises(BadCursor):
        await table.query(ASKED, cursor=forged(msgspec.msgpack.encode(["MSG#m00"]), ASKED))


async def test_a_page_starts_after_a_cursor_or_a_key_but_not_both(table: Table) -> None:
    messages = await post(table, "r", 3)

    with pytest.raises(BadExpression):
        await table.query(ASKED, cursor=await _cursor(table), after=messages[0].own_key())


async def test_cursor_is_valid_after_its_row_is_deleted(table: Table) -> None:
    from sobremesa.table import Delete

    messages = await post(table, "r", 4)
    cursor = await _cursor(table)
    await table.write(Delete(messages[1].own_key()))

    assert (await table.query(ASKED, cursor=cursor)).items == messages[2:]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(
    st.one_of(st.builds(RawKey, st.just("pk"), TEXTS), st.builds(IndexKey, TEXTS, st.builds(RawKey, TEXTS, TEXTS))),
    st.binary(max_size=32),
    st.binary(max_size=20),
)
def test_cursor_decodes_to_its_position(last: RawKey | IndexKey, question: bytes, secret: bytes) -> None:
    cursors = Cursors(secret)

    assert cursors.open_key(cursors.seal_key(last, question), question, "pk") == last


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_arbitrary_text_is_not_a_cursor(anything: bytes | str) -> None:
    text = anything if isinstance(anything, str) else base64.urlsafe_b64encode(anything).decode()

    with pytest.raises(BadCursor):
        Cursors(b"secret").open_key(text, b"question", "pk")


PARTS = st.text(st.sampled_from("abAB01é😀~ "), min_size=1, max_size=3).filter(lambda part: part != "*")
E = TypeVar("E", bound=Entity)
BY_ROOM = Pattern("P1", "?", Seat, index="by_user")


@settings(max_examples=60)
@given(
    st.lists(st.tuples(PARTS, PARTS), unique=True, max_size=12),
    st.lists(st.integers(1, 5), min_size=1, max_size=6),
    st.booleans(),
)
def test_pages_of_any_size_give_every_row_once_and_in_order(
    keys: Sequence[tuple[str, str]], limits: Sequence[int], backward: bool
) -> None:
    asyncio.run(_walk(keys, limits, backward))


async def _walk(keys: Sequence[tuple[str, str]], limits: Sequence[int], backward: bool) -> None:
    async with embedded(None, SetClock()) as engine:
        table = Table(engine)
        await table.write_many(Put(Message(room_id="r", message_id=first)) for first, _ in keys)
        await table.write_many(Put(Seat(room_id=first, user_id="u", seen_at=second)) for first, second in keys)
        expected = sorted({f"MSG#{first}" for first, _ in keys}, key=str.encode, reverse=backward)
        assert [m.own_key().raw.sk for m in await _pages(table, ASKED, limits, backward)] == expected
        rooms = sorted({f"ROOM#{first}" for first, _ in keys}, key=str.encode, reverse=backward)
        assert [f"ROOM#{s.room_id}" for s in await _pages(table, BY_ROOM(user_id="u"), limits, backward)] == rooms


async def _pages(table: Table, question: Question[E], limits: Sequence[int], backward: bool) -> list[E]:
    seen: list[E] = []
    cursor, turn = None, 0
    while True:
        limit = limits[turn % len(limits)]
        page = await table.query(question, limit=limit, cursor=cursor, newest_first=backward)
        assert len(page.items) <= limit
        seen += page.items
        cursor, turn = page.cursor, turn + 1
        if cursor is None:
            return seen
