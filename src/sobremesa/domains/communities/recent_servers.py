"""The rows of servers, at most a second old.

Every send and every page of a channel depends on the row of its server, which hardly ever changes. Where reads are
not cached by the version of their partition, as on DynamoDB, each node reads it once a second for all of them. What
this node writes itself is read again at once.
"""

from __future__ import annotations

from sobremesa.domains.communities.entities import Server, ServerId, server_by_id
from sobremesa.table import SharedReads, Table

SHARED_SERVERS = 10_000


class RecentServers:
    """Reads rows of servers, with one request for all who ask within a second."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shared = SharedReads(table, Server, limit=SHARED_SERVERS)

    def are_exact(self, server_id: ServerId) -> bool:
        """Return whether the table itself caches reads, until something changes."""
        return self._table.engine.version_of(server_by_id(server_id=server_id).raw.pk) is not None

    async def find(self, server_id: ServerId) -> Server | None:
        """Return the row of a server as it was within the last second, or None if there was none."""
        key = server_by_id(server_id=server_id)
        return await self._shared.get_or_load(key.raw.pk, "row", lambda: self._table.get(key))
