"""Exporting a store to a file or a folder: a scan, whose progress is saved after each part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from sobremesa.core.clock import instant
from sobremesa.moving.dynamodb_exports import ExportFolder, FolderState, new_export_id, saved_folder_state
from sobremesa.moving.errors import StateMismatch, TargetInUse
from sobremesa.moving.exports import ExportFile, ExportState, Header, dump_row, saved_state
from sobremesa.moving.stores import MovedStore, names_of
from sobremesa.table import RawKey
from sobremesa.work.migration.passes import Progress, Watch

PART_BYTES = 1 << 20
"""A part ends with the page of the scan that makes it this large; a page has at most 1 MB as DynamoDB counts."""

Format: TypeAlias = Literal["sobremesa", "dynamodb"]


class _State(Protocol):
    @property
    def rows(self) -> int: ...

    @property
    def parts(self) -> int: ...

    @property
    def start_key(self) -> RawKey | None: ...


class _Output(Protocol):
    """Where the parts are written."""

    @property
    def state(self) -> _State: ...

    def write_part(self, rows: Sequence[bytes], last: RawKey | None) -> None: ...

    def finish(self) -> None: ...

    def close(self) -> None: ...


async def export_store(store: MovedStore, path: Path, form: Format, watch: Watch) -> int:
    """Write all rows of a store to a file or folder, from where an earlier run has stopped; return how many."""
    output = await asyncio.to_thread(_opened, store, path, form)
    try:
        expected = await store.count()
        lines = [] if output.state.parts else [dump_row(row) for row in await store.key_rows()]
        size = 0
        async for page in store.pages(output.state.start_key):
            lines += map(dump_row, page.rows)
            size += sum(map(len, lines[-len(page.rows) :])) if page.rows else 0
            if lines and (size >= PART_BYTES or page.last is None):
                await asyncio.to_thread(output.write_part, lines, page.last)
                lines, size = [], 0
            watch(Progress("export", output.state.rows + len(lines), expected, 0))
        await asyncio.to_thread(output.finish)
        return output.state.rows
    finally:
        output.close()


def require_new(path: Path, form: Format) -> None:
    """Raise TargetInUse if there is a file or a complete export already."""
    if form == "dynamodb" and path.is_dir() and (saved_folder_state(path) is not None or not any(path.iterdir())):
        return
    if path.exists():
        raise TargetInUse(f"{path} already exists; choose another name, or remove it")


def _opened(store: MovedStore, path: Path, form: Format) -> _Output:
    now_ms = store.table.engine.clock.now_ms()
    now = str(instant(now_ms))
    if form == "dynamodb":
        found = saved_folder_state(path)
        _require_same(store, path, found)
        folder = found or FolderState(address=store.address, export_id=new_export_id(now_ms), at=now)
        return ExportFolder(path, folder, now)
    saved = saved_state(path)
    _require_same(store, path, saved)
    names = {name: str(value) for name, value in names_of(store.layout).items()}
    header = Header(store="embedded" if store.is_embedded else "dynamodb", at=now, names=names)
    return ExportFile(path, saved or ExportState(header=header, address=store.address))


def _require_same(store: MovedStore, path: Path, state: ExportState | FolderState | None) -> None:
    if state is not None and state.address != store.address:
        raise StateMismatch(
            f"{path} is an unfinished export of {state.address}: finish that one, or remove it with its state file"
        )
