"""Previews: a small picture of a picture, upright and without what a camera wrote into it.

Each is made by a process of its own, two at a time. A thread would be cheaper by some 60 ms, but a decoder is a large
piece of C that reads what strangers send: in a process it cannot take the server's memory (the system refuses more than
a bound), cannot run on when nobody waits any more (it is killed), and cannot crash more than itself. A pool of
processes would have to be watched and mended for that; one process for one picture is gone when it is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from sobremesa.domains.attachments import preview_process
from sobremesa.domains.attachments.errors import UnreadableImage
from sobremesa.domains.attachments.pictures import Size

AT_ONCE = 2
SECONDS = 20.0
MIME = "image/webp"

_SCRIPT = str(Path(preview_process.__file__))


class Made(NamedTuple):
    """How large a picture is as people see it, and its preview."""

    picture: Size
    preview: Size


class Previews:
    """Makes previews, a few at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def make(self, source: Path, target: Path) -> Made:
        """Write the preview of a picture; UnreadableImage if it is none."""
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                _SCRIPT,
                str(source),
                str(target),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            try:
                said, _ = await asyncio.wait_for(process.communicate(), SECONDS)
            except TimeoutError:
                raise UnreadableImage from None
            finally:
                if process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()
        if process.returncode != 0:
            raise UnreadableImage
        return msgspec.json.decode(said, type=Made)
