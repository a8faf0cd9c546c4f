"""Group commit: all waiting writes in one SQLite transaction and one fsync, each with its own conditions and outcome.

Everything happens on the event loop. A thread of its own would hand the interpreter's lock over at every SQL call,
and beside a busy loop that made it three times slower; a batch is cut after a few milliseconds instead, so that the
loop can do other work. A write is planned first (rows read, conditions checked, new rows made) and only then
taken into the batch, so a refused one leaves no trace in it. Nobody is answered before the commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from time import perf_counter

import apsw
import msgspec

from sobremesa.table.capacity import TRANSACTION_FACTOR, Capacity, read_units, write_units
from sobremesa.table.clock import Clock
from sobremesa.table.engines.embedded.batch import Batch
from sobremesa.table.engines.embedded.changelog import ChangeLog
from sobremesa.table.engines.embedded.file import store_error
from sobremesa.table.engines.embedded.partition_cache import PartitionCache
from sobremesa.table.engines.embedded.rows import Row, RowChange, Rows, row_change, row_of
from sobremesa.table.engines.protocol import (
    TOKEN_MINUTES,
    CheckItem,
    ItemWrite,
    UpdateItem,
    Written,
)
from sobremesa.table.errors import (
    ConditionFailed,
    FailedCondition,
    Refused,
    StoreBusy,
    StoreClosed,
    StoreFailed,
    TableError,
    TokenReused,
)
from sobremesa.table.evaluation import changed, holds
from sobremesa.table.layout import Layout
from sobremesa.table.values import weigh

MAX_WAITING = 4096
MAX_BATCH = 256
BATCH_SECONDS = 0.003
"""Of reading and planning: writing it down takes about half as long again."""
GATHER_SECONDS = 0.005
"""How long a commit waits at most, while more and more writes come."""
BATCH_BYTES = 1024 * 1024
READ_AHEAD = 96
"""How many rows are read in one go."""
BUSY_SECONDS = 10.0
BUSY_PAUSE_SECONDS = 0.002


class Job:
    """One write that waits for its commit; `rows` are what its puts store, None for other operations."""

    __slots__ = ("as_transaction", "expired", "future", "operations", "rows", "token", "work")

    def __init__(
        self,
        operations: Sequence[ItemWrite],
        rows: Sequence[Row | None],
        *,
        as_transaction: bool,
        token: str | None = None,
        expired: bool = False,
        work: Callable[[], None] | None = None,
    ) -> None:
        self.operations = operations
        self.rows = rows
        self.as_transaction = as_transaction
        self.token = token
        self.expired = expired
        self.work = work
        self.future: asyncio.Future[Written] = asyncio.get_running_loop().create_future()


class Writer:
    """The one writer of a store within this process."""

    def __init__(
        self,
        connection: apsw.Connection,
        layout: Layout,
        rows: Rows,
        log: ChangeLog,
        clock: Clock,
        cache: PartitionCache,
    ) -> None:
        self._connection = connection
        self._layout = layout
        self._rows = rows
        self._log = log
        self._clock = clock
        self._cache = cache
        self._waiting: deque[Job] = deque()
        self._scheduled = False
        self._seen = 0
        self._gather_until = 0.0
        self._space = asyncio.Event()
        self._space.set()
        self._busy_since: float | None = None
        self._closed = False

    async def submit(self, job: Job) -> Written:
        """The outcome of a write, after its commit. Waits for space while too many are waiting."""
        while len(self._waiting) >= MAX_WAITING:
            self._space.clear()
            await self._space.wait()
        if self._closed:
            raise StoreClosed("the store was closed")
        self._waiting.append(job)
        self._schedule()
        return await job.future

    async def close(self) -> None:
        """Commit what waits, and take nothing more."""
        self._closed = True
        while self._waiting:
            await asyncio.wait([self._waiting[-1].future])
        self._space.set()

    def _schedule(self) -> None:
        if not self._scheduled and self._waiting:
            self._scheduled = True
            self._seen = 0
            self._gather_until = perf_counter() + GATHER_SECONDS
            asyncio.get_running_loop().call_soon(self._gather)

    def _gather(self) -> None:
        """Commit, unless others have come since the last look: one commit costs as much as several writes."""
        if len(self._waiting) > self._seen and perf_counter() < self._gather_until:
            self._seen = len(self._waiting)
            asyncio.get_running_loop().call_soon(self._gather)
        else:
            self._commit_batch()

    def _commit_batch(self) -> None:
        self._scheduled = False
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            self._wait_for_lock()
            return
        except apsw.Error as error:
            self._refuse_all(store_error(error))
            return
        self._busy_since = None
        taken: list[Job] = []
        try:
            self._cache.check_other_processes()
            batch = Batch(self._rows, self._log)
            outcomes = self._apply_waiting(batch, taken)
            self._connection.execute("COMMIT")
            self._cache.changed(batch.changed_rows)
        except BaseException as error:
            self._cache.forget_all()
            self._undo(error, taken)
            if not isinstance(error, apsw.Error):
                raise
        else:
            self._answer(taken, outcomes)
        finally:
            self._space.set()
            self._schedule()

    def _apply_waiting(self, batch: Batch, taken: list[Job]) -> list[Written | Exception]:
        """Do the waiting writes, in order, until the batch is full or its time is up; `taken` is whom it concerns."""
        outcomes: list[Written | Exception] = []
        until = perf_counter() + BATCH_SECONDS
        while self._waiting and len(taken) < MAX_BATCH and batch.bytes < BATCH_BYTES:
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            taken.append(job)
            if not batch.has_read(job):
                batch.read_ahead([job, *self._following(job)])
            outcomes.append(self._outcome(job, batch))
            if perf_counter() > until:
                break
        batch.write()
        return outcomes

    def _following(self, first: Job) -> list[Job]:
        """The next writes, as many as shall have their rows read together with this one's."""
        jobs = []
        rows = len(first.operations)
        for job in self._waiting:
            if rows >= READ_AHEAD:
                break
            if not job.future.cancelled():
                jobs.append(job)
                rows += len(job.operations)
        return jobs

    def _outcome(self, job: Job, batch: Batch) -> Written | Exception:
        """Do one write inside of the batch. What is wrong with it shows while it is planned, and concerns it alone."""
        if job.work is not None:
            job.work()
            return Written(None, Capacity())
        now_ms = self._clock.now_ms()
        try:
            replayed = self._replay(job, now_ms) if job.token is not None else None
            if replayed is not None:
                return replayed
            changes, checked = self._plan(job, batch)
        except apsw.Error:
            raise
        except Exception as error:
            return error
        factor = TRANSACTION_FACTOR if job.as_transaction else 1
        units = 0
        for change in changes:
            units += batch.apply(change, factor=factor)
        for size in checked:
            units += factor * write_units(size)
        batch.log(now_ms, changes, expired=job.expired)
        if job.token is not None:
            self._connection.execute(
                "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)",
                (job.token, _digest(job.operations), _replay_units(changes, checked), now_ms + TOKEN_MINUTES * 60_000),
            )
        return _written(units) if job.as_transaction else Written(_returned(job, changes), _written(units).capacity)

    def _plan(self, job: Job, batch: Batch) -> tuple[list[RowChange], list[int]]:
        """The row changes of a write and the sizes of what it checks; ConditionFailed lists every failed condition."""
        changes: list[RowChange] = []
        failures: list[FailedCondition] = []
        misfit: Refused | None = None
        checked: list[int] = []
        for place, operation in enumerate(job.operations):
            old = batch.find(job, place, operation.key)
            if operation.when is not None and not holds(operation.when, old.item if old else None):
                failures.append(FailedCondition(place, operation.key, old.item if old else None))
            elif not failures:
                if type(operation) is UpdateItem:
                    try:
                        changes.append(row_change(operation.key, old, self._updated(operation, old)))
                    except Refused as error:
                        misfit = misfit or error
                elif type(operation) is CheckItem:
                    checked.append(old.size if old else 0)
                else:
                    changes.append(row_change(operation.key, old, job.rows[place]))
        # As DynamoDB has it: what is told first is a condition, then an update that does not fit its item.
        if failures:
            raise ConditionFailed(failures)
        if misfit is not None:
            raise misfit
        return changes, checked

    def _updated(self, operation: UpdateItem, old: Row | None) -> Row:
        if old is not None:
            return row_of(*changed(old.item, old.size, operation.actions))
        made = {self._layout.pk: operation.key.pk, self._layout.sk: operation.key.sk}
        return row_of(*changed(*weigh(made), operation.actions))

    def _replay(self, job: Job, now_ms: int) -> Written | None:
        """The answer to a token that was used within the last minutes: nothing is done again."""
        known = self._connection.execute(
            "SELECT digest, units FROM tokens WHERE token = ? AND until_ms > ?", (job.token, now_ms)
        ).fetchone()
        if known is None:
            return None
        if known[0] != _digest(job.operations):
            raise TokenReused("this idempotency token came with other operations before")
        return Written(None, Capacity(read=known[1]))

    def _answer(self, jobs: list[Job], outcomes: list[Written | Exception]) -> None:
        for job, outcome in zip(jobs, outcomes, strict=True):
            if job.future.done():
                continue
            if isinstance(outcome, Exception):
                job.future.set_exception(outcome)
            else:
                job.future.set_result(outcome)
        self._log.publish()

    def _undo(self, error: BaseException, jobs: list[Job]) -> None:
        """A batch that could not be committed never happened; everybody in it is told so."""
        if self._connection.in_transaction:
            # SQLite rolls back by itself after some errors.
            with contextlib.suppress(apsw.Error):
                self._connection.execute("ROLLBACK")
        for job in jobs:
            if not job.future.done():
                # Each gets an error of its own, since its traceback grows where it is raised.
                told = (
                    store_error(error)
                    if isinstance(error, apsw.Error)
                    else StoreFailed(f"the writer failed: {error!r}")
                )
                job.future.set_exception(told)

    def _wait_for_lock(self) -> None:
        """Another process writes: try again soon without holding up the loop, but not for ever."""
        loop = asyncio.get_running_loop()
        if self._busy_since is None:
            self._busy_since = loop.time()
        if loop.time() - self._busy_since > BUSY_SECONDS:
            self._busy_since = None
            self._refuse_all(StoreBusy(f"another process has held the lock of the store for {BUSY_SECONDS:.0f} s"))
            return
        self._scheduled = True
        loop.call_later(BUSY_PAUSE_SECONDS, self._commit_batch)

    def _refuse_all(self, error: TableError) -> None:
        while self._waiting:
            job = self._waiting.popleft()
            if not job.future.done():
                job.future.set_exception(error)
        self._space.set()


