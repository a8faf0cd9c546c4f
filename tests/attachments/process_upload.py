"""A script that processes the files it reads the names of, each in a folder of its own.

For each it prints the outcome, the processor time of this process and its children, and their peak of memory so far.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from sobremesa.core.errors import Refusal
from sobremesa.domains.attachments.disk import DiskStore
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.processing import UploadProcessor
from sobremesa.domains.attachments.uploads import UploadedFile

PIECE = 65_536


async def pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


async def process(path: Path, declared: str) -> str:
    store = DiskStore(path.parent / "kept")
    processor = UploadProcessor(store, max_bytes=26_214_400)
    try:
        await processor.process(
            FileId("01JGSYB3ZZ0000000000000000"), UploadedFile(path.name, declared, pieces(path)), public=False
        )
    except Refusal as refusal:
        return refusal.code
    return "accepted"


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def peak_bytes() -> int:
    """Of this process or a child, whichever took more. The system's own figure for a process that was started by
    another (`ru_maxrss`) begins with what that one had; this one does not."""
    status = Path("/proc/self/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)


if __name__ == "__main__":
    for line in sys.stdin:
        file, declared = json.loads(line)
        before = cpu_seconds()
        outcome = asyncio.run(process(Path(file), declared))
        print(json.dumps({"outcome": outcome, "cpu": cpu_seconds() - before, "peak": peak_bytes()}), flush=True)
