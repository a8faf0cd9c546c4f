"""Copying uploaded files from one file store to another.

They never change, so one that is there is not copied again.
"""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.attachments.disk import PARTIAL_SUFFIX
from sobremesa.domains.attachments.opening import open_files
from sobremesa.domains.attachments.stores import FileStore, StorageKey
from sobremesa.work.migration.passes import Progress, Watch

FILES_AT_ONCE = 8
MIME = "application/octet-stream"
"""Downloads have the type of the file's row; the one that is stored with an object in S3 is not used."""


async def copy_files(
    source: str | None, store: str, target: str | None, to_store: str, clock: Clock, watch: Watch
) -> int:
    """Copy all files of a store that the target does not have, and return how many.

    None is the place that files have without a setting.
    """
    one = await open_files(source, store, clock)
    other = await open_files(target, to_store, clock)
    copied = seen = 0
    try:
        async for keys in one.iter_keys():
            whole = [key for key in keys if not key.endswith(PARTIAL_SUFFIX)]
            copied += sum(await gather_bounded(FILES_AT_ONCE, lambda key: _copy_file(one, other, key), whole))
            seen += len(whole)
            watch(Progress("files", seen, 0, 0))
    finally:
        await one.close()
        await other.close()
    return copied


async def _copy_file(one: FileStore, other: FileStore, key: StorageKey) -> bool:
    """Copy a file unless the target has it; return whether it was copied."""
    size = await one.size(key)
    if size is None or size == await other.size(key):
        return False
    path = await other.spool(key)
    with path.open("wb") as file:
        if size:
            async for piece in one.read(key, 0, size):
                file.write(piece)
    await other.put(key, path, MIME)
    return True
