"""Translation maps changed rows to events.

Each domain declares which events a change of its rows causes. Most rows cause none (nonces, claims, heads); they are
skipped by the prefix of their keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
import structlog

from sobremesa.live.events import Event, EventType, Publication, parts_of
from sobremesa.table import Create, Entity, Key, Operation, RawChange, Table
from sobremesa.table.errors import BadRow, Refused, TableError

E = TypeVar("E", bound=Entity)

_log = structlog.get_logger("sobremesa.live")


class Seen(NamedTuple, Generic[E]):
    """A row before and after a change; None where it did not exist."""

    old: E | None
    new: E | None

    @property
    def is_repeated(self) -> bool:
        """Whether the change may have been published before, so that `new` is the row as it is now."""
        return False

    @property
    def row(self) -> E:
        """The row as it is, or as it last was."""
        row = self.new if self.new is not None else self.old
        assert row is not None  # noqa: S101 - a change is of something
        return row

    def changed(self, *fields: str) -> bool:
        """Return whether the row is new or one of these fields differs; False if it was deleted."""
        if self.new is None:
            return False
        if self.old is None:
            return True
        return any(getattr(self.old, field) != getattr(self.new, field) for field in fields)


class _SeenAgain(Seen[E]):
    """A change that may have been published before."""

    @property
    def is_repeated(self) -> bool:
        return True


Translate: TypeAlias = Callable[[Any], Awaitable[Sequence[Publication]]]
"""From a changed row to what it publishes, in order."""


AtOnce: TypeAlias = Callable[[Any], Awaitable[Publication | None]]
"""From a row that was just created to its publication, with an id of its own; None if there is none."""


Renew: TypeAlias = Callable[[Sequence[Event]], Awaitable[Sequence[Event | None]]]
"""From earlier events to the same events with their current content; None if it is no longer visible."""


class _Renewal(NamedTuple):
    """How events of one name, to one kind of topic, get their current content."""

    renew: Renew
    is_volatile: bool


class Translated(NamedTuple):
    """What a change publishes, and the errors of what could not be translated."""

    publications: list[Publication]
    failures: list[Exception]


class _Meaning(NamedTuple):
    """The events of one kind of row, and which stored attributes must differ for them."""

    entity: type[Entity]
    translate: Translate
    attributes: tuple[str, ...] | None


class EventSource(Protocol):
    """A part of the application whose changed rows cause events."""

    def register(self, translation: Translation) -> None:
        """Register the translation of each kind of row."""
        ...


class Translation:
    """Maps the changes of every kind of row to events."""

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
        translate: Callable[[Seen[E]], Awaitable[Sequence[Publication]]],
        *,
        fields: Sequence[str] | None = None,
    ) -> None:
        """Register the translation of a kind of row.

        With `fields`, an update counts only if one of these fields differs; with none of them, only creation and
        deletion do. This is checked on the stored row, since heads and cursors change with every message.
        """
        keys = entity.shape.keys
        pk, sk = keys.pk.literal_prefix, keys.sk.literal_prefix
        if self.spelling is not None:
            pk, sk = self.spelling.key(pk), self.spelling.key(sk)
        attributes = None if fields is None else tuple(entity.shape.attribute(field) for field in fields)
        self._by_heads[_head(pk), _head(sk)].append(_Meaning(entity, translate, attributes))

    def at_once(self, entity: type[E], created: Callable[[E], Awaitable[Publication | None]]) -> None:
        """Register an event that the writing process publishes before the change stream does, with the same id."""
        self._at_once[entity] = created

    def on_replay(
        self, topic_kind: str, events: Sequence[EventType[Any]], renew: Renew, *, is_volatile: bool = False
    ) -> None:
        """Register how these events, for topics of this kind, get their current content on replay.

        Volatile events can change without another event about the same subject.
        """
        for event in events:
            self._renewals[event.name, topic_kind] = _Renewal(renew, is_volatile)

    def on_replay_by_row(
        self,
        topic_kind: str,
        events: Sequence[EventType[Any]],
        key_of: Callable[[Any], Key[E]],
        translate: Callable[[Seen[E]], Awaitable[Sequence[Publication]]],
        *,
        is_volatile: bool = False,
    ) -> None:
        """Replay these events as a change of their row would be published now; `key_of` finds the row's key."""
        decode = msgspec.json.Decoder(events[0].payload).decode

        async def renew(events: Sequence[Event]) -> list[Event | None]:
            keys = [key_of(decode(each.full or each.d)) for each in events]
            rows = await self._table.get_many(keys, consistent=True)
            found = [[] if row is None else await translate(Seen(row, row)) for row in rows]
            shown = [[each.event for each in some if each.event is not None] for some in found]
            return [next((each for each in some if each.t.endswith("updated")), None) for some in shown]

        self.on_replay(topic_kind, events, renew, is_volatile=is_volatile)

    def is_volatile(self, event: Event) -> bool:
        """Return whether what an event shows can change without a later event about it."""
        renewal = self._renewal_of(event)
        return renewal is not None and renewal.is_volatile

    async def current(self, events: Sequence[Event]) -> list[Event | None]:
        """Return the same events with their current content; None if it is no longer visible."""
        found: list[Event | None] = list(events)
        indexes: dict[Renew, list[int]] = defaultdict(list)
        for index, each in enumerate(events):
            renewal = self._renewal_of(each)
            if renewal is not None:
                indexes[renewal.renew].append(index)
        for renew, own in indexes.items():
            for index, now in zip(own, await renew([events[index] for index in own]), strict=True):
                found[index] = None if now is None else _with_content_of(events[index], now)
        return found

    def _renewal_of(self, event: Event) -> _Renewal | None:
        return self._renewals.get((event.t, parts_of(event.topics[0])[0])) if event.topics else None

    def fast_rows(self, operations: Sequence[Operation]) -> list[Entity]:
        """Return the created rows of a write whose events may be published at once."""
        at_once = self._at_once
        return [each.entity for each in operations if isinstance(each, Create) and type(each.entity) in at_once]

    async def publication_of_new_row(self, row: Entity) -> Publication | None:
        """Return the publication of a row that was just created; None leaves it to the change stream.

        Raises TableError if it cannot be determined now.
        """
        try:
            return await self._at_once[type(row)](row)
        except TableError as error:
            if is_permanent(error):
                return None
            raise

    def publishes(self, change: RawChange) -> bool:
        """Return whether a change may publish anything."""
        meanings = self._by_heads.get((_head(change.key.pk), _head(change.key.sk)), ())
        for each in meanings:  # noqa: SIM110 - a generator would cost more than the rest
            if each.attributes is None or _differs(change, each.attributes):
                return True
        return False

    async def publications_of(self, change: RawChange, *, is_repeated: bool = False) -> list[Publication]:
        """Return what a change publishes, each with its id; raises TableError if it cannot be determined now.

        A change that is repeated shows its row as it is now.
        """
        found, failures = await self.translate(change, is_repeated=is_repeated)
        for error in failures:
            key = f"{change.key.pk} / {change.key.sk}"
            _log.warning("a changed row was not translated", key=key, why=f"{type(error).__name__}: {error}")
        return found

    async def translate(self, change: RawChange, *, is_repeated: bool = False) -> Translated:
        """Return what a change publishes, and what of it could not be translated; raises TableError as above."""
        key = change.key
        found = Translated([], [])
        for entity, translate, attributes in self._by_heads.get((_head(key.pk), _head(key.sk)), ()):
            if attributes is not None and not _differs(change, attributes):
                continue
            try:
                seen = self._seen(change, entity)
                if seen is not None and is_repeated:
                    seen = _SeenAgain(*seen)
                published = () if seen is None else await translate(seen)
            except Exception as error:
                if not is_permanent(error):
                    raise
                found.failures.append(error)
                continue
            first = len(found.publications)
            found.publications.extend(_named(each, change, number) for number, each in enumerate(published, first))
        return found

    def _seen(self, change: RawChange, entity: type[E]) -> Seen[E] | None:
        """Return the row before and after; raise BadRow if it cannot be read now, or could not before its deletion."""
        new = None if change.new is None else self._table.decode(change.new, entity)
        if change.old is None:
            old = None
        elif new is None:
            old = self._table.decode(change.old, entity)
        else:
            old = self._table.as_entity(change.old, entity)  # an unreadable row that was repaired counts as a new one
        return None if old is None and new is None else Seen(old, new)


def is_permanent(error: Exception) -> bool:
    """Return whether an error would occur again the next time, and must not block all other events."""
    return isinstance(error, BadRow | Refused) or not isinstance(error, TableError)


def _differs(change: RawChange, attributes: tuple[str, ...]) -> bool:
    """Return whether the row is new, deleted, or different in one of these attributes."""
    old, new = change.old, change.new
    return old is None or new is None or any(old.get(name) != new.get(name) for name in attributes)


def _head(key: str) -> str:
    """Return a key up to its first separator: its kind."""
    end = key.find("#")
    return key if end < 0 else key[: end + 1]


def _with_content_of(event: Event, now: Event) -> Event:
    """Return an event with its current content; the very same object if nothing differs."""
    if (now.d, now.full, now.author) == (event.d, event.full, event.author):
        return event
    return msgspec.structs.replace(event, d=now.d, full=now.full, author=now.author)


def _named(publication: Publication, change: RawChange, number: int) -> Publication:
    """Return the publication with an id: its own, which the writer knows in advance, or that of the change."""
    if publication.id:
        return publication
    return msgspec.structs.replace(publication, id=f"{change.id}-{number}" if number else change.id)
