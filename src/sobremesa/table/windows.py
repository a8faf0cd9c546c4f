"""A window: the last rows of a question, in memory. It answers the pages that lie fully inside."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial
from typing import Generic, TypeVar

from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.entities import Entity
from sobremesa.table.ledger import note_unversioned
from sobremesa.table.pages import Page
from sobremesa.table.patterns import Question
from sobremesa.table.table import Table

E = TypeVar("E", bound=Entity)


class Window(Generic[E]):
    """The last rows of a question in the order of their keys; `is_whole` if it has no others."""

    __slots__ = ("_keys", "_question", "_table", "is_whole", "rows")

    def __init__(
        self, table: Table, question: Question[E], rows: Sequence[E], *, is_whole: bool, keys: Sequence[str] = ()
    ) -> None:
        """`keys` are the sort keys of the first rows, where they are known."""
        self._table = table
        self._question = question
        self._keys = [*keys, *(table.stored(row.own_key()).sk for row in rows[len(keys) :])]
        self.rows = rows
        self.is_whole = is_whole

    def find(self, key: RawKey) -> E | None:
        """Return the row with this key, or None."""
        index = bisect_left(self._keys, key.sk)
        return self.rows[index] if index < len(self._keys) and self._keys[index] == key.sk else None

    def page(self, *, limit: int, newest_first: bool, start: RawKey | None = None) -> Page[E] | None:
        """Return the page that follows a key, as the table would; None if rows before the window may be part of it."""
        note_unversioned(self._question.pk)
        if newest_first:
            end = len(self.rows) if start is None else bisect_left(self._keys, start.sk)
            first = max(end - limit, 0)
            if end - limit < 0 and not self.is_whole:
                return None
            items = list(reversed(self.rows[first:end]))
            has_more = first > 0 or not self.is_whole
        else:
            if not self.is_whole and (start is None or not self._keys or start.sk < self._keys[0]):
                return None
            first = 0 if start is None else bisect_right(self._keys, start.sk)
            items = list(self.rows[first : first + limit])
            has_more = first + limit < len(self.rows)
        last = self._table.stored(items[-1].own_key()) if items and has_more else None
        fingerprint = partial(self._question.fingerprint, backward=newest_first)
        return Page(items, last, self._table.cursors, fingerprint)

    def continued(self, after: RawKey, rows: Sequence[E], *, limit: int) -> Window[E]:
        """Return the window with these rows in place of all after a key, without what is older than the last ones."""
        end = bisect_right(self._keys, after.sk)
        first = max(end + len(rows) - limit, 0)
        kept = [*self.rows[:end], *rows]
        is_whole = self.is_whole and first == 0
        return Window(self._table, self._question, kept[first:], is_whole=is_whole, keys=self._keys[first:end])
