"""The responses of webhooks."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.domains.webhooks.entities import Delivery, DeliveryState, DisabledReason, HookId, Webhook
from sobremesa.http.endpoints import Output


class WebhookView(Output):
    """A webhook. `rooms` is null if it receives the events of all rooms."""

    hook_id: HookId
    url: str
    events: list[str]
    rooms: list[str] | None
    disabled: bool
    disabled_at: Instant | None
    disabled_reason: DisabledReason | None
    """`requested`: by a request. `gone`: the endpoint responded with 410. `failing`: it failed for a day."""
    failing_since: Instant | None
    """The start of the current series of failed attempts."""
    previous_secret_until: Instant | None
    """Until when the secret before the last rotation also signs."""
    created_at: Instant
    updated_at: Instant


class WebhookWithSecret(WebhookView):
    """A webhook, with its secret: it is shown only here."""

    secret: str


class AttemptView(Output):
    """An attempt. `status` is null if there was no response."""

    attempt: int
    at: Instant
    status: int | None
    milliseconds: int
    error: str | None


class DeliveryView(Output):
    """An event that was sent to a webhook, with the last attempts, the newest first."""

    event_id: str
    type: str
    room_id: str | None
    timestamp: Instant
    state: DeliveryState
    """`skipped`: the webhook was disabled; a replay sends it."""
    error: str | None
    """Why the event could not be created, with the type `unknown` if not even that is known. A replay tries again."""
    next_attempt_at: Instant | None
    attempts: list[AttemptView]


class ReplayView(Output):
    """A replay that was started. Events before `since` are not sent again: they are not kept that long."""

    since: Instant
    state: str


def webhook_view(hook: Webhook, clock: Clock) -> WebhookView:
    return WebhookView(**_fields(hook, clock))


def webhook_with_secret(hook: Webhook, secret: str, clock: Clock) -> WebhookWithSecret:
    return WebhookWithSecret(**_fields(hook, clock), secret=secret)


def _fields(hook: Webhook, clock: Clock) -> dict[str, Any]:
    until_ms = hook.previous_until_ms
    return {
        "hook_id": hook.hook_id,
        "url": hook.url,
        "events": hook.events,
        "rooms": hook.rooms,
        "disabled": hook.disabled_at is not None,
        "disabled_at": hook.disabled_at,
        "disabled_reason": hook.disabled_reason,
        "failing_since": hook.failing_since,
        "previous_secret_until": instant(until_ms) if until_ms > clock.now_ms() else None,
        "created_at": hook.created_at,
        "updated_at": hook.updated_at,
    }


def delivery_view(delivery: Delivery) -> DeliveryView:
    return DeliveryView(
        event_id=delivery.event_id,
        type=delivery.type,
        room_id=delivery.room_id,
        timestamp=instant(delivery.at_ms),
        state=delivery.state,
        error=delivery.error,
        next_attempt_at=instant(delivery.next_ms) if delivery.next_ms else None,
        attempts=msgspec.convert(delivery.attempts[::-1], list[AttemptView]),
    )
