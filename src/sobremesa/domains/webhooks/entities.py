"""The stored rows of webhooks: the webhooks of a tenant, their queues and their delivery logs.

An event is stored once, however many webhooks receive it; the queue of each refers to it. The row of the event is
created in one transaction with those references, so that an event is queued exactly once, although a consumer of the
change stream that is killed reads the same changes again.
"""

from __future__ import annotations

from typing import Any, Literal, NewType, TypeAlias

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import AuditEntry
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern
from sobremesa.work.jobs.entities import Job
from sobremesa.work.quotas import QuotaGuard

HookId = NewType("HookId", str)
EventOrder = NewType("EventOrder", str)
"""A ULID: the position of an event in the queues, and when it was queued."""

DeliveryState: TypeAlias = Literal["delivered", "retrying", "failed", "skipped"]
DisabledReason: TypeAlias = Literal["requested", "gone", "failing"]


LOG_SECONDS = 7 * 24 * 3600
"""How long the delivery log has an event."""


class Webhook(Entity):
    """An address that receives events of a tenant."""

    keys = Keys(pk="WEBHOOKS#{tenant}", sk="HOOK#{hook_id}")
    redacted = ("secret", "previous_secret")

    tenant: Tenant
    hook_id: HookId
    url: str
    events: list[str]
    rooms: list[str] | None = None
    secret: str
    """Encrypted, as `stored_secrets` does; plain in rows from before."""
    previous_secret: str | None = None
    """The secret before the last rotation, which also signs until `previous_until_ms`."""
    previous_until_ms: int = 0
    created_at: Instant
    updated_at: Instant
    disabled_at: Instant | None = None
    disabled_reason: DisabledReason | None = None
    failing_since: Instant | None = None
    """When the first of an uninterrupted series of failed attempts was made."""


class WebhookRoster(Entity):
    """How many webhooks there are, and a value that changes with any of them: caches of webhooks are checked by it."""

    keys = Keys(pk="SYSTEM", sk="WEBHOOKS")

    hooks: int = 0
    version: str = ""


class WebhookEvent(Entity):
    """An event as it is sent: the body of the request, the same at every attempt."""

    keys = Keys(pk="WEBHOOKEVENT#{event_key}", sk="EVENT")
    expires = "ttl"

    event_key: str
    event_id: str
    body: str
    ttl: int


class FailedChange(Entity):
    """A changed row whose event could not be created, stored until a replay can translate it."""

    keys = Keys(pk="WEBHOOKEVENT#{event_key}", sk="CHANGE")
    expires = "ttl"

    event_key: str
    event_id: str
    change_id: str
    at_ms: int
    pk_value: str
    sk_value: str
    images: dict[str, Any] | None = None
    """The row before (`old`) and after (`new`); None if they are too large to be stored in one row."""
    expired: bool = False
    ttl: int


class QueuedEvent(Entity):
    """An event that a webhook has not accepted yet."""

    keys = Keys(pk="WEBHOOK#{hook_id}", sk="QUEUE#{order}")
    expires = "ttl"

    hook_id: HookId
    order: EventOrder
    event_key: str
    event_id: str
    type: str
    room_key: str
    """Events with the same key are sent one after the other: the id of a room, or else a topic."""
    room_id: str | None = None
    at_ms: int
    queued_ms: int
    """When it was queued, or queued again by a replay: attempts end a day later."""
    tried: int = 0
    next_ms: int = 0
    attempts: list[dict[str, Any]] = []
    ttl: int


class Delivery(Entity):
    """The delivery log of one event: its state, and the last attempts."""

    keys = Keys(pk="WEBHOOK#{hook_id}", sk="LOG#{order}")
    expires = "ttl"

    hook_id: HookId
    order: EventOrder
    event_key: str
    event_id: str
    type: str
    room_key: str
    room_id: str | None = None
    at_ms: int
    state: DeliveryState
    error: str | None = None
    """Why the event could not be created; `event_key` is the key of a FailedChange then."""
    next_ms: int = 0
    attempts: list[dict[str, Any]] = []
    ttl: int


class WebhookWork(Entity):
    """Says that a webhook has queued events, and holds the lease of the node that sends them."""

    keys = Keys(pk="WEBHOOKWORK", sk="HOOK#{hook_id}")

    hook_id: HookId
    tenant: Tenant
    version: str
    """Changes whenever something was queued."""
    seen: str = ""
    """The version that was last sent, except for what waits for its retry at `due_ms`."""
    due_ms: int = 0
    failed_passes: int = 0
    """How often in a row everything that was tried failed."""
    paused_until_ms: int = 0
    """Until when the endpoint is left alone because of that, also if something is queued."""
    holder: str | None = None
    leased_until_ms: int = 0

    def is_due(self, now_ms: int) -> bool:
        """Return whether there is something to send now."""
        return self.paused_until_ms <= now_ms and (self.version != self.seen or self.due_ms <= now_ms)


webhooks_of = Pattern("WHK.1", "Which webhooks does this tenant have?", Webhook, consistent=True)
webhook_by_id = Lookup("WHK.2", "What is this webhook?", Webhook, consistent=True)
roster = Lookup("WHK.3", "How many webhooks are there, and has one changed?", WebhookRoster, consistent=True)
event_by_key = Lookup("WHK.4", "What is the body of this event?", WebhookEvent, consistent=True)
queue_of = Pattern("WHK.5", "Which events has this webhook not accepted yet?", QueuedEvent, consistent=True, page=250)
deliveries_of = Pattern("WHK.6", "What was sent to this webhook?", Delivery, newest_first=True)
deliveries_between = Pattern(
    "WHK.7",
    "What was sent to this webhook between two positions?",
    Delivery,
    between=("LOG#{order}", "LOG#{last}"),
    consistent=True,
    page=250,
)
work_of_all = Pattern("WHK.8", "Which webhooks have queued events?", WebhookWork, consistent=True)
work_of = Lookup("WHK.9", "Was something queued for this webhook?", WebhookWork, consistent=True)

create_webhook = WritePattern("WHK.10", "Create a webhook", Webhook, WebhookRoster, QuotaGuard, AuditEntry)
change_webhook = WritePattern(
    "WHK.11", "Change, disable, enable or rotate a webhook", Webhook, WebhookRoster, AuditEntry, WebhookWork
)
delete_webhook = WritePattern("WHK.12", "Delete a webhook", Webhook, WebhookRoster, AuditEntry, WebhookWork)
queue_event = WritePattern("WHK.13", "Queue an event for webhooks", WebhookEvent, QueuedEvent, Delivery)
announce_work = WritePattern("WHK.14", "Say that a webhook has queued events", WebhookWork)
hold_work = WritePattern("WHK.15", "Acquire, renew or release the lease on the queue of a webhook", WebhookWork)
end_work = WritePattern("WHK.16", "Say that the queue of a webhook is empty", WebhookWork)
record_attempt = WritePattern("WHK.17", "Record the outcome of an attempt", QueuedEvent, Delivery)
note_health = WritePattern("WHK.18", "Note that attempts started to fail, or to succeed again", Webhook)
start_replay = WritePattern("WHK.19", "Start a replay", Job, AuditEntry)
queue_again = WritePattern("WHK.20", "Queue an event again", QueuedEvent)
clear_queue = WritePattern("WHK.21", "Remove the rows of a deleted webhook", QueuedEvent, Delivery)

failed_change_by_key = Lookup("WHK.22", "Which change could not be translated?", FailedChange, consistent=True)
record_failure = WritePattern("WHK.23", "Record or forget an event that could not be created", FailedChange, Delivery)
