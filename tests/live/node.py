"""A node in a process of its own: `sobremesa serve`, with live options that no setting offers.

python -m live.node '{"fast": false, "stream": true}'
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.http import logs
from sobremesa.http.server import run, serve
from sobremesa.live import topic_streams
from sobremesa.live.opening import LiveOptions
from sobremesa.live.topic_streams import MAX_ENTRIES
from sobremesa.table.engines.dynamodb.streams import StreamReader
from sobremesa.table.engines.protocol import ChangeBatch, RawChange

DRAIN_SECONDS = 2.0


class NodeOptions(LiveOptions, frozen=True, kw_only=True):
    stream: bool = True
    """Whether the table's stream delivers anything to this node."""
    late_users: float = 0
    """How many seconds later the stream delivers what is in the partitions of users: as a shard that lags behind."""
    kept: int = MAX_ENTRIES
    """How many events of a topic are kept."""


async def read_nothing(self: StreamReader, wait_seconds: float) -> ChangeBatch:
    await asyncio.sleep(wait_seconds)
    return ChangeBatch([], self._position())


def with_late_users(seconds: float) -> Callable[[StreamReader, float], Coroutine[Any, Any, ChangeBatch]]:
    """Return a way to read the stream that has another shard with the rows of users, which comes later."""
    read = StreamReader.read
    held: dict[StreamReader, deque[tuple[float, RawChange]]] = defaultdict(deque)

    async def read_late(self: StreamReader, wait_seconds: float) -> ChangeBatch:
        changes, position = await read(self, min(wait_seconds, 0.1))
        late, now = held[self], time.monotonic()
        late.extend((now + seconds, each) for each in changes if each.key.pk.startswith("USER#"))
        found = [each for each in changes if not each.key.pk.startswith("USER#")]
        while late and late[0][0] <= now:
            found.append(late.popleft()[1]._replace(shard_id="late"))
        return ChangeBatch(found, position)

    return read_late


async def main(options: LiveOptions) -> None:
    async with Sobremesa.open(settings=Settings.from_environment(os.environ), live=options) as app:
        await serve(
            app.site(),
            host="127.0.0.1",
            port=0,
            drain_seconds=DRAIN_SECONDS,
            on_ready=lambda address: print(f"serves {address}", flush=True),
        )


if __name__ == "__main__":
    logs.configure("json")
    options = msgspec.json.decode(sys.argv[1], type=NodeOptions)
    if not options.stream:
        StreamReader.read = read_nothing  # type: ignore[method-assign]
    if options.late_users:
        StreamReader.read = with_late_users(options.late_users)  # type: ignore[assignment,method-assign]
    topic_streams.MAX_ENTRIES = options.kept
    run(main(options))
