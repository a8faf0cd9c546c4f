"""Previews: small versions of images, upright and without metadata.

Each is created by its own process, two at a time. A thread would be about 60 ms cheaper, but a decoder is a large piece
of C that reads untrusted data. In a process it cannot exhaust the server's memory (it has a limit), cannot run on after
a timeout (it is killed), and cannot crash anything but itself. A process pool would need supervision for that; one
process per image needs none.
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
from sobremesa.domains.attachments.images import Size

AT_ONCE = 2
SECONDS = 20.0
MIME = "image/webp"

_SCRIPT = str(Path(preview_process.__file__))


class PreviewSizes(NamedTuple):
    """The upright size of an image, and the size of its preview."""

    image: Size
    preview: Size


class Previews:
    """Creates previews, a few at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def create(self, source: Path, target: Path) -> PreviewSizes:
        """Write the preview of an image; UnreadableImage if the file is not one."""
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
                output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
            except TimeoutError:
                raise UnreadableImage from None
            finally:
                if process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()
        if process.returncode != 0:
            raise UnreadableImage
        return msgspec.json.decode(output, type=PreviewSizes)
