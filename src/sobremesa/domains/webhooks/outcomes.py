"""What an attempt changes: the queue, the delivery log, and the health of the webhook."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import structlog

from sobremesa.core.clock import Clock, instant, milliseconds
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.webhooks.entities import (
    LOG_SECONDS,
    Delivery,
    DeliveryState,
    DisabledReason,
    QueuedEvent,
    Webhook,
    change_webhook,
    note_health,
    record_attempt,
    roster,
    webhook_by_id,
)
from sobremesa.domains.webhooks.requests import Response
from sobremesa.domains.webhooks.retries import GIVE_UP_SECONDS, pause_after
from sobremesa.table import Condition, Delete, Put, Table, Update, Upsert, absent, always, present, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

MAX_ATTEMPTS_KEPT = 10
SYSTEM = "system"
"""The actor of an automatic action in the audit log."""

_log = structlog.get_logger("sobremesa.domains.webhooks")


class Outcomes:
    """Records attempts."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, audit: Audit) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._audit = audit

    async def accepted(self, queued: QueuedEvent, response: Response) -> None:
        """Remove an event that the receiver accepted from the queue."""
        attempts = self._with(queued, response)
        log = self._log_entry(queued, "delivered", attempts)
        await self._table.write(queue=Delete(queued.own_key(), when=always()), log=Put(log), pattern=record_attempt)

    async def refused(self, queued: QueuedEvent, response: Response) -> QueuedEvent:
        """Keep a failed event for its next attempt, and return it as it is stored."""
        attempts = self._with(queued, response)
        pause = pause_after(queued.tried + 1, response.retry_after)
        next_ms = self._clock.now_ms() + round(pause * 1000)
        log = self._log_entry(queued, "retrying", attempts, next_ms)
        tried = queued.tried + 1
        retry = set_to(tried=tried, next_ms=next_ms, attempts=attempts)
        with contextlib.suppress(ConditionFailed):  # the webhook was deleted
            await self._table.write(queue=Update(queued.own_key(), retry), log=Put(log), pattern=record_attempt)
        return msgspec.structs.replace(queued, tried=tried, next_ms=next_ms, attempts=attempts)

    async def given_up(self, queued: QueuedEvent) -> None:
        """Remove an event from the queue that was not accepted for a day, or is no longer stored."""
        log = self._log_entry(queued, "failed", queued.attempts)
        await self._table.write(queue=Delete(queued.own_key(), when=always()), log=Put(log), pattern=record_attempt)

    # The health of a webhook

    async def note_success(self, hook: Webhook) -> None:
        """Note that attempts succeed again."""
        if hook.failing_since is not None:
            await self._note(hook, set_to(failing_since=None), present("failing_since"))

    async def note_failure(self, hook: Webhook) -> None:
        """Note that attempts fail; disable a webhook at which they did for a day."""
        now_ms = self._clock.now_ms()
        if hook.failing_since is None:
            await self._note(hook, set_to(failing_since=instant(now_ms)), absent("failing_since"))
        elif now_ms - milliseconds(hook.failing_since) >= GIVE_UP_SECONDS * 1000:
            await self.disable(hook, "failing")

    async def disable(self, hook: Webhook, reason: DisabledReason) -> None:
        """Disable a webhook because of its responses."""
        entry = self._audit.entry(
            tenant_scope(hook.tenant), SYSTEM, "webhook.disable", target=hook.hook_id, details={"reason": reason}
        )
        changes = set_to(disabled_at=self._clock.now(), disabled_reason=reason, updated_at=self._clock.now())
        try:
            await self._table.write(
                hook=Update(
                    webhook_by_id(tenant=hook.tenant, hook_id=hook.hook_id), changes, when=absent("disabled_at")
                ),
                roster=Upsert(roster(), set_to(version=self._ids.mint())),
                audit=entry,
                pattern=change_webhook,
            )
        except ConditionFailed:
            return  # it was disabled or deleted meanwhile
        _log.warning("a webhook was disabled", tenant=hook.tenant, hook_id=hook.hook_id, reason=reason)

    async def _note(self, hook: Webhook, changes: Changes, when: Condition) -> None:
        key = webhook_by_id(tenant=hook.tenant, hook_id=hook.hook_id)
        with contextlib.suppress(ConditionFailed):  # noted already, or the webhook was deleted
            await self._table.write(Update(key, changes, when=when), pattern=note_health)

    # The delivery log

    def _with(self, queued: QueuedEvent, response: Response) -> list[dict[str, Any]]:
        attempt = {
            "attempt": queued.tried + 1,
            "at": self._clock.now(),
            "status": response.status,
            "milliseconds": response.milliseconds,
            "error": response.error,
        }
        return [*queued.attempts, attempt][-MAX_ATTEMPTS_KEPT:]

    def _log_entry(
        self, queued: QueuedEvent, state: DeliveryState, attempts: list[dict[str, Any]], next_ms: int = 0
    ) -> Delivery:
        return Delivery(
            hook_id=queued.hook_id,
            order=queued.order,
            event_key=queued.event_key,
            event_id=queued.event_id,
            type=queued.type,
            room_key=queued.room_key,
            room_id=queued.room_id,
            at_ms=queued.at_ms,
            state=state,
            next_ms=next_ms,
            attempts=attempts,
            ttl=self._clock.now_seconds() + LOG_SECONDS,
        )
