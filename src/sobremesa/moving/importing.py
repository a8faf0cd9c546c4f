"""Importing an export into a store: checked as a whole, then written part by part, with the progress saved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from sobremesa.moving.dynamodb_exports import FolderReader, is_folder_export
from sobremesa.moving.errors import OtherNames
from sobremesa.moving.exports import ExportReader, Part, load_row
from sobremesa.moving.state_files import load_state, save_state
from sobremesa.moving.stores import MovedStore, names_of
from sobremesa.work.migration.passes import Progress, Watch


class ImportState(msgspec.Struct, kw_only=True):
    """How far the import of one export into one store has come."""

    address: str
    sha256: str
    parts: int = 0
    rows: int = 0


class Source(NamedTuple):
    """A checked export."""

    reader: ExportReader | FolderReader
    names: dict[str, str] | None
    """The names that its rows are stored under; None if it does not say."""
    rows: int
    sha256: str

    def parts(self) -> Iterator[Part]:
        return self.reader.parts()


def check_export(path: Path) -> Source:
    """Read a whole export and compare its checksums; BrokenExport if anything is missing or was changed."""
    if is_folder_export(path):
        folder = FolderReader(path)
        folder.check()
        return Source(folder, None, folder.rows, folder.checksum)
    reader = ExportReader(path)
    names = reader.header().names
    end = reader.check()
    return Source(reader, names, end.rows, end.sha256)


async def import_export(store: MovedStore, path: Path, source: Source, watch: Watch, *, existing: bool) -> int:
    """Write all rows of an export, from where an earlier run has stopped; return how many were written.

    A row that is there already is replaced. TargetInUse if the store is not empty, unless that is expected.
    """
    _require_names(store, path, source)
    state_path = import_state_path(path)
    state = load_state(state_path, ImportState)
    if state is None or (state.address, state.sha256) != (store.address, source.sha256):
        if not existing:
            await store.require_empty()
        state = ImportState(address=store.address, sha256=source.sha256)
        save_state(state_path, state)
    parts = source.parts()
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        if part.number > state.parts:
            where = f"part {part.number} of {path}"
            rows = [load_row(line, where) for line in part.lines]
            try:
                written = await store.put(rows)
            except KeyError as missing:
                raise OtherNames(f"{where} has a row without {missing}: it has other names than the store") from None
            state = msgspec.structs.replace(state, parts=part.number, rows=state.rows + written)
            save_state(state_path, state)
        watch(Progress("import", state.rows, source.rows, 0))
    return state.rows


def import_state_path(path: Path) -> Path:
    """Return the file with the progress of an import: beside the export."""
    return path.with_name(path.name + ".importing")


def _require_names(store: MovedStore, path: Path, source: Source) -> None:
    """Raise OtherNames if the rows are stored under other names than those of the store."""
    ours = {name: str(value) for name, value in names_of(store.layout).items()}
    if source.names is not None and source.names != ours:
        differing = sorted(
            f"{name} is {source.names.get(name, 'missing')} there and {ours.get(name, 'missing')} here"
            for name in source.names.keys() | ours.keys()
            if source.names.get(name) != ours.get(name)
        )
        raise OtherNames(f"{path} has other names than the store; set SOBREMESA_NAMES: {'; '.join(differing)}")
