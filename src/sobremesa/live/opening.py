"""Composes the live parts of one process.

On the embedded engine there is one process, and its change log is the feed. On DynamoDB a single process reads the
table's stream; with the setting `redis` there may be several nodes, which share the events of each topic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.core.settings import Settings
from sobremesa.live.ephemeral import EphemeralEvents, LocalEphemeralEvents
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.feed import Feed
from sobremesa.live.hub import Hub, Memberships
from sobremesa.live.log_feed import LogFeed
from sobremesa.live.presence import PresenceTimes
from sobremesa.live.recipient_payloads import RecipientPayloads
from sobremesa.live.stream_feed import StreamFeed
from sobremesa.live.translation import Translation
from sobremesa.live.typing import Typing
from sobremesa.table import Table
from sobremesa.table.opening import parse_store, require_extra

if TYPE_CHECKING:
    from sobremesa.live.relay import Relay


class LiveOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for tests and measurements."""

    fast: bool = True
    """Whether new messages are published before the change stream reports them."""
    relays: bool = True
    """Whether this node may read the change stream, if there are several nodes."""
    presence: PresenceTimes = PresenceTimes()


class Live(NamedTuple):
    """The live parts of one process."""

    feed: Feed
    hub: Hub
    ephemeral: EphemeralEvents
    typing: Typing
    relay: Relay | None = None
    """What publishes the changes of the table to all nodes, if there are several."""
    reads_changes: bool = True
    """Whether this node reads the change stream for the consumers of all nodes."""


def open_live(
    table: Table,
    clock: Clock,
    translation: Translation,
    *,
    payloads: RecipientPayloads,
    memberships: Memberships,
    cursors: EventCursors,
    settings: Settings,
    node_id: str,
    options: LiveOptions,
) -> Live:
    """Compose the live parts of one process over one table."""
    store = parse_store(settings.store)
    if store.path is None and settings.redis is not None:
        window_ms = settings.event_minutes * 60_000
        parts = _among_nodes(
            table, clock, translation, cursors, settings.redis, window_ms, store.table, node_id, options
        )
        hub = Hub(parts.feed, payloads, memberships, translation, crowd=settings.lazy_delivery_above)
        shared = parts.ephemeral(hub)
        return Live(parts.feed, hub, shared, Typing(shared), parts.relay, reads_changes=options.relays)
    feed: Feed = LogFeed(table, clock, translation, cursors)
    if store.path is None:
        feed = StreamFeed(table, clock, translation, cursors, fast=options.fast)
    hub = Hub(feed, payloads, memberships, translation, crowd=settings.lazy_delivery_above)
    ephemeral = LocalEphemeralEvents(hub)
    return Live(feed, hub, ephemeral, Typing(ephemeral))


class _Shared(NamedTuple):
    """What several nodes share."""

    feed: Feed
    ephemeral: Callable[[Hub], EphemeralEvents]
    relay: Relay | None


def _among_nodes(
    table: Table,
    clock: Clock,
    translation: Translation,
    cursors: EventCursors,
    url: str,
    window_ms: int,
    name: str,
    node_id: str,
    options: LiveOptions,
) -> _Shared:
    require_extra("redis", "redis", "the setting redis")
    from sobremesa.live.redis_server import RedisServer
    from sobremesa.live.relay import Relay
    from sobremesa.live.repeated_changes import RepeatedChanges
    from sobremesa.live.topic_ephemeral import TopicEphemeralEvents
    from sobremesa.live.topic_feed import TopicFeed
    from sobremesa.live.topic_messages import TopicMessages
    from sobremesa.live.topic_publisher import TopicPublisher
    from sobremesa.live.topic_receiver import TopicReceiver
    from sobremesa.live.topic_streams import TopicStreams
    from sobremesa.live.topic_writer import HINT, TopicWriter

    streams = TopicStreams(RedisServer(url), name, window_ms)
    messages = TopicMessages(streams, node_id)
    receiver = TopicReceiver(streams, messages.take)
    changes = RepeatedChanges(table, translation)
    writer = TopicWriter(translation, TopicPublisher(streams, changes), messages, fast=options.fast)
    relay = Relay(TopicPublisher(streams, changes)) if options.relays else None
    feed = TopicFeed(table, clock, streams, receiver, writer, relay, cursors)
    messages.on(HINT, lambda _: feed.nudge())
    return _Shared(feed, lambda hub: TopicEphemeralEvents(hub, messages), relay)
