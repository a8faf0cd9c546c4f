"""Comparing two stores: every row of each is read, and compared with the row of its key in the other."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from sobremesa.moving.errors import OtherNames
from sobremesa.moving.stores import MovedStore, names_of
from sobremesa.table import RawKey
from sobremesa.table.typed_items import dump_item
from sobremesa.table.values import Item
from sobremesa.work.migration.passes import Progress, Watch

Kind: TypeAlias = Literal["missing", "extra", "different"]

KEPT_DIFFERENCES = 10_000
"""More are only counted."""
SETTLING_SECONDS = 2.0
"""After that long, rows that differed are read again: one of them may have been written just then."""


class Difference(NamedTuple):
    """A row that is only in the first store (missing), only in the second (extra), or not the same."""

    key: RawKey
    kind: Kind


class Comparison(NamedTuple):
    """The result: the rows compared, how many differ in each way, and the first of these, by key."""

    rows: int
    counts: Counter[Kind]
    differences: list[Difference]

    @property
    def is_same(self) -> bool:
        return not self.counts.total()


async def compare_stores(one: MovedStore, other: MovedStore, watch: Watch) -> Comparison:
    """Compare the rows and the keys of two stores. Rows of processes and expired rows are left out."""
    if names_of(one.layout) != names_of(other.layout):
        raise OtherNames(f"{one.address} and {other.address} have different names of attributes; see SOBREMESA_NAMES")
    expected = await one.count() + await other.count()
    found: list[Difference] = await _different_keys(one, other)
    more: Counter[Kind] = Counter()
    rows = done = 0
    for from_one, (left, right) in ((True, (one, other)), (False, (other, one))):
        async for count, differences in _passes(left, right, only_missing=not from_one):
            done += count
            rows += count if from_one else 0
            for difference in differences:
                kept = difference if from_one else Difference(difference.key, "extra")
                if len(found) < KEPT_DIFFERENCES:
                    found.append(kept)
                else:
                    more[kept.kind] += 1
            watch(Progress("verify", done, expected, 0))
    found = await _again(one, other, found)
    counts = more + Counter(difference.kind for difference in found)
    return Comparison(rows, counts, sorted(found))


async def _passes(
    left: MovedStore, right: MovedStore, *, only_missing: bool
) -> AsyncIterator[tuple[int, list[Difference]]]:
    """Yield for each page of the left store how many rows it has, and which of them differ in the right one."""
    async for page in left.pages():
        rows = {left.key_of(row): row for row in page.rows if not is_expired(left, row)}
        there = await right.get_many(list(rows))
        differences = [
            Difference(key, kind)
            for key, row in rows.items()
            if (kind := _kind(right, row, there.get(key))) is not None and (kind == "missing" or not only_missing)
        ]
        yield len(rows), differences
        await asyncio.sleep(0)  # reads of a file do not wait


async def _again(one: MovedStore, other: MovedStore, found: Sequence[Difference]) -> list[Difference]:
    """Return the differences that are still there: a row may have been written between the two reads."""
    if not found:
        return []
    await asyncio.sleep(SETTLING_SECONDS)
    keys = list(dict.fromkeys(difference.key for difference in found))
    here, there = await one.get_many(keys), await other.get_many(keys)
    left = set(await _different_keys(one, other))
    for key in keys:
        if not one.is_moved_key(key):
            continue
        row, copy = here.get(key), there.get(key)
        if row is None or is_expired(one, row):
            if copy is not None and not is_expired(other, copy):
                left.add(Difference(key, "extra"))
        elif (kind := _kind(other, row, copy)) is not None:
            left.add(Difference(key, kind))
    return list(left)


async def _different_keys(one: MovedStore, other: MovedStore) -> list[Difference]:
    """Compare the signing keys and secrets."""
    here = {one.key_of(row): row for row in await one.key_rows()}
    there = {other.key_of(row): row for row in await other.key_rows()}
    differences = [Difference(key, "extra") for key in there.keys() - here.keys()]
    for key, row in here.items():
        if key not in there:
            differences.append(Difference(key, "missing"))
        elif dump_item(row) != dump_item(there[key]):
            differences.append(Difference(key, "different"))
    return differences


def _kind(right: MovedStore, row: Item, copy: Item | None) -> Kind | None:
    if copy is None or is_expired(right, copy):
        return "missing"
    # Typed: Python takes True and 1 for the same.
    return None if dump_item(row) == dump_item(copy) else "different"


def is_expired(store: MovedStore, row: Item) -> bool:
    """Return whether a row has expired: each engine removes it at another time."""
    expires = row.get(store.layout.ttl)
    return isinstance(expires, int) and expires <= store.table.engine.clock.now_ms() // 1000
