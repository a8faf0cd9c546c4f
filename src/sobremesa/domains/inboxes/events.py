"""Events of inboxes: new messages, and what users do with messages on other devices.

Counts differ per user and are read for each delivery: the events here only state that they changed.
"""

from __future__ import annotations

import msgspec

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant, instant
from sobremesa.domains.inboxes.entities import CategoryStats, Held, InboxKey, PublicMessage, UserStats
from sobremesa.domains.inboxes.listing import Entry
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.views import CountsView, InboxMessageView, message_view
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Event, EventType, user
from sobremesa.live.events import tenant as everyone_of
from sobremesa.live.translation import Seen, Translation


class LiveInboxMessage(InboxMessageView):
    """A message, and its inbox."""

    tenant: Tenant
    inbox: InboxKey


class InboxMarked(Output):
    """What you did with a message."""

    tenant: Tenant
    inbox: InboxKey
    message_id: InboxMessageId
    readat: Instant | None
    archivedat: Instant | None
    snoozeduntil: Instant | None


class LiveCounts(CountsView):
    """The counts of an inbox."""

    tenant: Tenant
    inbox: InboxKey


inbox_message = EventType(
    "inbox.message",
    LiveInboxMessage,
    "A message was published to you, or to every user of the tenant.",
    to="you, or all users of the tenant",
)
inbox_updated = EventType("inbox.updated", InboxMarked, "You read, archived or snoozed a message, or a snooze ended.")
inbox_counts = EventType(
    "inbox.counts",
    LiveCounts,
    "The counts of an inbox of yours changed. After broadcasts it is delivered a little later than the message, once "
    "for several.",
)

_MARKS = ("readat", "archivedat", "snoozeduntil")


class InboxEvents:
    """Maps changed rows of inboxes to events."""

    def register(self, translation: Translation) -> None:
        # Messages and receipts share one range of keys; their kind distinguishes them.
        translation.on(Held, self._held, fields=_MARKS)
        translation.on(PublicMessage, self._public, fields=())
        # The total changes with every count; only muting changes a category alone.
        translation.on(UserStats, self._counts, fields=("version", "published", "read", "hidden", "floor", "base"))
        translation.on(CategoryStats, self._muted, fields=("muted",))

    async def _held(self, seen: Seen[Held]) -> list[Event]:
        old, new = seen
        if new is None:
            return []
        if old is None and new.is_message:
            return [inbox_message(_live(new), user(new.user_id))]
        if old is None and new.readat is None and not new.is_hidden:
            return []
        marked = InboxMarked(
            new.tenant,
            new.inbox,
            new.message_id,
            None if new.readat is None else instant(new.readat),
            None if new.archivedat is None else instant(new.archivedat),
            None if new.snoozeduntil is None else instant(new.snoozeduntil * 1000),
        )
        return [inbox_updated(marked, user(new.user_id))]

    async def _public(self, seen: Seen[PublicMessage]) -> list[Event]:
        message = seen.new
        if message is None:
            return []
        everyone = everyone_of(message.tenant)
        counts = Event(t=inbox_counts.name, topics=(everyone,), fresh=(message.tenant, message.inbox))
        return [inbox_message(_live(message), everyone), counts]

    async def _counts(self, seen: Seen[UserStats]) -> list[Event]:
        return [] if seen.new is None else [_fresh(seen.new)]

    async def _muted(self, seen: Seen[CategoryStats]) -> list[Event]:
        old, new = seen
        if new is None or new.muted == (old is not None and old.muted):
            return []
        return [_fresh(new)]


def _live(message: Held | PublicMessage) -> LiveInboxMessage:
    view = message_view(Entry(message, None))
    return LiveInboxMessage(**msgspec.structs.asdict(view), tenant=message.tenant, inbox=message.inbox)


def _fresh(stats: UserStats | CategoryStats) -> Event:
    return Event(t=inbox_counts.name, topics=(user(stats.user_id),), fresh=(stats.tenant, stats.inbox))
