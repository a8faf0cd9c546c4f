"""The kept events of some topics in one order, read page by page.

What is read of a topic is cached as decoded entries, which also keep their frames: clients that come back together
have it read, decoded and encoded once. Where the state of a topic shows that nothing came after what is cached,
nothing is read at all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from heapq import merge
from typing import NamedTuple

from sobremesa.live.events import Topic
from sobremesa.live.feed import Entry, Trimmed
from sobremesa.live.topic_streams import Added, State, StreamId, TopicStreams, id_text
from sobremesa.table.cache import Cache

PAGE = 512
"""How many entries of one topic are read at a time."""
TOPICS_AT_ONCE = 256
CACHED_BYTES = 32 * 1024 * 1024
STRETCH_BYTES = 500
"""About how many bytes a stretch takes besides its entries."""


class _Stretch:
    """All entries of a topic between two ids."""

    __slots__ = ("after", "entries", "last", "until")

    def __init__(self, after: StreamId, until: StreamId, last: StreamId, entries: list[Entry]) -> None:
        self.after = after
        self.until = until
        self.last = _id(entries[-1]) if entries else last
        """The last entry of the topic that is known: the servers' clocks differ, and one may come before `until`."""
        self.entries = entries

    def since(self, after: StreamId) -> list[Entry]:
        return self.entries[bisect_right(self.entries, after, key=_id) :]

    @property
    def weight(self) -> int:
        return STRETCH_BYTES + sum(entry.weight for entry in self.entries)


class _Part(NamedTuple):
    """The entries of a topic up to an id."""

    entries: list[Entry]
    reached: StreamId


class TopicHistory:
    """Reads streams of topics."""

    def __init__(self, streams: TopicStreams, decode: Callable[[Added], Entry]) -> None:
        self._streams = streams
        self._decode = decode
        self._cached: Cache[Topic, _Stretch] = Cache(CACHED_BYTES)

    def clear(self) -> None:
        """Forget everything: another epoch began."""
        self._cached = Cache(CACHED_BYTES)

    def note(self, states: Mapping[Topic, State], after: StreamId, until: StreamId) -> None:
        """Note the states of topics that are kept after an id, read when `until` was over."""
        for topic, state in states.items():
            known = self._cached.find(topic)
            if known is not None and state.last <= known.last:
                known.until = max(known.until, until)
            elif state.last <= after <= until and (known is None or known.until < after):
                stretch = _Stretch(after, until, state.last, [])
                self._cached.keep(topic, stretch, weight=stretch.weight)

    async def pages(
        self, topics: Collection[Topic], after: StreamId, until: StreamId, *, is_partial: bool
    ) -> AsyncIterator[tuple[list[Entry], StreamId]]:
        """Yield the entries after an id, up to and including another, in pages, and the id that each page reaches.

        Pages end where the first of the topics has more entries than one page: only then the order is known. Raises
        Trimmed if some entries are no longer kept, unless it may be partial.
        """
        open_topics = list(topics)
        while open_topics and after < until:
            found = await self._read(open_topics, after, until, is_partial=is_partial)
            reached = max(after, min(part.reached for part in found))
            page = merge(*(part.entries for part in found if part.entries), key=_id)
            yield [entry for entry in page if _id(entry) <= reached], reached
            after = reached
        if after < until:
            yield [], until

    async def _read(
        self, topics: Collection[Topic], after: StreamId, until: StreamId, *, is_partial: bool
    ) -> list[_Part]:
        """Return the first entries of each topic in this range, about one page of each."""
        cached = {topic: self._from_cache(topic, after, until) for topic in topics}
        found = [part for part in cached.values() if part is not None]
        unknown = [topic for topic, part in cached.items() if part is None]
        for start in range(0, len(unknown), TOPICS_AT_ONCE):
            some = unknown[start : start + TOPICS_AT_ONCE]
            found += await self._fetch(some, after, until, is_partial=is_partial)
        return found

    async def _fetch(
        self, topics: Collection[Topic], after: StreamId, until: StreamId, *, is_partial: bool
    ) -> list[_Part]:
        cached = self._cached  # another one if another epoch begins meanwhile
        before = {topic: self._begun(topic, after) for topic in topics}
        starts = {topic: known.last for topic, known in before.items()}
        answers = await self._streams.read(starts, until, PAGE)
        found: list[_Part] = []
        for topic, (state, added) in answers.items():
            known = before[topic]
            if state.trimmed > max(known.last, after) and not is_partial:
                raise Trimmed(f"{topic} is kept only after {id_text(state.trimmed)}")
            entries = [self._decode(each) for each in added]
            reached = _id(entries[-1]) if len(entries) >= PAGE else until
            if state.trimmed <= known.last:
                stretch = _Stretch(known.after, reached, known.last, known.entries + entries)
            else:
                stretch = _Stretch(max(after, state.trimmed), reached, state.trimmed, entries)
            cached.keep(topic, stretch, weight=stretch.weight)
            found.append(_Part(stretch.since(after), stretch.until))
        return found

    def _begun(self, topic: Topic, after: StreamId) -> _Stretch:
        """Return what is cached of a topic, which is continued, or the start of another stretch."""
        known = self._cached.find(topic)
        if known is not None and known.after <= after <= known.until:
            return known
        return _Stretch(after, after, after, [])

    def _from_cache(self, topic: Topic, after: StreamId, until: StreamId) -> _Part | None:
        known = self._cached.find(topic)
        if known is None or not known.after <= after <= known.until:
            return None
        start = bisect_right(known.entries, after, key=_id)
        entries = known.entries[start : min(start + PAGE, bisect_right(known.entries, until, key=_id))]
        if len(entries) >= PAGE:
            return _Part(entries, _id(entries[-1]))
        return _Part(entries, until) if until <= known.until else None


def _id(entry: Entry) -> StreamId:
    return entry.position.number, entry.position.offset
