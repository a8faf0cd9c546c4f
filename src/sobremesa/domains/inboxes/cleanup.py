"""Account deletion and export of inboxes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import Refusal
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes.current_counts import is_expired
from sobremesa.domains.inboxes.entities import (
    clean_up,
    everything_of,
    inboxes_of,
    messages_to,
    preferences_of,
    snoozes_of,
)
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.table import Table


class Cleanup:
    """Removes and exports the inbox data of users."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return None: inboxes never object to a deletion."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove all rows of a user in the inboxes of their tenant."""
        async for own in self._partitions(user_id):
            await self._table.delete_every(everything_of(**own.parts()), pattern=clean_up)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield the messages and receipts of a user, their preferences and their snoozes."""
        async for own in self._partitions(user_id):
            now = self._clock.now_seconds()
            async for row in self._table.every(messages_to(**own.parts())):
                if is_expired(row, now) or row.is_recalled:
                    continue
                line: dict[str, Any] = {
                    "kind": "inboxMessage" if row.is_message else "inboxReceipt",
                    "inbox": own.inbox,
                    "messageId": row.message_id,
                    "category": row.category,
                    "readAt": None if row.readat is None else instant(row.readat),
                }
                if row.is_message:
                    content = row.message
                    line |= {"sender": row.sender, "title": content.title, "body": content.body}
                yield line
            async for preference in self._table.every(preferences_of(**own.parts())):
                yield {
                    "kind": "inboxPreference",
                    "inbox": own.inbox,
                    "category": preference.category,
                    "muted": preference.muted,
                }
            async for snooze in self._table.every(snoozes_of(**own.parts())):
                yield {
                    "kind": "inboxSnooze",
                    "inbox": own.inbox,
                    "messageId": snooze.message_id,
                    "until": instant(snooze.until * 1000),
                }

    async def _partitions(self, user_id: UserId) -> AsyncIterator[UserPartition]:
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None:
            return
        async for config in self._table.every(inboxes_of(tenant=user.tenant)):
            yield UserPartition(user.tenant, user_id, config.inbox)
