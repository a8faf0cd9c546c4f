"""The load in a process of its own: `python -m durability.sending_process FILE RUN`.

It says `opening`, then `ready`, then the id of each message once it is acknowledged, then `done`. Every line is one
write to the pipe, so what was said stays said when the process is killed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from durability.chat import LAYOUT, talk
from sobremesa.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine

_TESTS = Path(__file__).parent.parent


@contextmanager
def started(*arguments: str) -> Iterator[Popen[bytes]]:
    """A process of the tests that runs this module of theirs; it does not outlive the block."""
    with Popen([sys.executable, "-m", *arguments], stdout=PIPE, stdin=PIPE, bufsize=0, cwd=_TESTS) as process:
        try:
            yield process
        finally:
            process.kill()


def say(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("run")
    parser.add_argument("--messages", type=int, help="how many each sender sends; without it, for ever")
    parser.add_argument("--checkpoint-pages", type=int, default=1000)
    wanted = parser.parse_args()

    say("opening")
    engine = await EmbeddedEngine.open(wanted.file, LAYOUT, clock=SystemClock())
    engine._connection.wal_autocheckpoint(wanted.checkpoint_pages)
    say("ready")
    await talk(engine, wanted.run, lambda message: say(message.id), messages=wanted.messages)
    await engine.close()
    say("done")


if __name__ == "__main__":
    asyncio.run(main())
