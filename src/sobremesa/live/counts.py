"""Counts of an inbox: what is a reader's own and has to be asked for, right before it is delivered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Sequence
from typing import TypeAlias

import msgspec

from sobremesa.live.events import Topic, person_of
from sobremesa.live.feed import Entry
from sobremesa.people import Tenant, UserId

Count: TypeAlias = Callable[[Tenant, UserId, str], Awaitable[bytes]]
"""What a person has in an inbox of their tenant now, as JSON."""


class FreshCounts:
    """Asks for counts on behalf of those who listen."""

    def __init__(self, count: Count) -> None:
        self._count = count

    def lacks(self, entries: Sequence[Entry], topics: Container[Topic]) -> bool:
        """Is there something to be asked for, for listeners of these topics?"""
        return any(_is_asked(entry, topics) for entry in entries)

    async def looked_up(self, entries: Sequence[Entry], topics: Container[Topic]) -> Sequence[Entry]:
        """The entries, with what had to be asked for."""
        if not self.lacks(entries, topics):
            return entries
        return [await self._with_count(entry) if _is_asked(entry, topics) else entry for entry in entries]

    async def _with_count(self, entry: Entry) -> Entry:
        said = entry.announcement
        assert said.fresh is not None  # noqa: S101 - told to the type checker
        tenant, inbox = said.fresh
        d = await self._count(Tenant(tenant), person_of(said.topics[0]), inbox)
        return entry.showing(msgspec.structs.replace(said, d=d, fresh=None))


def _is_asked(entry: Entry, topics: Container[Topic]) -> bool:
    said = entry.announcement
    return said.fresh is not None and said.topics[0] in topics
