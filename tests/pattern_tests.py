"""The tests of the access patterns of a domain: a subclass of `PatternTests` with a name that pytest collects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import pytest

from sobremesa.app import Sobremesa
from sobremesa.table import Entity, Key, Lookup, Pattern, Put, Question, Registry, WritePattern

Asked: TypeAlias = tuple[Key[Any] | Question[Any], Sequence[Entity]]
"""A question, and the rows that it finds."""


OPENING = frozenset({"ORI.1", "ROOM.5", "ROOM.6", "scan"})
"""What opening any new store asks."""


class Dataset(Protocol):
    """Rows of every kind in several partitions, so that a wrong query finds too much."""

    def rows(self) -> list[Entity]: ...


def writes_of(registry: Registry) -> set[str]:
    """Return the ids of all declared writes."""
    return {id for id, pattern in registry.patterns.items() if isinstance(pattern, WritePattern)}


def require_writes(registry: Registry, met: Collection[str], *, without: Collection[str] = ()) -> None:
    """Fail unless every declared write was made; `met` are the patterns of the meter."""
    missing = writes_of(registry) - set(met) - set(without)
    assert not missing, f"the story of this file makes no write of {', '.join(sorted(missing))}: call the verb in it"


class PatternTests:
    """Every declared question finds its rows and no others."""

    registry: ClassVar[Registry]
    reads: ClassVar[Mapping[str, Callable[[Any], Asked]]]
    """Asks each question about the rows of a dataset, by the id of its pattern."""
    whole: ClassVar[Collection[str]] = ()
    """The patterns that mean a whole partition: all others have a condition on the sort key."""

    def create_dataset(self) -> Dataset:
        raise NotImplementedError

    async def rows_before(self, app: Sobremesa) -> Collection[Entity]:
        """Return rows of the store itself that questions find beside those of the dataset."""
        return ()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "id" in metafunc.fixturenames:
            patterns = self.registry.patterns.items()
            metafunc.parametrize("id", [id for id, pattern in patterns if isinstance(pattern, Pattern)])

    def test_every_declared_question_is_asked(self) -> None:
        declared = {id for id, each in self.registry.patterns.items() if isinstance(each, Pattern | Lookup)}

        assert not declared - set(self.reads), "add a question of each of these patterns to the `reads` of this test"
        assert not set(self.reads) - declared, "there is no such pattern any more: remove its question from `reads`"

    async def test_every_question_finds_its_rows_and_no_others(self, app: Sobremesa) -> None:
        dataset = self.create_dataset()
        before = await self.rows_before(app)
        await app.table.write_many(Put(row) for row in dataset.rows())

        wrong = {}
        for id, ask in self.reads.items():
            asked, expected = ask(dataset)
            found = [row for row in await _found_by(app, asked) if row not in before]
            if found != list(expected):
                wrong[id] = (found, list(expected))

        assert wrong == {}
        assert set(self.reads) <= set(app.table.meter.totals())

    def test_no_question_asks_for_more_than_its_own_kind_of_row(self, id: str) -> None:
        pattern = self.registry.patterns[id]
        assert isinstance(pattern, Pattern)
        assert (pattern.condition == "any") == (id in self.whole)
        assert pattern.question.endswith("?")


async def _found_by(app: Sobremesa, asked: Key[Any] | Question[Any]) -> list[Entity]:
    """Return what a question finds, page by page."""
    if isinstance(asked, Key):
        row = await app.table.get(asked)
        return [] if row is None else [row]
    found: list[Entity] = []
    cursor = None
    while True:
        page = await app.table.query(asked, limit=2, cursor=cursor)
        assert not page.unreadable
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
