"""Events that could not be created: the changed row was unreadable, or its translation or payload failed.

Such a change would fail again at once, and must neither hold up all other events nor get lost. It is stored, the
delivery log of each webhook that may have been meant has it as `failed`, and a replay translates it again: by then the
row, or the server, may have been repaired.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.domains.webhooks.entities import (
    LOG_SECONDS,
    Delivery,
    EventOrder,
    FailedChange,
    Webhook,
    failed_change_by_key,
    record_failure,
)
from sobremesa.table import Create, RawChange, RawKey, Table, hash_part
from sobremesa.table.errors import BadValue, ConditionFailed, TooLarge

UNKNOWN = "unknown"
"""The type of an event in the log, if the change could not even be translated."""


class Failure(NamedTuple):
    """An event that could not be created, and the webhooks that may have been meant."""

    change: RawChange
    event_id: str
    type: str
    hooks: Sequence[Webhook]
    error: str


class FailedChanges:
    """Records changes whose events could not be created."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def record(self, order: EventOrder, failure: Failure) -> None:
        """Store a change and the log entries about it; nothing happens if that was done before."""
        try:
            await self._record(order, failure, _images_of(failure.change))
        except (TooLarge, BadValue):  # two large images, or one that is nested as deeply as a row can be
            await self._record(order, failure, None)

    async def _record(self, order: EventOrder, failure: Failure, images: dict[str, Any] | None) -> None:
        change = failure.change
        stored = FailedChange(
            event_key=_key_of(failure),
            event_id=failure.event_id,
            change_id=change.id,
            at_ms=change.at_ms,
            pk_value=change.key.pk,
            sk_value=change.key.sk,
            images=images,
            expired=change.expired,
            ttl=self._clock.now_seconds() + LOG_SECONDS,
        )
        logs = [Create(self._entry(order, failure, hook)) for hook in failure.hooks]
        try:
            await self._table.write(change=Create(stored), logs=logs, pattern=record_failure)
        except ConditionFailed:
            return  # it was recorded before the consumer was killed

    def _entry(self, order: EventOrder, failure: Failure, hook: Webhook) -> Delivery:
        return Delivery(
            hook_id=hook.hook_id,
            order=order,
            event_key=_key_of(failure),
            event_id=failure.event_id,
            type=failure.type,
            room_key="",
            at_ms=failure.change.at_ms,
            state="failed",
            error=failure.error,
            ttl=self._clock.now_seconds() + LOG_SECONDS,
        )

    async def find(self, entry: Delivery) -> RawChange | None:
        """Return the change of a log entry; None if it is not stored, or was too large for that."""
        stored = await self._table.get(failed_change_by_key(event_key=entry.event_key))
        if stored is None or stored.images is None:
            return None
        key = RawKey(stored.pk_value, stored.sk_value)
        old, new = stored.images.get("old"), stored.images.get("new")
        return RawChange(stored.change_id, stored.at_ms, key, old, new, stored.expired)


def _key_of(failure: Failure) -> str:
    """Return a key that is not the one of the event itself, which a replay creates."""
    return hash_part(f"failed {failure.event_id}")


def _images_of(change: RawChange) -> dict[str, Any]:
    return {name: image for name, image in (("old", change.old), ("new", change.new)) if image is not None}
