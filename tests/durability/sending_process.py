"""The load in a process of its own: `python -m durability.sending_process FILE RUN`.

It reports `opening`, then `ready`, then the id of each message once it is acknowledged, then `done`.
"""

from __future__ import annotations

import argparse
import asyncio

from durability.chat import LAYOUT, talk
from durability.child import report
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("run")
    parser.add_argument("--messages", type=int, help="how many each sender sends; without it, for ever")
    parser.add_argument("--checkpoint-pages", type=int, default=1000)
    wanted = parser.parse_args()

    report("opening")
    engine = await EmbeddedEngine.open(wanted.file, LAYOUT, clock=SystemClock())
    engine._connection.wal_autocheckpoint(wanted.checkpoint_pages)
    report("ready")
    await talk(engine, wanted.run, lambda message: report(message.id), messages=wanted.messages)
    await engine.close()
    report("done")


if __name__ == "__main__":
    asyncio.run(main())
