"""The senders: every node looks for webhooks with queued events, and sends the queues whose lease it gets."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.core.waiting import wait_for_event
from sobremesa.domains.webhooks.delivery import Deliveries, Ended
from sobremesa.domains.webhooks.entities import HookId, WebhookWork, end_work, hold_work, work_of, work_of_all
from sobremesa.domains.webhooks.usage import WebhookUsage
from sobremesa.table import Delete, Table, equals, set_to
from sobremesa.table.errors import ConditionFailed, TableError

LEASE_SECONDS = 15.0
POLL_SECONDS = 1.0
HOOKS_AT_ONCE = 32
"""To how many webhooks a node sends at the same time; others are left to other nodes, or to later."""

_log = structlog.get_logger("sobremesa.domains.webhooks")


class Sender:
    """Sends queued events from this node."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, deliveries: Deliveries, usage: WebhookUsage) -> None:
        self._table = table
        self._clock = clock
        self._node = ids.mint()
        self._deliveries = deliveries
        self._usage = usage
        self._nudged = asyncio.Event()
        self._sessions: dict[HookId, asyncio.Task[None]] = {}

    def nudge(self) -> None:
        """Look for queued events now instead of at the next interval."""
        self._nudged.set()

    async def run(self) -> None:
        """Send until cancelled."""
        try:
            while True:
                self._nudged.clear()
                try:
                    await self._start_sessions()
                except TableError as error:
                    _log.warning("cannot read the queues of webhooks", why=f"{type(error).__name__}: {error}")
                await wait_for_event(self._nudged, POLL_SECONDS)
        finally:
            sessions = list(self._sessions.values())
            for session in sessions:
                session.cancel()
            await asyncio.gather(*sessions, return_exceptions=True)

    async def _start_sessions(self) -> None:
        now_ms = self._clock.now_ms()
        async for work in self._table.every(work_of_all()):
            if len(self._sessions) >= HOOKS_AT_ONCE:
                return
            is_held = work.leased_until_ms >= now_ms
            if work.hook_id not in self._sessions and work.is_due(now_ms) and not is_held:
                session = asyncio.create_task(self._serve(work))
                self._sessions[work.hook_id] = session
                session.add_done_callback(partial(self._forget, work.hook_id))

    def _forget(self, hook_id: HookId, _: asyncio.Task[None]) -> None:
        del self._sessions[hook_id]
        self._usage.forget_queue(hook_id)

    async def _serve(self, work: WebhookWork) -> None:
        """Send the queue of one webhook while this node holds its lease."""
        key = work_of(hook_id=work.hook_id)
        lease = Lease(self._table, self._clock, key, seconds=LEASE_SECONDS, pattern=hold_work)
        try:
            held = await lease.acquire(set_to(holder=self._node))
            if held is None:
                return
            try:
                async with lease.renewing():
                    ended = await self._deliveries.send(held)
            except BaseException:
                await self._release(lease)
                raise
            await self._end(lease, held, ended)
        except LeaseLost:
            _log.info("another node sends to a webhook now", hook_id=work.hook_id)
        except Exception as error:  # any error: the queue is as it was, and is sent later
            _log.warning("a webhook was not served", hook_id=work.hook_id, why=f"{type(error).__name__}: {error}")

    async def _release(self, lease: Lease[WebhookWork]) -> None:
        """Let another node continue at once; if that fails, it can when the lease expires."""
        with contextlib.suppress(TableError, asyncio.CancelledError):
            await lease.release()

    async def _end(self, lease: Lease[WebhookWork], work: WebhookWork, ended: Ended) -> None:
        if ended.due_ms is None:
            try:
                # The version changes with whatever is queued: so nothing is forgotten that came after the last look.
                done = Delete(work_of(hook_id=work.hook_id), when=equals("version", ended.version))
                await self._table.write(done, pattern=end_work)
            except ConditionFailed:
                await lease.release()
            return
        paused_until_ms = ended.due_ms if ended.failed_passes else 0
        await lease.release(
            set_to(
                seen=ended.version,
                due_ms=ended.due_ms,
                failed_passes=ended.failed_passes,
                paused_until_ms=paused_until_ms,
            )
        )
