"""Imports of messages into rooms of a tenant.

An import is a run of batches of lines. Each batch is resolved with a few reads (authors, names, replies) and written
with one transaction for up to 99 messages of a room. A line that is refused does not stop the others, and a run
that ends early is completed by repeating it: what was written is recognized by its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound, Refusal, UnknownUsers
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.audit import OPERATOR, Audit, tenant_scope
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.imports.downloads import Downloads
from sobremesa.domains.imports.entities import record_import
from sobremesa.domains.imports.errors import LineTooLong, RoomMissing, WrongTime
from sobremesa.domains.imports.files import ImportFiles
from sobremesa.domains.imports.lines import yielding
from sobremesa.domains.imports.preparing import Preparation, Prepared
from sobremesa.domains.imports.records import Line, MessageRecord, RoomRecord, decode
from sobremesa.domains.imports.replies import Placed, microseconds_of
from sobremesa.domains.imports.rooms import ImportedRooms, RoomCreation
from sobremesa.domains.imports.users import Directory, ImportUsers
from sobremesa.domains.imports.views import ImportSummary, LineProblem
from sobremesa.rooms.importing import RoomImports, imported_id
from sobremesa.rooms.judging import TimedJudge
from sobremesa.table import Table

FIRST_MS = 1_000_000_000_000
"""The first time whose milliseconds have the thirteen digits that the keys of channels' messages sort by."""
ROOMS_AT_ONCE = 8


class Imports:
    """Starts imports."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        kinds: Sequence[RoomImports],
        creation: RoomCreation,
        directory: Directory,
        files: Attachments,
        downloads: Downloads,
        audit: Audit,
        judge: TimedJudge | None,
    ) -> None:
        self._table = table
        self._clock = clock
        self._kinds = kinds
        self._creation = creation
        self._directory = directory
        self._files = files
        self._downloads = downloads
        self._audit = audit
        self._judge = judge

    @asynccontextmanager
    async def run(
        self,
        tenant: Tenant,
        *,
        actor: Actor | str = OPERATOR,
        judge: bool = True,
        folder: Path | None = None,
        max_downloads: int | None = None,
    ) -> AsyncIterator[ImportRun]:
        """Run an import into the rooms of a tenant, and record it at the end in the tenant's audit log.

        Without `judge`, messages are not moderated. Files are downloaded from URLs, up to `max_downloads`, and read
        from `folder`; without one, files by path are refused.
        """
        users = ImportUsers(self._table, self._directory, tenant)
        rooms = ImportedRooms(self._table, self._clock, self._kinds, self._creation, users, tenant)
        import_files = ImportFiles(self._downloads, folder=folder, max_downloads=max_downloads)
        judging = self._judge if judge else None
        preparation = Preparation(self._table, users, self._files, import_files, judging, tenant)
        run = ImportRun(self._clock, rooms, preparation)
        try:
            yield run
        finally:
            # A run that fails is recorded too: what it has written stays.
            entry = self._audit.entry(tenant_scope(tenant), actor, "import.messages", details=run.counts())
            await self._table.write(entry, pattern=record_import)


class ImportRun:
    """One import, with what it has looked up so far."""

    def __init__(self, clock: Clock, rooms: ImportedRooms, preparation: Preparation) -> None:
        self._clock = clock
        self._rooms = rooms
        self._preparation = preparation
        self.summary = ImportSummary()
        self._room_ids: set[RoomId] = set()

    def counts(self) -> dict[str, str]:
        """Return what the audit log has about this run. Its `rooms` are those with new messages."""
        done = self.summary
        counts = {"imported": done.imported, "repeated": done.repeated, "failed": done.failed}
        return {name: str(count) for name, count in {**counts, "rooms": len(self._room_ids)}.items()}

    async def add(self, lines: Sequence[Line]) -> list[LineProblem]:
        """Import some lines, and return those that were refused. When it returns, the others are stored."""
        problems: list[LineProblem] = []
        placed: dict[str, Placed] = {}
        async for line in yielding(lines):
            nonce = None
            try:
                record = _record(line)
                if not isinstance(record, MessageRecord):
                    await self._rooms.create(record)
                    self.summary.rooms += 1
                    continue
                nonce = record.nonce
                message = await self._place(line, record)
            except Refusal as refusal:
                problems.append(_problem(line.number, refusal, nonce))
                continue
            if placed.setdefault(message.message_id, message) is not message:
                self.summary.repeated += 1
        problems += await self._write(list(placed.values()))
        self.summary.failed += len(problems)
        return sorted(problems, key=lambda problem: problem.line)

    async def _place(self, line: Line, record: MessageRecord) -> Placed:
        """Return a message with its room and its id."""
        room = await self._rooms.require(record.room, record.room_kind)
        at = microseconds_of(record.created_at)
        if not FIRST_MS <= at // 1000 <= self._clock.now_ms():
            raise WrongTime
        return Placed(line.number, record, room, imported_id(room.room_id, record.nonce, at))

    async def _write(self, placed: Sequence[Placed]) -> list[LineProblem]:
        problems: list[LineProblem] = []
        by_room: dict[str, list[Prepared]] = defaultdict(list)
        for each, prepared in zip(placed, await self._preparation.prepare(placed), strict=True):
            if isinstance(prepared, Refusal):
                problems.append(_problem(each.number, prepared, each.record.nonce))
            else:
                by_room[each.room.room_id].append(prepared)
        for refused in await gather_bounded(ROOMS_AT_ONCE, self._write_room, by_room.values()):
            problems += refused
        return problems

    async def _write_room(self, messages: Sequence[Prepared]) -> list[LineProblem]:
        """Write the messages of one room."""
        room = messages[0].placed.room
        try:
            done = await room.writer.write([each.imported for each in messages])
            await room.imports.moved(room.room_id)
        except NotFound:
            return [_problem(each.placed.number, RoomMissing(), each.placed.record.nonce) for each in messages]
        self.summary.imported += done.created
        if done.created:
            self._room_ids.add(room.room_id)
        self.summary.repeated += done.repeated
        orphans = set(done.orphans)
        return [
            _problem(each.placed.number, UnknownUsers("The author's account was deleted."), each.placed.record.nonce)
            for each in messages
            if each.placed.message_id in orphans
        ]


def _record(line: Line) -> MessageRecord | RoomRecord:
    if line.text is None:
        raise LineTooLong
    return decode(line.text)


def _problem(number: int, refusal: Refusal, nonce: str | None) -> LineProblem:
    return LineProblem(number, refusal.code, str(refusal), nonce)
