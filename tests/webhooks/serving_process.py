"""A server in a process of its own: `python -m webhooks.serving_process STORE AHEAD`. It prints its address.

Its clock is ahead by some seconds: the leases of a killed one are over.
"""

from __future__ import annotations

import asyncio
import logging
import sys

import structlog

from communities.conftest import Ahead
from durability.child import report
from gateway.served_app import serve_app
from webhooks.receiver import LOOPBACK


async def main(store: str, ahead: float) -> None:
    # The test reads one line and no more: a full pipe would stop the process.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    clock = Ahead()
    clock.move(seconds=ahead)
    async with serve_app(store, clock=clock, webhook_allow_networks=[LOOPBACK]) as served:
        report(f"serving {served.url}")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