@lru_cache
def _written(units: int) -> Written:
    """The answer to a write that gives nothing back; most cost the same few units."""
    return Written(None, Capacity(write=float(units)))


def _returned(job: Job, changes: list[RowChange]) -> dict[str, object] | None:
    """What a single write gives back: an update the new item, a put or delete the old one."""
    if not changes:
        return None
    row = changes[0].new if type(job.operations[0]) is UpdateItem else changes[0].old
    return row.item if row else None


def _replay_units(changes: list[RowChange], checked: list[int]) -> float:
    """What it will cost to be asked the same again: a transactional read of each item, as it was or is, if larger."""
    sizes = [max(change.old.size if change.old else 0, change.new.size if change.new else 0) for change in changes]
    return TRANSACTION_FACTOR * sum(read_units(size, consistent=True) for size in (*sizes, *checked))


def _digest(operations: Sequence[ItemWrite]) -> bytes:
    """Bytes that stand for these operations, the same in every process."""
    return hashlib.blake2b(_canonical(operations).encode(), digest_size=16).digest()


def _canonical(value: object) -> str:
    if isinstance(value, msgspec.Struct):
        return (
            f"{type(value).__name__}({','.join(_canonical(getattr(value, name)) for name in value.__struct_fields__)})"
        )
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_canonical, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{name!r}:{_canonical(held)}' for name, held in value.items()))}}}"
    if isinstance(value, set | frozenset):
        return f"<{','.join(sorted(map(_canonical, value)))}>"
    return repr(value)
