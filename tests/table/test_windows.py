"""A window in memory answers pages as the table does, or leaves them to it."""

from __future__ import annotations

import random

from sobremesa.table import Entity, Keys, Pattern, Put, RawKey, Table, Window

ROWS = 12


class Note(Entity):
    """A row of a partition."""

    keys = Keys(pk="NOTEBOOK#{book}", sk="NOTE#{number}")

    book: str
    number: str
    text: str = ""


notes_in = Pattern("WIN.1", "What is in this notebook?", Note, consistent=True)


def note(number: int, text: str = "") -> Note:
    return Note(book="b", number=f"{number:04}", text=text)


async def test_pages_of_a_window_are_those_of_the_table(table: Table) -> None:
    notes = [note(10 * number) for number in range(ROWS)]
    await table.write_many([Put(row) for row in notes])
    question = notes_in(book="b")
    chance = random.Random(1)
    answered = 0
    for _ in range(150):
        size = chance.choice((0, 1, 5, ROWS))
        window = Window(table, question, notes[ROWS - size :], is_whole=size == ROWS)
        limit, newest_first = chance.choice((1, 2, 5, 20)), chance.random() < 0.5
        position = chance.randrange(-5, 10 * ROWS + 5)
        after = None if chance.random() < 0.2 or position < 0 else RawKey("NOTEBOOK#b", f"NOTE#{position:04}")

        page = window.page(limit=limit, newest_first=newest_first, start=after)
        there = await table.query(question, limit=limit, newest_first=newest_first, after=after)

        if page is None:
            assert size < ROWS
            continue
        answered += 1
        assert page.items == there.items
        if page.cursor is not None:  # the table may not know yet that nothing follows
            assert page.cursor == there.cursor
            assert table.start_of(question, page.cursor, newest_first=newest_first) == there.last
        elif there.cursor is not None:
            assert not (await table.query(question, newest_first=newest_first, cursor=there.cursor)).items
    assert answered > 50


async def test_window_continues_with_other_rows_after_a_key(table: Table) -> None:
    question = notes_in(book="b")
    window = Window(table, question, [note(1), note(2), note(3, "old")], is_whole=True)
    end = table.stored(note(2).own_key())

    longer = window.continued(end, [note(3, "new"), note(4)], limit=10)
    shorter = window.continued(end, [note(3, "new"), note(4)], limit=3)

    assert [(row.number, row.text) for row in longer.rows] == [
        ("0001", ""), ("0002", ""), ("0003", "new"), ("0004", ""),
    ]  # fmt: skip
    assert longer.is_whole
    assert [row.number for row in shorter.rows] == ["0002", "0003", "0004"]
    assert not shorter.is_whole
    assert shorter.find(end) == note(2)
    assert shorter.find(table.stored(note(1).own_key())) is None
