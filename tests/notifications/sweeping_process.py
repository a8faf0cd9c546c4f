"""A server that sends digests, in a process of its own: `python -m notifications.sweeping_process STORE PORT AHEAD`.

It looks at everyone who is due, then prints `done`. Its clock is ahead by some seconds: the lease of a killed one is
over.
"""

from __future__ import annotations

import asyncio
import sys

from durability.child import report
from notifications.environment import NOW_MS, mail_settings
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock


async def main(store: str, port: int, ahead: float) -> None:
    clock = SetClock(NOW_MS)
    clock.move(seconds=ahead)
    async with Sobremesa.open(store, settings=mail_settings(port), clock=clock, background=False) as app:
        assert app.digests is not None
        await app.digests.sweeper.sweep()
    report("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
