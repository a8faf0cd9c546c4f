"""The responses of inboxes."""

from __future__ import annotations

from typing import Any, Literal

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant, instant
from sobremesa.domains.inboxes.counting import InboxCount
from sobremesa.domains.inboxes.entities import InboxConfig, InboxKey, Row, TenantSettings
from sobremesa.domains.inboxes.listing import Entry
from sobremesa.domains.inboxes.message_ids import ShownInboxMessageId
from sobremesa.domains.inboxes.publish_entities import Publish, PublishState, Segment, SegmentName
from sobremesa.http.endpoints import Output


class TenantSettingsView(Output):
    """The inbox settings of a tenant."""

    tenant: Tenant
    title: str | None
    ttl: str | None


class InboxConfigView(Output):
    """The settings of an inbox."""

    tenant: Tenant
    inbox: InboxKey
    title: str | None
    description: str | None
    ttl: dict[str, str]
    schema: dict[str, Any] | None


class PublishedView(Output):
    """A published message. `recipients` is null for a broadcast."""

    message_id: ShownInboxMessageId
    recipients: int | None
    state: PublishState


class ProgressView(Output):
    """The progress of a publish. `delivered` and `recipients` are null for a broadcast."""

    delivered: int | None
    recipients: int | None
    state: PublishState


class InboxMarksView(Output):
    """What the recipient did with a message. A snooze in the past has ended."""

    read_at: Instant | None
    archived_at: Instant | None
    snoozed_until: Instant | None


class InboxMessageView(InboxMarksView):
    """A message as its recipient sees it."""

    message_id: ShownInboxMessageId
    sender: str
    title: str
    body: Any
    category: str | None
    cta_uri: str | None
    received_at: Instant
    expires_at: Instant | None
    audience: Literal["users", "everyone"]


class ChangedView(Output):
    """Whether anything changed: not if it was so already, or the message does not exist or has expired."""

    changed: bool


class HowManyChanged(Output):
    """How many messages changed."""

    changed: int


class CategoryCountView(Output):
    """The counts of a category. The unread count of a muted category is not part of the total."""

    total: int
    unread: int
    muted: bool


class CountsView(Output):
    """The counts of visible messages."""

    total: int
    unread: int
    categories: dict[str, CategoryCountView]


class PreferenceView(Output):
    """The preference of a category."""

    category: str
    muted: bool


class SegmentView(Output):
    """A segment: a stored audience."""

    segment: SegmentName
    users: int
    updated_at: Instant


def segment_view(segment: Segment) -> SegmentView:
    return SegmentView(segment.segment, segment.users, segment.updated_at)


def tenant_view(settings: TenantSettings) -> TenantSettingsView:
    return TenantSettingsView(settings.tenant, settings.title, settings.ttl_text)


def inbox_view(config: InboxConfig) -> InboxConfigView:
    return InboxConfigView(
        config.tenant, config.inbox, config.title, config.description, config.ttl_rules, config.body_schema
    )


def progress_view(publish: Publish) -> ProgressView:
    delivered = None if publish.recipients is None else publish.delivered
    return ProgressView(delivered, publish.recipients, publish.state)


def message_view(entry: Entry) -> InboxMessageView:
    message, content = entry.message, entry.message.message
    return InboxMessageView(
        message_id=message.message_id,
        sender=message.sender,
        title=content.title,
        body=content.body,
        category=message.category,
        cta_uri=content.cta_uri,
        received_at=instant(message.received),
        expires_at=None if entry.expiredat is None else instant(entry.expiredat * 1000),
        audience="everyone" if message.audiences.kind == "everyone" else "users",
        **marks_of(entry.held),
    )


def marks_of(row: Row | None) -> dict[str, Instant | None]:
    """Return the fields of `InboxMarksView`; a message without a row of its recipient has no marks."""
    if row is None:
        return dict.fromkeys(InboxMarksView.__struct_fields__)
    return {
        "read_at": None if row.readat is None else instant(row.readat),
        "archived_at": None if row.archivedat is None else instant(row.archivedat),
        "snoozed_until": None if row.snoozeduntil is None else instant(row.snoozeduntil * 1000),
    }


def counts_view(count: InboxCount) -> CountsView:
    return CountsView(
        count.total,
        count.unread,
        {category: CategoryCountView(*each) for category, each in count.categories.items()},
    )
