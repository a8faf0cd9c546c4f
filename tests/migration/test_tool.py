"""The tool alone: a sample recipe, with faults injected into every call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sobremesa.core.clock import SystemClock
from sobremesa.core.errors import SobremesaError
from sobremesa.core.ids import Ids
from sobremesa.table import Entity, Key, Keys, Lookup, Pattern, Put, RawKey, Retries, Table, open_engine
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.errors import BadCursor, TableError
from sobremesa.work.migration import Copied, Copy, Migration, Migrations, Recipe, Report, fingerprint_of

COUNT = 120


class Note(Entity):
    """A note of the old shape."""

    keys = Keys(pk="NOTE#{number}", sk="NOTE")

    number: str
    text: str = ""


class Line(Copied):
    """A note of the new shape: a line of one book."""

    keys = Keys(pk="BOOK", sk="LINE#{number}")

    number: str
    words: int


line_by_number = Lookup("TOOL.1", "What is this line?", Line)
lines_of = Pattern("TOOL.2", "Which lines has the book?", Line)


def recipe() -> Recipe:
    def key(old: RawKey, plan: Migration) -> Key[Line]:
        return line_by_number(number=old.pk.removeprefix("NOTE#"))

    notes = Copy(
        Note,
        convert=lambda old, plan: Line(number=old.number, words=len(old.text.split())),
        key=key,
        old_key=lambda line: RawKey(f"NOTE#{line.number}", "NOTE"),
        copies=lambda plan: lines_of(),
    )
    return Recipe("notes", [notes], prefixes=("NOTE#",))


@pytest.mark.parametrize("seed", range(3))
async def test_any_recipe_comes_through_with_faults_in_every_call(seed: int, tmp_path: Path) -> None:
    engine = await open_engine(f"sqlite:///{tmp_path / 'notes.db'}", janitor=False)
    clean = Table(engine)
    await clean.write_many(Put(Note(number=f"{number:03}", text="a " * number)) for number in range(COUNT))
    rates = Rates(
        throttle=0.03, conflict=0.03, lost_response=0.05, unprocessed=0.1, repeated_change=0.1, late_changes=0.1
    )
    faulty = FaultyEngine(engine, seed=seed, rates=rates)
    clock = SystemClock()
    migrations = Migrations(Table(faulty, retries=Retries(first_pause=0.001)), clock, Ids(clock), recipe())

    async def plan() -> Report:
        return await migrations.plan({})

    steps: list[Callable[[], Awaitable[Report]]] = [plan, migrations.backfill, migrations.cut_over]
    for step in steps:
        for _ in range(20):
            try:
                await step()
                break
            except (SobremesaError, TableError) as error:
                print(f"again, after {error!r}")
        else:
            pytest.fail("it never came through")

    proof = await Migrations(clean, clock, Ids(clock), recipe()).verify()
    assert (proof.mismatches, proof.old_rows, proof.migration.phase) == ([], COUNT, "cut_over")
    lines = [line async for line in clean.every(lines_of())]
    assert [line.words for line in lines] == list(range(COUNT))
    assert sum(faulty.injected.values()) > 10
    await engine.close()


def test_fingerprint_covers_the_whole_row_in_any_order_and_number_format() -> None:
    row = {"pk": "a", "n": 1, "list": [1.5, None, True], "set": {"x", "y"}, "map": {"b": 1, "a": b"x"}}
    same = {"map": {"a": b"x", "b": 1.0}, "set": frozenset({"y", "x"}), "list": [1.5, None, True], "n": 1.0, "pk": "a"}

    assert fingerprint_of(row) == fingerprint_of(same)
    for other in ({"n": 2}, {"n": "1"}, {"n": True}, {"list": [1.5, True]}, {"set": {"x"}}, {"set": ["x", "y"]}):
        assert fingerprint_of(row | other) != fingerprint_of(row)


async def test_raw_rows_are_read_in_pages_with_their_own_cursors(tmp_path: Path) -> None:
    engine = await open_engine(f"sqlite:///{tmp_path / 'notes.db'}", janitor=False)
    table = Table(engine)
    await table.write_many(Put(Line(number=f"{number:03}", words=number)) for number in range(5))

    first = await table.raw.query("BOOK", limit=3)
    rest = await table.raw.query("BOOK", limit=3, cursor=first.cursor)

    assert [item["words"] for item in first.items + rest.items] == list(range(5))
    assert rest.cursor is None
    with pytest.raises(BadCursor):
        await table.raw.query("SHELF", cursor=first.cursor)
    await engine.close()
