"""Batches: many users in one request, as lines of JSON, with one result for each line in the same order.

The whole body is read, within its limits, before the first user is written: so a batch that is too large changes
nothing, and a client may send everything before it reads the results.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.errors import SobremesaError, TooBig
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.accounts.entities import record_act
from sobremesa.domains.accounts.tenant_users import WRITE, TenantUsers, Upserted, require_key
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.table import Table
from sobremesa.table.errors import TableError

MAX_LINES = 1000
MAX_BLANK_LINES = 1000
MAX_LINE_BYTES = 16_384
MAX_BATCH_BYTES = 8 * 1024 * 1024
AT_ONCE = 32
"""How many users are written at the same time."""


class Line(NamedTuple):
    """A line of a batch: the user to upsert, or why the line cannot be read."""

    number: int
    external_id: str | None
    fields: UserFields | SobremesaError


class Result(NamedTuple):
    """What became of a line."""

    line: Line
    outcome: Upserted | SobremesaError | TableError


class UserBatches:
    """Upserts many users."""

    def __init__(self, table: Table, users: TenantUsers, audit: Audit) -> None:
        self._table = table
        self._users = users
        self._audit = audit

    async def upsert_users(self, actor: Actor, tenant: Tenant, lines: Sequence[Line]) -> AsyncGenerator[Result, None]:
        """Upsert the users of all lines and yield the results in order; a bad line does not stop the others."""
        require_key(actor, tenant, WRITE)
        counts = {"created": 0, "updated": 0, "unchanged": 0, "failed": 0}
        try:
            for part in _parts(lines):
                results = await gather_bounded(AT_ONCE, lambda line: self._upsert(actor, tenant, line), part)
                # Before the first is sent: the client may disconnect, and all of them are written.
                for result in results:
                    counts[_counted_as(result)] += 1
                for result in results:
                    yield result
        finally:
            if any(counts.values()):
                details = {name: str(count) for name, count in counts.items()}
                entry = self._audit.entry(tenant_scope(tenant), actor, "user.batch", details=details)
                await self._table.write(entry, pattern=record_act)

    async def _upsert(self, actor: Actor, tenant: Tenant, line: Line) -> Result:
        if isinstance(line.fields, SobremesaError):
            return Result(line, line.fields)
        try:
            outcome = await self._users.upsert(actor, tenant, str(line.external_id), line.fields, is_audited=False)
        except (SobremesaError, TableError) as error:
            return Result(line, error)
        return Result(line, outcome)


async def read_lines(pieces: AsyncIterator[bytes], decode: Callable[[int, bytes | None], Line]) -> list[Line]:
    """Return the decoded lines of a body, without blank ones; TooBig if there are too many."""
    found: list[Line] = []
    number = 0
    async for raw in _split(pieces):
        number += 1
        is_blank = raw is not None and not raw.strip()
        if number > MAX_LINES + MAX_BLANK_LINES or (len(found) == MAX_LINES and not is_blank):
            raise TooBig(f"A batch may have at most {MAX_LINES} lines.", limit=MAX_LINES)
        if is_blank:
            continue
        found.append(decode(number, raw))
    return found


async def _split(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes | None, None]:
    """Yield the lines of a stream; None for one that is too long, whose bytes are not kept."""
    rest, is_too_long = b"", False
    async for piece in pieces:
        *complete, rest = (rest + piece).split(b"\n")
        for line in complete:
            yield None if is_too_long or len(line) > MAX_LINE_BYTES else line
            is_too_long = False
        if len(rest) > MAX_LINE_BYTES:
            rest, is_too_long = b"", True
    if rest or is_too_long:
        yield None if is_too_long else rest


def _parts(lines: Sequence[Line]) -> list[list[Line]]:
    """Split lines into parts that are written at the same time: two lines with one external id are in two parts."""
    parts: list[list[Line]] = []
    seen: set[str | None] = set()
    for line in lines:
        if not parts or line.external_id in seen or len(parts[-1]) == AT_ONCE:
            parts.append([])
            seen = set()
        parts[-1].append(line)
        if line.external_id is not None:
            seen.add(line.external_id)
    return parts


def _counted_as(result: Result) -> str:
    outcome = result.outcome
    if not isinstance(outcome, Upserted):
        return "failed"
    return "created" if outcome.is_new else "updated" if outcome.is_changed else "unchanged"
