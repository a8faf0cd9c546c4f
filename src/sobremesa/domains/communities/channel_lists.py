"""The lists of channels of servers, cached by their version.

Many members of a server connect at once, and each gets all of its channels. The server's row, which is read
consistently for each of them, has the version of the list: where it is the one that was cached, the list is current.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import NamedTuple, TypeAlias

from sobremesa.domains.communities.entities import Channel, Server, ServerId, channels_of, server_by_id
from sobremesa.table import Operation, Table, Update, absent_or_null, set_to
from sobremesa.table.cache import Cache

CACHED_CHANNELS = 50_000
LONGEST_SECONDS = 30.0
"""How long a list is kept at most: another program that writes to the table may not change the version."""


ReadChannels: TypeAlias = Callable[[Server], Awaitable[Sequence[Channel]]]


class _Cached(NamedTuple):
    version: str
    until: float
    channels: Sequence[Channel]


class ChannelLists:
    """Reads the channels of servers."""

    def __init__(self, table: Table, now: Callable[[], float] = monotonic) -> None:
        self._table = table
        self._now = now
        self._cached: Cache[ServerId, _Cached] = Cache(CACHED_CHANNELS)

    def find(self, server: Server) -> Sequence[Channel] | None:
        """Return the channels of a server whose row was just read, if the list is cached and current."""
        cached = self._cached.find(server.server_id)
        if cached is None or cached.version != server.channels_version or cached.until < self._now():
            return None
        return cached.channels

    async def get(self, server: Server) -> Sequence[Channel]:
        """Return the channels of a server whose row was just read."""
        found = self.find(server)
        if found is not None:
            return found
        until = self._now() + LONGEST_SECONDS
        channels = await self.read(server)  # after the version: the list may be newer than it, never older
        if server.channels_version is not None:
            cached = _Cached(server.channels_version, until, channels)
            self._cached.keep(server.server_id, cached, weight=len(channels) + 1)
        return channels

    async def read(self, server: Server) -> Sequence[Channel]:
        """Return the channels of a server from the table."""
        return [channel async for channel in self._table.every(channels_of(server_id=server.server_id))]


def channels_changed(server_id: ServerId, version: str) -> Operation:
    """Return the operation that changes the version of a server's list of channels; it requires the server to exist."""
    return Update(
        server_by_id(server_id=server_id), set_to(channels_version=version), when=absent_or_null("deleted_at")
    )
