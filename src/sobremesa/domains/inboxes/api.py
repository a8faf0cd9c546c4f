"""The routes of inboxes: a product's backend publishes with a server key, users read their messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import UnknownUsers
from sobremesa.domains.inboxes import durations
from sobremesa.domains.inboxes.editing import Edit
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.errors import (
    BadCategory,
    BadDuration,
    BadRecipients,
    BadSchema,
    BodyBreaksSchema,
    EmptySegment,
    HostIdReused,
    MessageTooBig,
    NoSuchSegment,
    PastSnooze,
    RecipientsUnknown,
    SegmentFull,
)
from sobremesa.domains.inboxes.listing import InboxPage
from sobremesa.domains.inboxes.message_ids import ShownInboxMessageId
from sobremesa.domains.inboxes.publish_entities import SegmentName
from sobremesa.domains.inboxes.publishing import MAX_RECIPIENTS, MAX_USER_ID, Notice
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.inboxes.views import (
    ChangedView,
    CountsView,
    HowManyChanged,
    InboxConfigView,
    InboxMessageView,
    PreferenceView,
    ProgressView,
    PublishedView,
    SegmentView,
    TenantSettingsView,
    counts_view,
    inbox_view,
    message_view,
    progress_view,
    segment_view,
    tenant_view,
)
from sobremesa.http.endpoints import DEFAULT_LIMIT, Cursor, Encoded, Input, Limit, Listed, PageQuery, Routes
from sobremesa.rooms.api import InboxTotals
from sobremesa.rooms.views import InboxUnreadView

MAX_PUBLISH_BYTES = 8 * 1024 * 1024
"""100,000 ids of up to about 80 characters."""
MAX_CHANGED = 1000
"""How many users a request adds to a segment, and how many it removes."""

Duration = Annotated[str, msgspec.Meta(pattern=durations.PATTERN, examples=["30d"])]
Title = Annotated[str, msgspec.Meta(max_length=200)]
Text = Annotated[str, msgspec.Meta(max_length=2000)]
CategoryName = Annotated[str, msgspec.Meta(min_length=1, max_length=100, examples=["offers"])]
Recipient = Annotated[UserId, msgspec.Meta(min_length=1, max_length=MAX_USER_ID)]


class NewTenantSettings(Input):
    """Settings of a tenant; `ttl` is the default lifetime of messages."""

    title: Title | None = None
    ttl: Duration | None = None


class NewInboxConfig(Input):
    """Settings of an inbox: the lifetime of messages (`default`, and by category), and a JSON schema for bodies."""

    title: Title | None = None
    description: Text | None = None
    ttl: Annotated[dict[str, Duration], msgspec.Meta(max_length=100)] | None = None
    schema: dict[str, Any] | None = None


class Users(Input, tag_field="kind", tag="users"):
    """Some users, by id. Each receives the message once and does not see the other recipients."""

    user_ids: Annotated[list[Recipient], msgspec.Meta(min_length=1, max_length=MAX_RECIPIENTS)]
    label: Title | None = None


class Everyone(Input, tag_field="kind", tag="everyone"):
    """Every user of the tenant, except those who join later."""

    label: Title | None = None


class StoredSegment(Input, tag_field="kind", tag="segment"):
    """The users who are in a segment when the message is published."""

    segment: SegmentName
    label: Title | None = None


class NewSegment(Input):
    """The users of a segment."""

    user_ids: Annotated[list[Recipient], msgspec.Meta(max_length=MAX_RECIPIENTS)]


class SegmentChanges(Input):
    """The users to add to a segment, and those to remove; one who is in both is removed."""

    add: Annotated[list[Recipient], msgspec.Meta(max_length=MAX_CHANGED)] = []
    remove: Annotated[list[Recipient], msgspec.Meta(max_length=MAX_CHANGED)] = []


class NewInboxMessage(Input):
    """A message to publish."""

    audience: Users | Everyone | StoredSegment
    sender: Annotated[str, msgspec.Meta(min_length=1, max_length=200, examples=["shop"])]
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200, examples=["Your parcel is on its way"])]
    body: Any
    category: CategoryName | None = None
    cta_uri: Annotated[str, msgspec.Meta(max_length=2000)] | None = None
    ttl: Duration | None = None
    host_system_id: Annotated[str, msgspec.Meta(min_length=1, max_length=255)] | None = None


class MessageChanges(Input):
    """The fields of a published message to replace; those that are omitted stay."""

    sender: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | msgspec.UnsetType = msgspec.UNSET
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | msgspec.UnsetType = msgspec.UNSET
    body: Any = msgspec.UNSET
    cta_uri: Annotated[str, msgspec.Meta(max_length=2000)] | msgspec.UnsetType | None = msgspec.UNSET


class InboxQuery(Input):
    """Filters, and the page."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | None = None
    category: CategoryName | None = None
    unread: bool = False


class ReadAll(Input):
    """The category to mark as read; if omitted, all of them."""

    category: CategoryName | None = None


class NewPreference(Input):
    """The preference of a category."""

    muted: bool


