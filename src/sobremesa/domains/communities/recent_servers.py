"""The rows of servers, at most a second old.

Every send and every page of a channel depends on the row of its server, which hardly ever changes. Where reads are
not cached by the version of their partition, as on DynamoDB, each node reads it once a second for all of them. What
this node writes itself is read again at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.domains.communities.entities import Server, ServerId, server_by_id
from sobremesa.table import Check, Operation, Put, Table
from sobremesa.table.cache import Cache

KEPT_MS = 1000
CACHED_SERVERS = 10_000


class _Read(NamedTuple):
    """A read of the row, which may be under way."""

    at_ms: int
    row: asyncio.Task[Server | None]


class RecentServers:
    """Reads rows of servers, with one request for all who ask at the same time."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._reads: Cache[ServerId, _Read | None] = Cache(CACHED_SERVERS)
        table.watch(self._changed)

    def are_exact(self, server_id: ServerId) -> bool:
        """Return whether the table itself caches reads, until something changes."""
        return self._table.engine.version_of(server_by_id(server_id=server_id).raw.pk) is not None

    async def find(self, server_id: ServerId) -> Server | None:
        """Return the row of a server as it was within the last second, or None if there was none."""
        now_ms = self._clock.now_ms()
        read = self._reads.find(server_id)
        if read is None or not 0 <= now_ms - read.at_ms < KEPT_MS or _has_failed(read.row):
            read = _Read(now_ms, asyncio.create_task(self._table.get(server_by_id(server_id=server_id))))
            self._reads.keep(server_id, read)
        return await asyncio.shield(read.row)  # a caller that is cancelled must not end the read of the others

    def _changed(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        for operation in operations:
            if isinstance(operation, Put):
                if isinstance(operation.entity, Server):
                    self._reads.keep(operation.entity.server_id, None)
            elif operation.key.entity is Server and not isinstance(operation, Check):
                self._reads.keep(operation.key.parts["server_id"], None)


def _has_failed(row: asyncio.Task[Server | None]) -> bool:
    return row.done() and (row.cancelled() or row.exception() is not None)
