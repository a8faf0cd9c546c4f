"""Rows and answers that were read ahead (`prefetch`), which `calls` serves in place of requests."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import NamedTuple

import msgspec

from sobremesa.table.capacity import NOTHING
from sobremesa.table.engines.protocol import QueryRequest, RawKey, RawPage
from sobremesa.table.values import Item


class _Asked(NamedTuple):
    """What distinguishes one whole question from another."""

    pk: str
    sort: object
    of_index: str | None
    backward: bool
    consistent: bool


class Prefetched:
    """Rows and whole answers that were read ahead, in their stored form."""

    __slots__ = ("_items", "_pages", "records")

    def __init__(self) -> None:
        self._items: dict[RawKey, Item | None] = {}
        self._pages: dict[_Asked, RawPage] = {}
        self.records = False
        """Whether what is read now is kept."""

    def keep_items(self, keys: Sequence[RawKey], found: dict[RawKey, Item]) -> None:
        """Keep the rows of these keys, which were read consistently."""
        self._items.update((key, found.get(key)) for key in keys)

    def keep_page(self, request: QueryRequest, page: RawPage) -> None:
        """Keep the answer to a question, if it is the whole of it."""
        asked = _asked(request)
        if asked is not None and page.last is None and request.limit is None:
            self._pages[asked] = msgspec.structs.replace(page, capacity=NOTHING)

    def known(self, keys: Sequence[RawKey]) -> dict[RawKey, Item | None]:
        """Return those of these rows that are known, with None for those that do not exist."""
        return {key: self._items[key] for key in keys if key in self._items}

    def page(self, request: QueryRequest) -> RawPage | None:
        """Return the answer to a question; None if it is not known, or longer than the limit."""
        asked = _asked(request)
        page = None if asked is None else self._pages.get(asked)
        return None if page is None or (request.limit is not None and page.count > request.limit) else page

    def clear(self) -> None:
        """Forget everything: something was written."""
        self._items.clear()
        self._pages.clear()

    def recording(self) -> Prefetched:
        """Return the same rows and answers, for a reader whose own reads are kept."""
        same = Prefetched()
        same._items, same._pages, same.records = self._items, self._pages, True
        return same


def _asked(request: QueryRequest) -> _Asked | None:
    """Return what a request asks; None for a part of an answer: a later page, a filter, some fields or a count."""
    if request.start is not None or request.where is not None or request.fields is not None or request.count_only:
        return None
    return _Asked(request.pk, request.sort, request.index, request.backward, request.consistent)


open_prefetched: ContextVar[Prefetched | None] = ContextVar("prefetched", default=None)
current_prefetched = open_prefetched.get
