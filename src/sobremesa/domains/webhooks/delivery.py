"""Sends the queue of one webhook, pass by pass, while this node holds its lease.

A pass sends the events of several rooms at the same time, those of one room one after the other. An event that fails
waits for its retry, and so do the later ones of its room; other rooms go on. If everything fails at many rooms, the
endpoint is left alone for a while.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.core.webhook_signature import signed_headers
from sobremesa.domains.webhooks.entities import (
    HookId,
    QueuedEvent,
    Webhook,
    WebhookWork,
    clear_queue,
    deliveries_of,
    event_by_key,
    queue_of,
    webhook_by_id,
    work_of,
)
from sobremesa.domains.webhooks.held_queue import HeldQueue
from sobremesa.domains.webhooks.outcomes import Outcomes
from sobremesa.domains.webhooks.requests import Response, WebhookRequests
from sobremesa.domains.webhooks.retries import GIVE_UP_SECONDS, endpoint_pause
from sobremesa.domains.webhooks.stored_secrets import StoredSecrets, UnreadableSecret
from sobremesa.domains.webhooks.usage import DELIVERED, FAILED, GIVEN_UP, GONE, WebhookUsage
from sobremesa.table import Table

ROOMS_AT_ONCE = 8
"""How many requests to one webhook run at the same time."""
PASS_SECONDS = 5.0
SESSION_SECONDS = 60.0
"""After this long another node may continue, so that nodes share the work."""
NEAR_SECONDS = 2.0
"""A retry this soon is waited for."""
FAILURES_A_PASS = 16
"""After so many failures in a pass without a success, the endpoint is left alone for a while."""
STATUS_GONE = 410
ATTEMPTS_AT_ONCE = 32
"""How many requests of this node run at the same time, to all webhooks."""


class Ended(NamedTuple):
    """The end of a session: the version of the queue that it saw, and when to continue."""

    version: str
    due_ms: int | None
    """None: the queue is empty, or nothing of it is to be sent."""
    failed_passes: int = 0
    """How often in a row everything failed; the endpoint is left alone until `due_ms` then."""


class _Pass:
    """A pass over the queue, and its outcome."""

    def __init__(self, hook: Webhook, queue: HeldQueue) -> None:
        self.hook = hook
        self.queue = queue
        self.accepted = 0
        self.failed = 0
        self.is_gone = False
        self._deadline = asyncio.get_running_loop().time() + PASS_SECONDS

    @property
    def has_failed(self) -> bool:
        """Whether so much failed, and nothing else, that the endpoint seems to be down."""
        return not self.accepted and self.failed >= FAILURES_A_PASS

    @property
    def is_over(self) -> bool:
        return self.is_gone or self.has_failed or asyncio.get_running_loop().time() >= self._deadline


class Deliveries:
    """Sends queued events to webhooks."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        requests: WebhookRequests,
        outcomes: Outcomes,
        secrets: StoredSecrets,
        usage: WebhookUsage,
    ) -> None:
        self._table = table
        self._clock = clock
        self._requests = requests
        self._outcomes = outcomes
        self._secrets = secrets
        self._usage = usage
        self._slots = asyncio.Semaphore(ATTEMPTS_AT_ONCE)

    async def send(self, work: WebhookWork) -> Ended:
        """Send the queue of a webhook until it is empty, waits for retries, or it is another node's turn."""
        until = asyncio.get_running_loop().time() + SESSION_SECONDS
        queue = HeldQueue(self._table, work.hook_id)
        while True:
            version = await self._version_of(work)
            hook = await self._table.get(webhook_by_id(tenant=work.tenant, hook_id=work.hook_id))
            if hook is None:
                await self._clear(work.hook_id)
            if hook is None or hook.disabled_at is not None:
                return Ended(version, None)
            await queue.refresh(version, self._clock.now_ms())
            self._usage.note_queue(hook.hook_id, queue.held, queue.oldest_ms)
            next_ms = queue.next_ms()
            is_over = asyncio.get_running_loop().time() >= until
            if next_ms is None or is_over or not await self._wait_until(next_ms):
                return Ended(queue.version or version, next_ms)
            done = _Pass(hook, queue)
            await gather_bounded(ROOMS_AT_ONCE, partial(self._send_room, done), queue.due(self._clock.now_ms()))
            await self._note_health(done)
            if done.has_failed:
                failed_passes = work.failed_passes + 1
                return Ended(version, self._after(endpoint_pause(failed_passes)), failed_passes)

    async def _version_of(self, work: WebhookWork) -> str:
        """Return the version of the queue; read before the queue, so that nothing queued later is taken as sent."""
        now = await self._table.get(work_of(hook_id=work.hook_id))
        return work.version if now is None else now.version

    async def _wait_until(self, next_ms: int) -> bool:
        """Wait for the next retry if it is near; return False if it is not."""
        if next_ms > self._after(NEAR_SECONDS):
            return False
        await asyncio.sleep(max(0, next_ms - self._clock.now_ms()) / 1000)
        return True

    def _after(self, seconds: float) -> int:
        return self._clock.now_ms() + round(seconds * 1000)

    # A pass

    async def _send_room(self, done: _Pass, room_key: str) -> None:
        """Send events of one room in order, up to the first that fails."""
        while not done.is_over:
            queued = done.queue.first(room_key)
            if queued is None or not await self._send_event(done, queued):
                return

    async def _send_event(self, done: _Pass, queued: QueuedEvent) -> bool:
        """Send an event; return whether the next one of its room may be sent."""
        event = await self._table.get(event_by_key(event_key=queued.event_key))
        is_old = queued.tried and self._clock.now_ms() - queued.queued_ms >= GIVE_UP_SECONDS * 1000
        if event is None or is_old:
            self._usage.attempts[GIVEN_UP] += 1
            await self._outcomes.given_up(queued)
            done.queue.remove(queued)
            return True
        async with self._slots:
            if done.is_over:
                return False
            response = await self._post(done.hook, queued.event_id, event.body.encode())
        if response.is_accepted:
            done.accepted += 1
            self._usage.attempts[DELIVERED] += 1
            await self._outcomes.accepted(queued, response)
            done.queue.remove(queued)
            return True
        done.failed += 1
        done.is_gone = done.is_gone or response.status == STATUS_GONE
        self._usage.attempts[GONE if response.status == STATUS_GONE else FAILED] += 1
        done.queue.replace(await self._outcomes.refused(queued, response))
        return False

    async def _post(self, hook: Webhook, event_id: str, body: bytes) -> Response:
        now_ms = self._clock.now_ms()
        stored = [hook.secret]
        if hook.previous_secret is not None and now_ms < hook.previous_until_ms:
            stored.append(hook.previous_secret)
        try:
            secrets = [self._secrets.decrypt(hook.hook_id, each) for each in stored]
        except UnreadableSecret:
            return Response(None, 0, "its secret cannot be decrypted: rotate it")
        headers = signed_headers(secrets, id=event_id, seconds=now_ms // 1000, body=body)
        return await self._requests.post(hook.url, body, headers)

    async def _note_health(self, done: _Pass) -> None:
        if done.is_gone:
            await self._outcomes.disable(done.hook, "gone")
        elif done.accepted:
            await self._outcomes.note_success(done.hook)
        elif done.failed:
            await self._outcomes.note_failure(done.hook)

    async def _clear(self, hook_id: HookId) -> None:
        """Remove what a deleted webhook left."""
        await self._table.delete_every(queue_of(hook_id=hook_id), pattern=clear_queue)
        await self._table.delete_every(deliveries_of(hook_id=hook_id), pattern=clear_queue)