class SnoozeUntil(Input):
    """When the snooze ends."""

    until: Annotated[datetime, msgspec.Meta(tz=True)]


def totals(inboxes: Inboxes) -> InboxTotals:
    """Return the function that lists the unread counts of a user's inboxes."""

    async def unread(actor: Actor) -> list[InboxUnreadView]:
        found = await inboxes.count_everywhere(actor)
        return [InboxUnreadView(each.inbox, each.unread) for each in found]

    return unread


def routes(inboxes: Inboxes) -> Routes:
    """The routes of inboxes."""
    api = Routes("Inboxes", "Notifications: published with a server key, read by their recipients.", of="users")
    at_tenant = "/tenants/{tenant}"
    at = f"{at_tenant}/inboxes/{{inbox}}"
    message = f"{at}/messages/{{message_id}}"

    @api.put(f"{at_tenant}/settings", scope="inbox:admin", errors=[BadDuration])
    async def set_tenant(actor: Actor, tenant: Tenant, body: NewTenantSettings) -> TenantSettingsView:
        """Set the inbox settings of a tenant."""
        return tenant_view(await inboxes.set_tenant(actor, tenant, title=body.title, ttl=body.ttl))

    @api.get(f"{at_tenant}/settings", scope="inbox:read", also_scopes=["inbox:admin"])
    async def get_tenant(actor: Actor, tenant: Tenant) -> TenantSettingsView:
        """Return the inbox settings of a tenant."""
        return tenant_view(await inboxes.get_tenant(actor, tenant))

    @api.put(at, scope="inbox:admin", errors=[BadCategory, BadDuration, BadSchema])
    async def set_inbox(actor: Actor, tenant: Tenant, inbox: InboxKey, body: NewInboxConfig) -> InboxConfigView:
        """Create an inbox or replace its settings, which apply to new messages."""
        config = await inboxes.set_inbox(
            actor,
            tenant,
            inbox,
            title=body.title,
            description=body.description,
            ttl=body.ttl or {},
            schema=body.schema,
        )
        return inbox_view(config)

    @api.get(at, scope="inbox:read", also_scopes=["inbox:admin"])
    async def get_inbox(actor: Actor, tenant: Tenant, inbox: InboxKey) -> InboxConfigView:
        """Return the settings of an inbox. An inbox exists from its first message on, or once it is created."""
        return inbox_view(await inboxes.get_inbox(actor, tenant, inbox))

    @api.post(
        f"{at}/messages",
        status=202,
        scope="inbox:publish",
        max_body=MAX_PUBLISH_BYTES,
        errors=[
            BadCategory,
            BadDuration,
            BadRecipients,
            BodyBreaksSchema,
            EmptySegment,
            HostIdReused,
            MessageTooBig,
            NoSuchSegment,
            UnknownUsers,
        ],
    )
    async def publish_message(actor: Actor, tenant: Tenant, inbox: InboxKey, body: NewInboxMessage) -> PublishedView:
        """Publish a message to every user of the tenant, to a segment, or to up to 100,000 users.

        Up to 1,000 recipients have it when the request returns the state `done`; more are delivered by a job. A
        repeated `hostSystemId` returns the first message. If some of the users do not exist in the tenant, nothing is
        published, and the problem lists up to 100 of them.
        """
        notice = Notice(
            sender=body.sender,
            title=body.title,
            body=body.body,
            category=body.category,
            cta_uri=body.cta_uri,
            ttl=body.ttl,
            host_system_id=body.host_system_id,
            label=body.audience.label,
        )
        if isinstance(body.audience, Users):
            user_ids = body.audience.user_ids
            publish = await inboxes.publish_to_users(actor, tenant, inbox, notice, user_ids)
        elif isinstance(body.audience, StoredSegment):
            publish = await inboxes.publish_to_segment(actor, tenant, inbox, notice, body.audience.segment)
        else:
            publish = await inboxes.publish_to_everyone(actor, tenant, inbox, notice)
        return PublishedView(publish.message_id, publish.recipients, publish.state)

    at_segment = f"{at_tenant}/segments/{{segment}}"

    @api.put(at_segment, scope="inbox:admin", max_body=MAX_PUBLISH_BYTES, errors=[UnknownUsers])
    async def set_segment(actor: Actor, tenant: Tenant, segment: SegmentName, body: NewSegment) -> SegmentView:
        """Create a segment, a stored audience of up to 100,000 users, or replace its users."""
        return segment_view(await inboxes.set_segment(actor, tenant, segment, body.user_ids))

    @api.get(f"{at_tenant}/segments", scope="inbox:read", also_scopes=["inbox:admin", "inbox:publish"])
    async def list_segments(actor: Actor, tenant: Tenant, query: PageQuery) -> Listed[SegmentView]:
        """List the segments of a tenant, by name."""
        page = await inboxes.list_segments(actor, tenant, limit=query.limit, cursor=query.cursor)
        return Listed([segment_view(segment) for segment in page.items], page.cursor)

    @api.patch(at_segment, scope="inbox:admin", errors=[SegmentFull, UnknownUsers])
    async def change_segment_users(
        actor: Actor, tenant: Tenant, segment: SegmentName, body: SegmentChanges
    ) -> SegmentView:
        """Add users to a segment and remove others, up to 1,000 of each. The same change again has no effect."""
        row = await inboxes.change_segment_users(actor, tenant, segment, add=body.add, remove=body.remove)
        return segment_view(row)

    @api.get(at_segment, scope="inbox:read", also_scopes=["inbox:admin", "inbox:publish"])
    async def get_segment(actor: Actor, tenant: Tenant, segment: SegmentName) -> SegmentView:
        """Return how many users a segment has, and since when."""
        return segment_view(await inboxes.get_segment(actor, tenant, segment))

    @api.delete(at_segment, scope="inbox:admin")
    async def delete_segment(actor: Actor, tenant: Tenant, segment: SegmentName) -> None:
        """Delete a segment. Messages that were published to it stay."""
        await inboxes.delete_segment(actor, tenant, segment)

    @api.get(f"{at}/publishes/{{message_id}}", scope="inbox:publish", also_scopes=["inbox:read"])
    async def get_publish(
        actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId
    ) -> ProgressView:
        """Return the progress of a publish, for a month."""
        return progress_view(await inboxes.get_publish(actor, tenant, inbox, message_id))

    @api.patch(message, status=202, scope="inbox:publish", errors=[BodyBreaksSchema, MessageTooBig, RecipientsUnknown])
    async def update_message(
        actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId, body: MessageChanges
    ) -> PublishedView:
        """Update the content of a message, also if it is still being delivered. What users did with it stays.

        Up to 1,000 recipients have the new content when the request returns; for more, a job continues. The same update
        again has no effect.
        """
        edit = Edit(sender=body.sender, title=body.title, body=body.body, cta_uri=body.cta_uri)
        publish = await inboxes.update(actor, tenant, inbox, message_id, edit)
        return PublishedView(publish.message_id, publish.recipients, publish.state)

    @api.delete(message, status=202, scope="inbox:publish", errors=[RecipientsUnknown])
    async def recall_message(
        actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId
    ) -> PublishedView:
        """Recall a message: nobody sees or counts it any more, also if it is still being delivered.

        Up to 1,000 recipients have it no longer when the request returns the state `recalled`; for more, a job
        continues while the state is `recalling`. Recalling it again has no effect.
        """
        publish = await inboxes.recall(actor, tenant, inbox, message_id)
        return PublishedView(publish.message_id, publish.recipients, publish.state)

    @api.get(f"{at}/messages")
    async def list_messages(
        actor: Actor, tenant: Tenant, inbox: InboxKey, query: InboxQuery
    ) -> Encoded[Listed[InboxMessageView]]:
        """List your messages and broadcasts, newest first.

        With a filter, a page may have fewer than `limit` messages; there may be more as long as there is a `next`.
        """
        page = await inboxes.page(
            actor,
            tenant,
            inbox,
            limit=query.limit,
            cursor=query.cursor,
            category=query.category,
            unread=query.unread,
        )
        return Encoded(page.json(_page_json))

    @api.put(f"{message}/read", limit="read")
    async def mark_read(actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId) -> ChangedView:
        """Mark a message as read."""
        return ChangedView(await inboxes.mark_read(actor, tenant, inbox, message_id))

    @api.post(f"{at}/read-all")
    async def mark_all_read(actor: Actor, tenant: Tenant, inbox: InboxKey, body: ReadAll) -> HowManyChanged:
        """Mark all visible messages as read, or those of a category."""
        return HowManyChanged(await inboxes.mark_all_read(actor, tenant, inbox, category=body.category))

    @api.put(f"{message}/archive")
    async def archive_message(
        actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId
    ) -> ChangedView:
        """Archive a message: remove it from the list and the counts permanently."""
        return ChangedView(await inboxes.archive(actor, tenant, inbox, message_id))

    @api.put(f"{message}/snooze", errors=[PastSnooze])
    async def snooze_message(
        actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: ShownInboxMessageId, body: SnoozeUntil
    ) -> ChangedView:
        """Snooze a message: remove it from the list and the counts until a time."""
        until_ms = round(body.until.timestamp() * 1000)
        return ChangedView(await inboxes.snooze(actor, tenant, inbox, message_id, until_ms=until_ms))

    @api.get(f"{at}/counts")
    async def count_messages(actor: Actor, tenant: Tenant, inbox: InboxKey) -> CountsView:
        """Return the counts of visible and unread messages, in total and by category."""
        return counts_view(await inboxes.count(actor, tenant, inbox))

    @api.put(f"{at}/preferences/{{category}}", errors=[BadCategory])
    async def set_preference(
        actor: Actor, tenant: Tenant, inbox: InboxKey, category: str, body: NewPreference
    ) -> PreferenceView:
        """Mute or unmute a category. Muted messages are listed but not counted as unread."""
        preference = await inboxes.set_preference(actor, tenant, inbox, category, muted=body.muted)
        return PreferenceView(preference.category, preference.muted)

    return api


def _page_json(page: InboxPage) -> bytes:
    return msgspec.json.encode(Listed([message_view(entry) for entry in page.entries], page.cursor))
