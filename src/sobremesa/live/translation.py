"""Translation: from the changes of rows to what is announced of them.

Each domain says what a change of one of its rows means. Most rows mean nothing to anybody who listens (nonces, claims,
heads that moved), and are passed over by a look at the beginning of their keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
import structlog

from sobremesa.live.events import Event, EventType, parts_of
from sobremesa.table import Create, Entity, Key, Operation, RawChange, Table
from sobremesa.table.errors import BadRow, TableError

E = TypeVar("E", bound=Entity)

_log = structlog.get_logger("sobremesa.live")


class Seen(NamedTuple, Generic[E]):
    """A row as it was and as it is: new where it was not, gone where it is not."""

    old: E | None
    new: E | None

    @property
    def row(self) -> E:
        """The row as it is, or as it last was."""
        row = self.new if self.new is not None else self.old
        assert row is not None  # noqa: S101 - a change is of something
        return row

    def changed(self, *fields: str) -> bool:
        """Is the row new, or does it differ in one of these fields? Never where it is gone."""
        if self.new is None:
            return False
        if self.old is None:
            return True
        return any(getattr(self.old, field) != getattr(self.new, field) for field in fields)


Translate: TypeAlias = Callable[[Any], Awaitable[Sequence[Event]]]
"""From a Seen row to what is announced of it, in order."""


AtOnce: TypeAlias = Callable[[Any], Awaitable[Event | None]]
"""From a row that was just made to what is announced of it, with an id of its own; None if nothing is."""


Renew: TypeAlias = Callable[[Sequence[Event]], Awaitable[Sequence[Event | None]]]
"""From events of before to the same events as they would be told now; None for what is not shown any more."""


class _Renewal(NamedTuple):
    """How events of one name, to one kind of topic, are told now."""

    renew: Renew
    is_volatile: bool


class _Meaning(NamedTuple):
    """What a change of one kind of row means, and which stored attributes must differ for that."""

    entity: type[Entity]
    translate: Translate
    attributes: tuple[str, ...] | None


class EventSource(Protocol):
    """A part of the application whose rows are of interest to subscribers."""

    def register(self, translation: Translation) -> None:
        """Say what a change of each kind of row means."""
        ...


class Translation:
    """Knows what the changes of every kind of row mean."""

    def __init__(self, table: Table, parts: Sequence[EventSource] = ()) -> None:
        self._table = table
        self.spelling = table.layout.spelling
        self._by_heads: dict[tuple[str, str], list[_Meaning]] = defaultdict(list)
        self._at_once: dict[type[Entity], AtOnce] = {}
        self._renewals: dict[tuple[str, str], _Renewal] = {}
        for part in parts:
            part.register(self)

    def on(
        self,
        entity: type[E],
        translate: Callable[[Seen[E]], Awaitable[Sequence[Event]]],
        *,
        fields: Sequence[str] | None = None,
    ) -> None:
        """Let a change of such a row mean this.

        With `fields`, a row that was there and still is counts only if one of these differs; without any of them, only
        what comes and goes does. That costs a look at the stored row, which heads and cursors need: they change with
        every message.
        """
        keys = entity.shape.keys
        pk, sk = keys.pk.literal_prefix, keys.sk.literal_prefix
        if self.spelling is not None:
            pk, sk = self.spelling.key(pk), self.spelling.key(sk)
        attributes = None if fields is None else tuple(entity.shape.attribute(field) for field in fields)
        self._by_heads[_head(pk), _head(sk)].append(_Meaning(entity, translate, attributes))

    def at_once(self, entity: type[E], created: Callable[[E], Awaitable[Event | None]]) -> None:
        """Let whoever makes such a row tell of it before the change log does, by the same id."""
        self._at_once[entity] = created

    def on_replay(
        self, topic_kind: str, events: Sequence[EventType[Any]], renew: Renew, *, is_volatile: bool = False
    ) -> None:
        """Let these events, told to topics of this kind, be told again only as they are now.

        Volatile is what can change without another event about the same subject.
        """
        for event in events:
            self._renewals[event.name, topic_kind] = _Renewal(renew, is_volatile)

    def on_replay_by_row(
        self,
        topic_kind: str,
        events: Sequence[EventType[Any]],
        key_of: Callable[[Any], Key[E]],
        translate: Callable[[Seen[E]], Awaitable[Sequence[Event]]],
        *,
        is_volatile: bool = False,
    ) -> None:
        """Let these events show what a change of their row would tell now; `key_of` finds it from what was told."""
        decode = msgspec.json.Decoder(events[0].payload).decode

        async def renew(events: Sequence[Event]) -> list[Event | None]:
            keys = [key_of(decode(each.full or each.d)) for each in events]
            rows = await self._table.get_many(keys, consistent=True)
            told = [[] if row is None else await translate(Seen(row, row)) for row in rows]
            return [next((each for each in some if each.t.endswith("updated")), None) for some in told]

        self.on_replay(topic_kind, events, renew, is_volatile=is_volatile)

    def is_volatile(self, event: Event) -> bool:
        """Can what an event shows change without a later event about it?"""
        renewal = self._renewal_of(event)
        return renewal is not None and renewal.is_volatile

    async def current(self, events: Sequence[Event]) -> list[Event | None]:
        """The same events as they would be told now; None for what is not shown any more."""
        found: list[Event | None] = list(events)
        places: dict[Renew, list[int]] = defaultdict(list)
        for place, each in enumerate(events):
            renewal = self._renewal_of(each)
            if renewal is not None:
                places[renewal.renew].append(place)
        for renew, own in places.items():
            for place, now in zip(own, await renew([events[place] for place in own]), strict=True):
                found[place] = None if now is None else _in_place_of(events[place], now)
        return found

    def _renewal_of(self, event: Event) -> _Renewal | None:
        return self._renewals.get((event.t, parts_of(event.topics[0])[0])) if event.topics else None

    def fast_rows(self, operations: Sequence[Operation]) -> list[Entity]:
        """The rows made by a write that may be told at once."""
        at_once = self._at_once
        return [each.entity for each in operations if isinstance(each, Create) and type(each.entity) in at_once]

    async def event_of_new_row(self, row: Entity) -> Event | None:
        """What is told at once of a row that was just made; None leaves it to the change log."""
        try:
            return await self._at_once[type(row)](row)
        except TableError:
            return None

    async def events_of(self, change: RawChange) -> list[Event]:
        """What is announced of a change, each with its id; TableError if that cannot be told now."""
        key = change.key
        candidates = self._by_heads.get((_head(key.pk), _head(key.sk)))
        if candidates is None:
            return []
        found: list[Event] = []
        for entity, translate, attributes in candidates:
            if attributes is not None and not _differs(change, attributes):
                continue
            seen = self._seen(change, entity)
            if seen is None:
                continue
            try:
                announced = await translate(seen)
            except BadRow as error:
                # It would be as unreadable the next time, and must not keep all other events from being told.
                _log.warning("a change could not be announced", key=f"{key.pk} / {key.sk}", why=str(error))
                continue
            found += [_named(each, change, number) for number, each in enumerate(announced, start=len(found))]
        return found

    def _seen(self, change: RawChange, entity: type[E]) -> Seen[E] | None:
        as_entity = self._table.as_entity
        old = None if change.old is None else as_entity(change.old, entity)
        new = None if change.new is None else as_entity(change.new, entity)
        return None if old is None and new is None else Seen(old, new)


def _differs(change: RawChange, attributes: tuple[str, ...]) -> bool:
    """Is the row new or gone, or different in one of these attributes?"""
    old, new = change.old, change.new
    return old is None or new is None or any(old.get(name) != new.get(name) for name in attributes)


def _head(key: str) -> str:
    """A key up to and with its first separator: what kind of key it is."""
    end = key.find("#")
    return key if end < 0 else key[: end + 1]


def _in_place_of(event: Event, now: Event) -> Event:
    """An event with what it shows now, and all else as it was; the very same if that is the same."""
    if (now.d, now.full, now.author) == (event.d, event.full, event.author):
        return event
    return msgspec.structs.replace(event, d=now.d, full=now.full, author=now.author)


def _named(event: Event, change: RawChange, number: int) -> Event:
    """With an id, which is the change's own, unless the event has one that the writer knows before the log does."""
    if event.id:
        return event
    return msgspec.structs.replace(event, id=f"{change.id}-{number}" if number else change.id)
