"""A process under load is killed at a random moment, again and again, on the same file."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from durability.chat import LAYOUT, SENDERS, Message, send
from durability.child import last_lines_of, line_of, lines_until, started
from durability.inspection import Found, inspect
from lengths import CRASH_CYCLES as CYCLES
from lengths import SEED
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine

MOST_ACKS = 600


@pytest.mark.long
@pytest.mark.timeout(120 + 10 * CYCLES)
def test_a_killed_process_loses_no_acknowledged_write_and_leaves_none_half_done(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    store = tmp_path / "chat.db"
    acknowledged: set[Message] = set()
    found = Found([], {})
    print(f"TESTS_SEED={SEED}")

    for cycle in range(CYCLES):
        acknowledged |= set(killed_while_sending(store, f"run{cycle}", chance))
        if chance.random() < 0.5:
            # The store itself is left as the kill left it: the next process, which may be killed at it, recovers it.
            found = asyncio.run(opened_and_closed(copy_of(store, tmp_path / f"copy{cycle}"), acknowledged))
        else:
            found = asyncio.run(opened_and_sent_again(store, f"run{cycle}", acknowledged))

    unanswered = len(found.messages) - len(acknowledged)
    print(f"{CYCLES} kills, {len(acknowledged)} acknowledged messages, {unanswered} more were stored without an answer")
    assert len(acknowledged) > CYCLES


def killed_while_sending(store: Path, run: str, chance: random.Random) -> list[Message]:
    """What a process got acknowledged before it was killed: while it was opening the file, or after some acks."""
    pages = chance.choice(["4", "40", "1000"])
    with started("durability.sending_process", str(store), run, "--checkpoint-pages", pages) as process:
        lines = lines_until(process, "opening")
        if chance.random() < 0.8:
            lines += lines_until(process, "ready")
            lines += [line_of(process) for _ in range(chance.randrange(1, MOST_ACKS))]
        time.sleep(chance.uniform(0, 0.01))
        process.kill()
        lines += last_lines_of(process)
    return [Message.of_id(line) for line in lines if line.startswith(run)]


def copy_of(store: Path, folder: Path) -> Path:
    """The file and its log as they are, to be looked at elsewhere; what is in shared memory dies with the machine."""
    folder.mkdir()
    for suffix in ("", "-wal", "-journal"):
        if Path(f"{store}{suffix}").exists():
            shutil.copy(f"{store}{suffix}", folder)
    return folder / store.name


async def opened_and_closed(store: Path, acknowledged: set[Message]) -> Found:
    """What is there when the store is opened."""
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    try:
        return inspect(store, acknowledged)
    finally:
        await engine.close()


async def opened_and_sent_again(store: Path, run: str, acknowledged: set[Message]) -> Found:
    """The rows after all users repeat their last acknowledged and first unacknowledged message with the same token."""
    answered = Counter(message.sender for message in acknowledged if message.run == run)
    again = [Message(run, sender, answered[sender] - 1) for sender in range(SENDERS) if answered[sender]]
    again += [Message(run, sender, answered[sender]) for sender in range(SENDERS)]
    await opened_and_closed(store, acknowledged)
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock())
    await asyncio.gather(*(send(engine, message) for message in again))
    acknowledged.update(again)
    await engine.close()
    return inspect(store, acknowledged)
