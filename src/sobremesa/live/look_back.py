"""How far back a new member of a topic may have missed events.

Where changes come in several shards, a message may be published before the membership of its reader, although it was
sent after it. So a new member gets what was published of the topic since the membership started.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sobremesa.core.clock import lenient_ms
from sobremesa.core.ids import is_ulid, time_of
from sobremesa.live.events import Event, Topic, TopicMembership, server_of
from sobremesa.live.feed import Entry

CLOCKS_DIFFER_MS: Final = 1_000
"""How much the clocks of two nodes may differ."""
LONGEST_MS = 15 * 60_000
"""Shards are assumed to be at most this far apart."""
UNKNOWN_MS = 60_000
"""How far to look back if it is not known when the membership started."""


class LookedBack(NamedTuple):
    """What new members may have missed, as it is now."""

    kept: Mapping[Topic, Sequence[Entry]]
    """What is no longer in memory, by topic."""
    changed: Mapping[str, Event | None]
    """Which events in memory show something else now, by id; None if they are no longer visible."""


def look_back_from(member: TopicMembership, now_ms: int, *, clocks_differ_ms: int = CLOCKS_DIFFER_MS) -> int:
    """Return the time from which on a new member may have missed events."""
    starts_ms = lenient_ms(member.since) if member.since else None
    # A membership in a channel has the start of that in its server; when the channel was shown to it is not known.
    if starts_ms is None or server_of(member.topic) is not None:
        return now_ms - UNKNOWN_MS
    return max(starts_ms - clocks_differ_ms, now_ms - LONGEST_MS)


def happened_ms(entry: Entry) -> int:
    """Return when an event happened: as its message id says, if it is of a new message; else when it was published."""
    event = entry.event
    if event is not None and event.t == "message.created" and is_ulid(event.subject):
        return time_of(event.subject)
    return entry.at_ms
