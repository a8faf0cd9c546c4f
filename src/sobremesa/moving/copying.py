"""Copying a store that is in use: a scan, then the changes since before it, until the copy is as new as the store.

A changed row is read again and written as it is now. So the order of changes does not matter, nor whether some are
applied twice, and the copy may be killed at any point: it continues from the position that it has saved.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.moving.errors import CopyTooOld, OtherNames, StateMismatch, StillInUse
from sobremesa.moving.state_files import load_state, save_state
from sobremesa.moving.stores import MovedStore, names_of
from sobremesa.table import NEWEST, ChangeReader, Position, RawKey
from sobremesa.table.errors import PositionTrimmed
from sobremesa.work.consumers.entities import ShardProgress, StreamNode, stream_rows
from sobremesa.work.migration.passes import Progress, Watch

WAIT_SECONDS = 1.0
"""How long a read waits for a change; if there is none, the copy is as new as the store."""
LATE_MS = 1000
QUIET_SECONDS = 5.0
"""How long the stream of a DynamoDB table must be quiet to count as read to its end: changes come with a delay."""
LEASE_WAIT_SECONDS = 30.0
"""Longer than the leases of a server that was killed."""
LEASE_POLL_SECONDS = 0.5


class CopyState(msgspec.Struct, kw_only=True):
    """How far the copy of one store to another has come."""

    source: str
    target: str
    position: str
    start: tuple[str, str] | None = None
    is_scanned: bool = False
    rows: int = 0
    changed: int = 0
    records: bool = False
    """Whether the records were copied, which is done once, at the end."""


class Lag(NamedTuple):
    """How many milliseconds old the last change was when it was copied, and whether there were more."""

    age_ms: int
    is_newest: bool


class Copy:
    """The copy of one store to another."""

    def __init__(self, source: MovedStore, target: MovedStore, path: Path, clock: Clock, watch: Watch) -> None:
        self._source = source
        self._target = target
        self._path = path
        self._clock = clock
        self._watch = watch
        self._state = CopyState(source=source.address, target=target.address, position="")

    @property
    def state(self) -> CopyState:
        return self._state

    async def begin(self) -> None:
        """Load the progress, or start: in an empty target, with the position before anything is read."""
        if names_of(self._source.layout) != names_of(self._target.layout):
            raise OtherNames(
                f"{self._source.address} and {self._target.address} have different names of attributes; "
                "see SOBREMESA_NAMES"
            )
        saved = await asyncio.to_thread(load_state, self._path, CopyState)
        if saved is None:
            await self._target.require_empty()
            await self._target.put(await self._source.key_rows())
            reader = await self._source.table.changes(NEWEST)
            self._save(position=(await reader.read(0)).position)
            await reader.close()
        elif (saved.source, saved.target) != (self._source.address, self._target.address):
            raise StateMismatch(f"{self._path} is of a copy of {saved.source} to {saved.target}: name another --state")
        else:
            self._state = saved

    async def scan(self) -> None:
        """Copy all rows, from where an earlier run has stopped."""
        if self._state.is_scanned:
            return
        expected = await self._source.count()
        start = None if self._state.start is None else RawKey(*self._state.start)
        async for page in self._source.pages(start):
            await self._target.put(page.rows)
            rows = self._state.rows + len(page.rows)
            self._save(start=None if page.last is None else tuple(page.last), rows=rows, is_scanned=page.last is None)
            self._watch(Progress("copy", rows, expected, 0))

    async def changes(self) -> ChangeReader:
        """Return a reader of the changes since the saved position; CopyTooOld if they are no longer kept."""
        try:
            return await self._source.table.changes(Position(self._state.position))
        except PositionTrimmed:
            raise CopyTooOld(
                f"the changes since this copy was last run are no longer kept, which they are for 24 hours: remove "
                f"{self._path}, and copy to a new store"
            ) from None

    async def follow(self, reader: ChangeReader, wait_seconds: float = WAIT_SECONDS) -> Lag:
        """Copy the next changes, and return how far the copy is behind."""
        batch = await reader.read(wait_seconds)
        if batch.changes:
            keys = list(dict.fromkeys(change.key for change in batch.changes))
            await self._copy_rows(keys)
            self._save(position=batch.position, changed=self._state.changed + len(keys))
            self._watch(Progress("follow", self._state.changed, 0, 0))
            age_ms = self._clock.now_ms() - batch.changes[-1].at_ms
            return Lag(max(age_ms, 0), age_ms < LATE_MS)
        self._save(position=batch.position)
        return Lag(0, is_newest=True)

    async def catch_up(self) -> Lag:
        """Copy changes until the last one is less than a second old."""
        reader = await self.changes()
        try:
            while not (lag := await self.follow(reader)).is_newest:
                pass
            return lag
        finally:
            await reader.close()

    async def follow_until(self, stop: asyncio.Event) -> None:
        """Copy changes until the event is set."""
        reader = await self.changes()
        try:
            while not stop.is_set():
                await self.follow(reader)
        finally:
            await reader.close()

    async def finish(self) -> None:
        """Copy the rest of a store that no server uses any more, and its keys."""
        reader = await self.changes()
        quiet_since = time.monotonic()
        needed = 0.0 if self._source.is_embedded else QUIET_SECONDS
        try:
            while True:
                before = self._state.changed
                await self.follow(reader, wait_seconds=WAIT_SECONDS)
                if self._state.changed > before:
                    quiet_since = time.monotonic()
                elif time.monotonic() - quiet_since >= needed:
                    break
        finally:
            await reader.close()
        await self._target.put(await self._source.key_rows())

    def note_records(self) -> None:
        """Save that the records were copied."""
        self._save(records=True)

    def _save(self, **changed: object) -> None:
        self._state = msgspec.structs.replace(self._state, **changed)
        save_state(self._path, self._state)

    async def _copy_rows(self, keys: Sequence[RawKey]) -> None:
        moved = [key for key in keys if self._source.is_moved_key(key)]
        if len(moved) < len(keys) and not self._source.is_embedded:
            await self._target.put(await self._source.key_rows())  # they may have been rotated
        found = await self._source.get_many(moved)
        await self._target.put(found.values())
        await self._target.delete(key for key in moved if key not in found)


async def require_unused(store: MovedStore, clock: Clock) -> None:
    """Wait until no server reads the change stream of a store; StillInUse if one goes on."""
    deadline = time.monotonic() + LEASE_WAIT_SECONDS
    while await _is_used(store, clock):
        if time.monotonic() > deadline:
            raise StillInUse(f"servers still use {store.address}: stop them first")
        await asyncio.sleep(LEASE_POLL_SECONDS)


async def _is_used(store: MovedStore, clock: Clock) -> bool:
    now_ms = clock.now_ms()
    async for row in store.table.every(stream_rows()):
        if isinstance(row, StreamNode | ShardProgress) and row.leased_until_ms >= now_ms:
            return True
    return False
