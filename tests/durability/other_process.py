"""Another process at the same file: `python -m durability.other_process VERB FILE ...`.

talk-and-follow FILE RUN BESIDE MESSAGES TRANSACTIONS
    send beside another run, then report the id of every change in the order of the log
hold FILE
    take SQLite's write lock, with half a transaction done, and keep it
"""

from __future__ import annotations

import asyncio
import sys

import apsw

from durability.chat import LAYOUT, talk
from durability.child import report
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import OLDEST


async def follow(engine: EmbeddedEngine, transactions: int) -> list[str]:
    """The ids of all changes, as they come, until there were so many transactions."""
    reader = await engine.changes(OLDEST)
    ids: list[str] = []
    seen = set[str]()
    while len(seen) < transactions:
        batch = await reader.read(1.0)
        ids += [change.id for change in batch.changes]
        seen.update(change.id.rpartition("-")[0] for change in batch.changes)
    return ids


async def talk_and_follow(path: str, run: str, beside: str, messages: int, transactions: int) -> None:
    engine = await EmbeddedEngine.open(path, LAYOUT, clock=SystemClock())
    report("ready")
    sys.stdin.readline()
    following = asyncio.create_task(follow(engine, transactions))
    await talk(engine, run, lambda message: report(message.id), messages=messages, beside=beside)
    for change in await following:
        report(f"change {change}")
    await engine.close()
    report("done")


def hold(path: str) -> None:
    connection = apsw.Connection(path)
    connection.execute("BEGIN IMMEDIATE; DELETE FROM items; INSERT INTO meta VALUES ('half', 'done')")
    report("holding")
    sys.stdin.readline()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["talk-and-follow", path, run, beside, messages, transactions]:
            asyncio.run(talk_and_follow(path, run, beside, int(messages), int(transactions)))
        case ["hold", path]:
            hold(path)
        case wrong:
            sys.exit(f"not understood: {wrong}")
