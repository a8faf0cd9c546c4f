"""The results of a query: a page of rows with the cursor of the next one, or a count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.protocol import IndexKey, RawKey
from sobremesa.table.errors import BadRow

T = TypeVar("T")


class Page(Generic[T]):
    """One page of rows, and the start of the next (`cursor` is None after the last page).

    Rows that are not valid for their entity are in `unreadable`.
    """

    __slots__ = ("_cursors", "_fingerprint", "items", "last", "unreadable")

    def __init__(
        self,
        items: list[T],
        last: RawKey | IndexKey | None,
        cursors: Cursors,
        fingerprint: Callable[[], bytes],
        unreadable: Sequence[BadRow] = (),
    ) -> None:
        self.items = items
        self.last = last
        self.unreadable = unreadable
        self._cursors = cursors
        self._fingerprint = fingerprint

    @property
    def cursor(self) -> str | None:
        """An opaque text for clients: with it, the same question returns the next page."""
        return None if self.last is None else self._cursors.seal_key(self.last, self._fingerprint())


class Counted:
    """The number of rows of a question; `capped` if there may be more."""

    __slots__ = ("capped", "count")

    def __init__(self, count: int, capped: bool) -> None:
        self.count = count
        self.capped = capped
