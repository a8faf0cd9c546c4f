"""A node in a process of its own: `sobremesa serve`, with live options that no setting offers.

python -m live.node '{"fast": false, "stream": true}'
"""

from __future__ import annotations

import asyncio
import os
import sys

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.http import logs
from sobremesa.http.server import run, serve
from sobremesa.live import topic_streams
from sobremesa.live.opening import LiveOptions
from sobremesa.live.topic_streams import MAX_ENTRIES
from sobremesa.table.engines.dynamodb.streams import StreamReader
from sobremesa.table.engines.protocol import ChangeBatch

DRAIN_SECONDS = 2.0


class NodeOptions(LiveOptions, frozen=True, kw_only=True):
    stream: bool = True
    """Whether the table's stream delivers anything to this node."""
    kept: int = MAX_ENTRIES
    """How many events of a topic are kept."""
    crowd: int = 250
    """Above how many members a server is delivered lazily."""


async def read_nothing(self: StreamReader, wait_seconds: float) -> ChangeBatch:
    await asyncio.sleep(wait_seconds)
    return ChangeBatch([], self._position())


async def main(options: NodeOptions) -> None:
    settings = Settings.from_environment(os.environ, lazy_delivery_above=options.crowd)
    async with Sobremesa.open(settings=settings, live=options) as app:
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
    topic_streams.MAX_ENTRIES = options.kept
    run(main(options))
