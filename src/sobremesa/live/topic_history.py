"""The kept events of some topics in one order, read page by page.

What is read of a topic is cached, so that clients that come back together read it once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import AsyncIterator, Collection
from heapq import merge
from typing import NamedTuple

from sobremesa.live.events import Topic
from sobremesa.live.feed import Trimmed
from sobremesa.live.topic_streams import Added, StreamId, TopicStreams, id_text
from sobremesa.table.cache import Cache

PAGE = 512
"""How many entries of one topic are read at a time."""
TOPICS_AT_ONCE = 256
CACHED_ENTRIES = 50_000


class _Stretch(NamedTuple):
    """The entries of a topic between two ids."""

    after: StreamId
    until: StreamId
    entries: list[Added]


class TopicHistory:
    """Reads streams of topics."""

    def __init__(self, streams: TopicStreams) -> None:
        self._streams = streams
        self._cached: Cache[Topic, _Stretch] = Cache(CACHED_ENTRIES)

    def clear(self) -> None:
        """Forget everything: another epoch began."""
        self._cached = Cache(CACHED_ENTRIES)

    async def pages(
        self, topics: Collection[Topic], after: StreamId, until: StreamId, *, is_partial: bool
    ) -> AsyncIterator[tuple[list[Added], StreamId]]:
        """Yield the entries after an id, up to and including another, in pages, and the id that each page reaches.

        Pages end where the first of the topics has more entries than one page: only then the order is known. Raises
        Trimmed if some entries are no longer kept, unless it may be partial.
        """
        open_topics = list(topics)
        while open_topics and after < until:
            found = await self._read(open_topics, after, until, is_partial=is_partial)
            reached = min((entries[-1].id for entries in found.values() if len(entries) >= PAGE), default=until)
            page = merge(*found.values(), key=lambda added: added.id)
            yield [added for added in page if added.id <= reached], reached
            after = reached
        if after < until:
            yield [], until

    async def _read(
        self, topics: Collection[Topic], after: StreamId, until: StreamId, *, is_partial: bool
    ) -> dict[Topic, list[Added]]:
        """Return the first entries of each topic in this range, at most one page of each."""
        found = {topic: self._from_cache(topic, after, until) for topic in topics}
        unknown = [topic for topic, entries in found.items() if entries is None]
        for start in range(0, len(unknown), TOPICS_AT_ONCE):
            await self._fetch(unknown[start : start + TOPICS_AT_ONCE], after, until, found, is_partial=is_partial)
        return {topic: entries or [] for topic, entries in found.items()}

    async def _fetch(
        self,
        topics: Collection[Topic],
        after: StreamId,
        until: StreamId,
        found: dict[Topic, list[Added] | None],
        *,
        is_partial: bool,
    ) -> None:
        answers = await self._streams.read(dict.fromkeys(topics, after), until, PAGE)
        for topic, (state, entries) in answers.items():
            if state.trimmed > after and not is_partial:
                raise Trimmed(f"{topic} is kept only after {id_text(state.trimmed)}")
            found[topic] = entries
            reached = entries[-1].id if len(entries) >= PAGE else until
            before = self._cached.find(topic)
            if before is not None and before.after <= after <= before.until and state.trimmed <= after:
                earlier = [added for added in before.entries if added.id <= after]
                stretch = _Stretch(before.after, reached, earlier + entries)
            else:
                stretch = _Stretch(max(after, state.trimmed), reached, entries)
            self._cached.keep(topic, stretch, weight=len(stretch.entries) + 1)

    def _from_cache(self, topic: Topic, after: StreamId, until: StreamId) -> list[Added] | None:
        known = self._cached.find(topic)
        if known is None or not known.after <= after <= known.until:
            return None
        start = bisect_right(known.entries, after, key=lambda added: added.id)
        end = bisect_right(known.entries, until, key=lambda added: added.id)
        entries = known.entries[start : min(end, start + PAGE)]
        return entries if len(entries) >= PAGE or until <= known.until else None
