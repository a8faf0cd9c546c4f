"""Pages of lists: a cursor holds the id of the last entry, sealed together with the list that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from sobremesa.table import RawKey
from sobremesa.table.cursor import Cursors

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list, and the cursor of the page after it."""

    items: list[T]
    cursor: str | None


class Pages:
    """Makes pages and reads their cursors."""

    def __init__(self, secret: bytes) -> None:
        self._cursors = Cursors(secret)

    def place(self, cursor: str | None, question: str) -> str | None:
        """The id after which the page begins; BadCursor unless the cursor was made for this very list."""
        return None if cursor is None else self._cursors.open(cursor, question.encode(), "").sk

    def page(self, found: list[T], limit: int, question: str, id_of: Callable[[T], str]) -> Page[T]:
        """The page of what was found, which is one more than fits if there is a page after it."""
        if len(found) <= limit:
            return Page(found, None)
        last = RawKey("", id_of(found[limit - 1]))
        return Page(found[:limit], self._cursors.seal(last, question.encode()))
