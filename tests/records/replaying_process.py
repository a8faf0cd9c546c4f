"""A process that replays until it is stopped: `python -m records.replaying_process RECORDS STORE`."""

from __future__ import annotations

import asyncio
import sys

from durability.child import report
from records.environment import open_environment
from sobremesa.domains.records.address import parse_records
from sobremesa.table import Table, open_engine


async def replay(records: str, store: str) -> None:
    table = Table(await open_engine(store, janitor=False))
    async with open_environment(parse_records(records), table) as env:
        report("ready")
        stop = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
        shown = failed = 0
        while not stop.done():
            done = await env.outbox.replay()
            shown, failed = shown + done.written, failed + done.failed
        report(f"{shown} {failed}")
    await table.close()


if __name__ == "__main__":
    asyncio.run(replay(sys.argv[1], sys.argv[2]))
