"""Pages of lists: a cursor is the id of the last entry, sealed with the list that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from sobremesa.table.cursor import Cursors

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list, and the cursor of the next page."""

    items: list[T]
    cursor: str | None


class Pages:
    """Creates pages and reads their cursors."""

    def __init__(self, secret: bytes) -> None:
        self._cursors = Cursors(secret)

    def position(self, cursor: str | None, question: str) -> str | None:
        """Return the id after which the page starts; BadCursor unless the cursor belongs to this list."""
        return None if cursor is None else self._cursors.open(cursor, question.encode(), 1)[0]

    def page(self, found: list[T], limit: int, question: str, id_of: Callable[[T], str]) -> Page[T]:
        """Return a page of up to `limit` entries; `found` has one more if there is a next page."""
        if len(found) <= limit:
            return Page(found, None)
        return Page(found[:limit], self._cursors.seal([id_of(found[limit - 1])], question.encode()))
