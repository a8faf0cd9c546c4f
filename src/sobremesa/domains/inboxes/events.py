"""Events of inboxes: new messages, and what users do with messages on other devices.

Counts differ per user and are read for each delivery: the events here only refer to their inbox.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.inboxes.counting import Counting, InboxCount
from sobremesa.domains.inboxes.entities import RECALLED, CategoryStats, Held, InboxKey, PublicMessage, UserStats
from sobremesa.domains.inboxes.listing import Entry
from sobremesa.domains.inboxes.message_ids import ShownInboxMessageId
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.views import (
    CountsView,
    InboxMarksView,
    InboxMessageView,
    counts_view,
    marks_of,
    message_view,
)
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType, Publication, Topic, user
from sobremesa.live.events import tenant as everyone_of
from sobremesa.live.translation import Seen, Translation


class LiveInboxMessage(InboxMessageView):
    """A message, and its inbox."""

    tenant: Tenant
    inbox: InboxKey


class InboxMarked(InboxMarksView):
    """What you did with a message."""

    tenant: Tenant
    inbox: InboxKey
    message_id: ShownInboxMessageId


class LiveCounts(CountsView):
    """The counts of an inbox."""

    tenant: Tenant
    inbox: InboxKey


class InboxRecalled(Output):
    """A recalled message."""

    tenant: Tenant
    inbox: InboxKey
    message_id: ShownInboxMessageId


class InboxEdited(Output):
    """The new content of a message."""

    tenant: Tenant
    inbox: InboxKey
    message_id: ShownInboxMessageId
    sender: str
    title: str
    body: Any
    cta_uri: str | None


class InboxRef(msgspec.Struct, omit_defaults=True):
    """The inbox whose counts changed."""

    tenant: Tenant
    inbox: InboxKey
    broadcast: str | None = None
    """What changed of the broadcasts."""


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

inbox_recalled = EventType(
    "inbox.recalled",
    InboxRecalled,
    "A message was recalled by its publisher: nobody sees or counts it any more.",
    to="you, or all users of the tenant",
)

inbox_edited = EventType(
    "inbox.edited",
    InboxEdited,
    "The publisher of a message updated its content.",
    to="you, or all users of the tenant",
)

_MARKS = ("readat", "archivedat", "snoozeduntil")


def live_counts(found: InboxCount, own: UserPartition) -> LiveCounts:
    """Return the counts of a user in an inbox, with its name."""
    return LiveCounts(**msgspec.structs.asdict(counts_view(found)), tenant=own.tenant, inbox=own.inbox)


async def resolve_counts(counting: Counting, recipient: UserId, reference: bytes) -> bytes:
    """Return the payload of `inbox.counts` for one recipient."""
    changed = _decode_reference(reference)
    own = UserPartition(changed.tenant, recipient, changed.inbox)
    if changed.broadcast is None:
        found = await counting.count_at(own)
    else:
        found = await counting.count_after(own, changed.broadcast)
    return msgspec.json.encode(live_counts(found, own))


_decode_reference = msgspec.json.Decoder(InboxRef).decode


class InboxEvents:
    """Maps changed rows of inboxes to events."""

    def register(self, translation: Translation) -> None:
        # Messages and receipts share one range of keys; their kind distinguishes them.
        translation.on(Held, self._held, fields=("kind", "sender", "message", *_MARKS))
        translation.on(PublicMessage, self._public, fields=("kind", "sender", "message"))
        # The total changes with every count; only muting changes a category alone.
        translation.on(UserStats, self._counts, fields=("version", "published", "read", "hidden", "floor"))
        translation.on(CategoryStats, self._muted, fields=("muted",))

    async def _held(self, seen: Seen[Held]) -> list[Publication]:
        old, new = seen
        if new is None:
            return []
        if new.is_recalled:
            return [] if old is None else [_recalled(new, user(new.user_id))]
        if old is None and new.is_message:
            return [inbox_message(_live(new), user(new.user_id))]
        if old is not None and _is_edited(old, new):
            return [_edited(new, user(new.user_id))]
        if old is None and new.readat is None and not new.is_hidden:
            return []
        marked = InboxMarked(tenant=new.tenant, inbox=new.inbox, message_id=new.message_id, **marks_of(new))
        return [inbox_updated(marked, user(new.user_id))]

    async def _public(self, seen: Seen[PublicMessage]) -> list[Publication]:
        message = seen.new
        if message is None:
            return []
        everyone = everyone_of(message.tenant)
        if message.is_recalled:
            changed = _counts_changed(message, everyone, f"{message.message_id} {RECALLED}")
            return [_recalled(message, everyone), changed]
        if seen.old is not None:
            return [_edited(message, everyone)]
        return [inbox_message(_live(message), everyone), _counts_changed(message, everyone, message.message_id)]

    async def _counts(self, seen: Seen[UserStats]) -> list[Publication]:
        return [] if seen.new is None else [_counts_changed(seen.new, user(seen.new.user_id))]

    async def _muted(self, seen: Seen[CategoryStats]) -> list[Publication]:
        old, new = seen
        if new is None or new.muted == (old is not None and old.muted):
            return []
        return [_counts_changed(new, user(new.user_id))]


def _live(message: Held | PublicMessage) -> LiveInboxMessage:
    view = message_view(Entry(message, None))
    return LiveInboxMessage(**msgspec.structs.asdict(view), tenant=message.tenant, inbox=message.inbox)


def _recalled(message: Held | PublicMessage, topic: Topic) -> Publication:
    gone = InboxRecalled(tenant=message.tenant, inbox=message.inbox, message_id=message.message_id)
    return inbox_recalled(gone, topic)


def _is_edited(old: Held, new: Held) -> bool:
    return new.is_message and (old.sender, old.message) != (new.sender, new.message)


def _edited(message: Held | PublicMessage, topic: Topic) -> Publication:
    content = message.message
    edited = InboxEdited(
        tenant=message.tenant,
        inbox=message.inbox,
        message_id=message.message_id,
        sender=message.sender,
        title=content.title,
        body=content.body,
        cta_uri=content.cta_uri,
    )
    return inbox_edited(edited, topic)


def _counts_changed(
    row: UserStats | CategoryStats | PublicMessage, topic: Topic, broadcast: str | None = None
) -> Publication:
    return inbox_counts.per_recipient(InboxRef(row.tenant, row.inbox, broadcast), topic)
