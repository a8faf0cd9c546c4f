"""A server that walks the users of a broadcast, in a process of its own: `… STORE PORT AHEAD`.

It reports each page of users that it has scheduled, and saves the progress once it reads a line; then it prints `done`.
Its clock is ahead by some seconds: the lease of a killed one is over.
"""

from __future__ import annotations

import asyncio
import sys

from durability.child import report
from notifications.environment import NOW_MS, mail_settings
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.domains.notifications.entities import DigestWalk
from sobremesa.glue import broadcast_digests

PAGE = 2


async def main(store: str, port: int, ahead: float) -> None:
    broadcast_digests.PAGE = PAGE
    clock = SetClock(NOW_MS)
    clock.move(seconds=ahead)
    async with Sobremesa.open(store, settings=mail_settings(port), clock=clock, background=False) as app:
        assert app.digests is not None
        save = app.digests.broadcasts._save

        async def report_and_save(walk: DigestWalk, shard: int, after: str | None) -> None:
            report("page")
            sys.stdin.readline()
            await save(walk, shard, after)

        app.digests.broadcasts._save = report_and_save  # type: ignore[method-assign]
        await app.jobs.run_pending(app.handlers)
    report("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
