"""What this node knows about the work of webhooks, for the metrics."""

from __future__ import annotations

from collections import Counter

from sobremesa.domains.webhooks.entities import HookId

DELIVERED, FAILED, GONE, GIVEN_UP = "delivered", "failed", "gone", "given_up"


class WebhookUsage:
    """Counts attempts, and what the queues that this node sends had when it last looked."""

    def __init__(self) -> None:
        self.attempts: Counter[str] = Counter(dict.fromkeys((DELIVERED, FAILED, GONE, GIVEN_UP), 0))
        self.failed_changes = 0
        """How many events could not be created; they are in the delivery logs as failed."""
        self._pending: dict[HookId, int] = {}
        self._oldest_ms: dict[HookId, int] = {}
        self.queued_lag_seconds = 0.0
        """How old the last change was when its events were queued."""

    @property
    def pending(self) -> int:
        """How many events wait in the queues that this node sends."""
        return sum(self._pending.values())

    def lag_seconds(self, now_ms: int) -> float:
        """Return the age of the oldest event that waits in the queues that this node sends."""
        return max(0, now_ms - min(self._oldest_ms.values(), default=now_ms)) / 1000

    def note_queue(self, hook_id: HookId, pending: int, oldest_ms: int | None) -> None:
        """Note how many events wait for a webhook, at least, and since when."""
        self.forget_queue(hook_id)
        if oldest_ms is not None:
            self._pending[hook_id], self._oldest_ms[hook_id] = pending, oldest_ms

    def forget_queue(self, hook_id: HookId) -> None:
        """Forget a queue that is empty, or that another node may send from now on."""
        self._pending.pop(hook_id, None)
        self._oldest_ms.pop(hook_id, None)
