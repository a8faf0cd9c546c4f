"""Group commit: all waiting writes in one SQLite transaction and one fsync, each with its own conditions and outcome.

Everything runs on the event loop. A thread would hand over the interpreter lock at every SQL call, which made it three
times slower beside a busy loop; instead a batch ends after a few milliseconds, so that the loop can do other work. A
write is planned first (rows read, conditions checked, new rows built) and only then added to the batch, so a rejected
write leaves no trace in it. Results are returned after the commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
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
from sobremesa.table.evaluation import holds
from sobremesa.table.layout import Layout
from sobremesa.table.update_evaluation import changed
from sobremesa.table.values import weigh

MAX_WAITING = 4096
MAX_BATCH = 256
BATCH_SECONDS = 0.003
"""For reading and planning; writing takes about half as long again."""
GATHER_SECONDS = 0.005
"""How long a commit waits at most while more writes arrive."""
BATCH_BYTES = 1024 * 1024
READ_AHEAD = 96
"""How many rows are read at once."""
BUSY_SECONDS = 10.0
BUSY_PAUSE_SECONDS = 0.002


class Job:
    """A write that waits for its commit; `rows` are the rows of its puts, None for other operations."""

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
    """The only writer of a store in this process."""

    def __init__(
        self,
        connection: apsw.Connection,
        layout: Layout,
        rows: Rows,
        log: ChangeLog,
        clock: Clock,
        cache: PartitionCache,
        *,
        stopwatch: Callable[[], float] = perf_counter,
    ) -> None:
        self._connection = connection
        self._layout = layout
        self._rows = rows
        self._log = log
        self._clock = clock
        self._cache = cache
        self._stopwatch = stopwatch
        """Returns seconds, for the limits of one batch; a simulation passes virtual time, which makes it repeatable."""
        self._waiting: deque[Job] = deque()
        self._scheduled = False
        self._seen = 0
        self._gather_until = 0.0
        self._space = asyncio.Event()
        self._space.set()
        self._busy_since: float | None = None
        self._closed = False

    async def submit(self, job: Job) -> Written:
        """Return the result of a write after its commit. Wait while the queue is full."""
        while len(self._waiting) >= MAX_WAITING:
            self._space.clear()
            await self._space.wait()
        if self._closed:
            raise StoreClosed("the store was closed")
        self._waiting.append(job)
        self._schedule()
        return await job.future

    async def close(self) -> None:
        """Commit the waiting writes, and accept no more."""
        self._closed = True
        while self._waiting:
            await asyncio.wait([self._waiting[-1].future])
        self._space.set()

    def _schedule(self) -> None:
        if not self._scheduled and self._waiting:
            self._scheduled = True
            self._seen = 0
            self._gather_until = self._stopwatch() + GATHER_SECONDS
            asyncio.get_running_loop().call_soon(self._gather)

    def _gather(self) -> None:
        """Commit, unless more writes have arrived since the last check: one commit costs as much as several writes."""
        if len(self._waiting) > self._seen and self._stopwatch() < self._gather_until:
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
            self._fail_waiting(partial(store_error, error))
            return
        self._busy_since = None
        taken: list[Job] = []
        try:
            self._cache.check_other_processes()
            batch = Batch(self._rows, self._log, self._cache.written_rows)
            outcomes = self._apply_waiting(batch, taken)
            self._connection.execute("COMMIT")
            self._cache.changed(batch.changed_rows, batch.new_expiring)
        except BaseException as error:
            self._cache.forget_all()
            self._undo(error, taken)
            if not isinstance(error, apsw.Error):
                raise
        else:
            self._resolve(taken, outcomes)
        finally:
            self._space.set()
            self._schedule()

    def _apply_waiting(self, batch: Batch, taken: list[Job]) -> list[Written | Exception]:
        """Apply the waiting writes in order until the batch is full or its time is up, and add them to `taken`."""
        outcomes: list[Written | Exception] = []
        until = self._stopwatch() + BATCH_SECONDS
        while self._waiting and len(taken) < MAX_BATCH and batch.bytes < BATCH_BYTES:
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            taken.append(job)
            if not batch.has_read(job):
                batch.read_ahead([job, *self._following(job)])
            outcomes.append(self._outcome(job, batch))
            if self._stopwatch() > until:
                break
        batch.write()
        return outcomes

    def _following(self, first: Job) -> list[Job]:
        """Return the next writes whose rows are read together with those of this one."""
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
        """Apply one write to the batch. Its errors are raised while it is planned, and affect no other write."""
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
        """Return the row changes of a write and the sizes of its checks; raise ConditionFailed with all failures."""
        changes: list[RowChange] = []
        failures: list[FailedCondition] = []
        invalid: Refused | None = None
        checked: list[int] = []
        for number, operation in enumerate(job.operations):
            old = batch.find(operation.key)
            if operation.when is not None and not holds(operation.when, old.item if old else None):
                failures.append(FailedCondition(number, operation.key, old.item if old else None))
            elif not failures:
                if type(operation) is UpdateItem:
                    try:
                        changes.append(row_change(operation.key, old, self._updated(operation, old)))
                    except Refused as error:
                        invalid = invalid or error
                elif type(operation) is CheckItem:
                    checked.append(old.size if old else 0)
                else:
                    changes.append(row_change(operation.key, old, job.rows[number]))
        # As DynamoDB: failed conditions are reported first, then an update that is not valid for its item.
        if failures:
            raise ConditionFailed(failures)
        if invalid is not None:
            raise invalid
        return changes, checked

    def _updated(self, operation: UpdateItem, old: Row | None) -> Row:
        if old is not None:
            return row_of(*changed(old.item, old.size, operation.actions))
        created = {self._layout.pk: operation.key.pk, self._layout.sk: operation.key.sk}
        return row_of(*changed(*weigh(created), operation.actions))

    def _replay(self, job: Job, now_ms: int) -> Written | None:
        """Return the result of a token that was used in the last minutes, or None."""
        known = self._connection.execute(
            "SELECT digest, units FROM tokens WHERE token = ? AND until_ms > ?", (job.token, now_ms)
        ).fetchone()
        if known is None:
            return None
        if known[0] != _digest(job.operations):
            raise TokenReused("this idempotency token was used with other operations")
        return Written(None, Capacity(read=known[1]))

    def _resolve(self, jobs: list[Job], outcomes: list[Written | Exception]) -> None:
        for job, outcome in zip(jobs, outcomes, strict=True):
            if job.future.done():
                continue
            if isinstance(outcome, Exception):
                job.future.set_exception(outcome)
            else:
                job.future.set_result(outcome)
        self._log.publish()

    def _undo(self, error: BaseException, jobs: list[Job]) -> None:
        """Roll back a batch that could not be committed, and raise the error in all its writes."""
        self._log.roll_back()
        if self._connection.in_transaction:
            # SQLite rolls back by itself after some errors.
            with contextlib.suppress(apsw.Error):
                self._connection.execute("ROLLBACK")
        failed = f"the writer failed: {error!r}"
        _fail(jobs, partial(store_error, error) if isinstance(error, apsw.Error) else partial(StoreFailed, failed))

    def _wait_for_lock(self) -> None:
        """Retry soon while another process writes, without blocking the loop, up to a limit."""
        loop = asyncio.get_running_loop()
        if self._busy_since is None:
            self._busy_since = loop.time()
        if loop.time() - self._busy_since > BUSY_SECONDS:
            self._busy_since = None
            busy = f"another process has held the lock of the store for {BUSY_SECONDS:.0f} s"
            self._fail_waiting(partial(StoreBusy, busy))
            return
        self._scheduled = True
        loop.call_later(BUSY_PAUSE_SECONDS, self._commit_batch)

    def _fail_waiting(self, failure: Callable[[], TableError]) -> None:
        _fail(self._waiting, failure)
        self._waiting.clear()
        self._space.set()


def _fail(jobs: Iterable[Job], failure: Callable[[], TableError]) -> None:
    """Raise an error in all these writes; each gets its own, since a traceback grows where the error is raised."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(failure())


@lru_cache
def _written(units: int) -> Written:
    """Return the result of a write without an item; cached, since most cost the same few units."""
    return Written(None, Capacity(write=float(units)))


def _returned(job: Job, changes: list[RowChange]) -> dict[str, object] | None:
    """Return the item of a single write: the new one of an update, the old one of a put or delete."""
    if not changes:
        return None
    row = changes[0].new if type(job.operations[0]) is UpdateItem else changes[0].old
    return row.item if row else None


def _replay_units(changes: list[RowChange], checked: list[int]) -> float:
    """Return the cost of repeating a write with a token: a transactional read of each item, old or new, if larger."""
    sizes = [max(change.old.size if change.old else 0, change.new.size if change.new else 0) for change in changes]
    return TRANSACTION_FACTOR * sum(read_units(size, consistent=True) for size in (*sizes, *checked))


def _digest(operations: Sequence[ItemWrite]) -> bytes:
    """Return a hash of these operations, equal in every process."""
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
