"""Leases: one process at a time does some work, and another continues when it is killed.

    lease = Lease(table, clock, progress_of(name=name), seconds=15, pattern=keep_progress)
    if await lease.acquire(set_to(holder=node_id)) is not None:
        async with lease.renewing():
            ...

A lease is a time in a row: until then it is held. It is acquired if that time is past, and renewed if the row still has
the time that its holder wrote last. No other holder can have written the same one: each writes a time after the last.

It is in `core`, although it is a tool for background work, because `live`, which is below `work`, needs it too.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

import structlog

from sobremesa.core.clock import Clock
from sobremesa.table import Condition, Entity, Key, Table, Update, Upsert, WritePattern, less, one_of, set_to
from sobremesa.table.errors import ConditionFailed, OutcomeUnknown, TableError
from sobremesa.table.updates import Changes

E = TypeVar("E", bound=Entity)

FREE = 0
RENEWALS = 3
"""How often a lease is renewed in the time after which it would expire."""
JITTER = 0.1
ATTEMPTS = 5
MAX_TIMES = 50
"""The times that are compared with the stored one; DynamoDB allows a hundred."""

_log = structlog.get_logger("sobremesa.core.lease")


class LeaseLost(TableError):
    """The lease has expired or another process has acquired it: stop the work that it protects."""


class Lease(Generic[E]):
    """One holder's lease on a row."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        key: Key[E],
        *,
        seconds: float,
        pattern: WritePattern,
        until: str = "leased_until_ms",
        creates: bool = False,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`until` is the field with the time; with `creates`, the row need not exist."""
        self._table = table
        self._clock = clock
        self._key = key
        self._seconds = seconds
        self._pattern = pattern
        self._until = until
        self._creates = creates
        self._jitter = jitter
        self._written: deque[int] = deque(maxlen=MAX_TIMES)
        """The times that the row may have while the lease is ours: several, if the outcome of a write is unknown."""
        self._expires = 0.0
        self._turn = asyncio.Lock()

    def start(self) -> int:
        """Return the time for a new row. The caller stores it without a condition, and holds the lease from then on."""
        until = self._end(self._seconds)
        self._written.append(until)
        return until

    def is_held_by_another(self, row: E) -> bool:
        """Return whether another process holds the lease of this row: a read costs less than a failed `acquire`."""
        until: int = getattr(row, self._until)
        return until >= self._clock.now_ms() and until not in self._written

    @property
    def is_valid(self) -> bool:
        """Whether the lease is held and not over. False after a stall of the process, until it is renewed."""
        return bool(self._written) and asyncio.get_running_loop().time() < self._expires

    async def acquire(
        self, *changes: Changes, when: Condition | None = None, pattern: WritePattern | None = None
    ) -> E | None:
        """Acquire the lease, change other fields of the row too, and return the row; None if it is not free."""
        async with self._turn:
            free = less(self._until, self._clock.now_ms())
            free = free | one_of(self._until, self._written) if self._written else free
            try:
                return await self._write(self._seconds, changes, free, when, creates=self._creates, pattern=pattern)
            except ConditionFailed:
                return None

    async def renew(self, *changes: Changes, when: Condition | None = None) -> E:
        """Renew the lease and change other fields of the row too; raise LeaseLost if it is not ours any more."""
        return await self._change(self._seconds, changes, when)

    async def release(self, *changes: Changes, after: float | None = None) -> None:
        """Let any process acquire the lease, at once or `after` some seconds. If it was lost, do nothing."""
        with contextlib.suppress(LeaseLost):
            await self._change(after, changes, None)
        self._written.clear()

    @asynccontextmanager
    async def renewing(self, saving: Callable[[], Changes] = tuple) -> AsyncIterator[None]:
        """Renew the lease during the block, each time with the changes of `saving`.

        If the lease is lost, or could not be renewed in time, cancel the block and raise LeaseLost. Any other error of
        a renewal cancels the block too, and is raised.
        """
        block = asyncio.timeout(None)
        renewing = asyncio.create_task(self._keep_renewing(block, saving))
        try:
            async with block:
                try:
                    yield
                finally:
                    renewing.cancel()
                    await asyncio.wait({renewing})
        except TimeoutError:
            if not block.expired():
                raise
        if not renewing.cancelled():
            renewing.result()

    async def _keep_renewing(self, block: asyncio.Timeout, saving: Callable[[], Changes]) -> None:
        """Renew the lease until this is cancelled; cancel the block if that fails."""
        loop = asyncio.get_running_loop()
        pause = self._seconds / RENEWALS
        try:
            while True:
                await asyncio.sleep(pause * (1 - JITTER * self._jitter()))
                # After a stall of the process the time may be over and the lease still ours: it is worth an attempt.
                await self._try_to_renew(max(self._expires, loop.time() + pause), saving)
        except Exception:
            block.reschedule(loop.time())
            raise

    async def _try_to_renew(self, deadline: float, saving: Callable[[], Changes]) -> None:
        """Renew the lease; raise LeaseLost if it is lost, or has expired and cannot be renewed."""
        try:
            async with asyncio.timeout_at(deadline):
                await self.renew(saving())
        except LeaseLost:
            raise
        except (TableError, TimeoutError) as error:
            _log.warning("a lease was not renewed", key=str(self._key.raw), why=f"{type(error).__name__}: {error}")
            if asyncio.get_running_loop().time() >= self._expires:
                raise LeaseLost("the lease could not be renewed in time") from error

    async def _change(self, seconds: float | None, changes: tuple[Changes, ...], when: Condition | None) -> E:
        """Change the row while the lease is ours; repeat it if the outcome is unknown, since it is idempotent."""
        async with self._turn:
            try:
                for _ in range(ATTEMPTS - 1):
                    with contextlib.suppress(OutcomeUnknown):
                        return await self._write(seconds, changes, self._ours(), when)
                return await self._write(seconds, changes, self._ours(), when)
            except ConditionFailed:
                raise LeaseLost("the lease was lost") from None

    def _ours(self) -> Condition:
        if not self._written:
            raise LeaseLost("the lease is not held")
        return one_of(self._until, self._written)

    async def _write(
        self,
        seconds: float | None,
        changes: tuple[Changes, ...],
        held: Condition,
        when: Condition | None,
        *,
        creates: bool = False,
        pattern: WritePattern | None = None,
    ) -> E:
        # Both times start at this attempt: the holder must not count on the lease for longer than the row has it.
        expires = asyncio.get_running_loop().time() + (seconds or 0)
        until = FREE if seconds is None else self._end(seconds)
        lease = set_to({self._until: until})
        when = held if when is None else held & when
        operation = (Upsert if creates else Update)(self._key, lease, *changes, when=when)
        if until != FREE:
            self._written.append(until)
        try:
            row = await self._table.write(operation, pattern=pattern or self._pattern)
        except ConditionFailed:
            self._written.clear()
            raise
        self._written.clear()
        self._written.append(until)
        self._expires = expires
        return row

    def _end(self, seconds: float) -> int:
        return self._clock.now_ms() + round(seconds * 1000)
