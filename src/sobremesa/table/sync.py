"""A table without `await`, for scripts and notebooks.

    with SyncTable.open("sqlite:///books.db") as table:
        table.write(Create(dune))
        book = table.get(book_by_isbn(shelf="sf", isbn="0441"))

It runs the table on an event loop in a thread of its own, so it also works where a loop is already running, as in a
notebook, and may be used by several threads. The methods have the signatures of `Table`, overloads included: they are
derived from its methods, and not written again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sobremesa.table.clock import Clock
from sobremesa.table.engines.protocol import NEWEST, ChangeBatch, ChangeReader, Position, ShardBatch, ShardReader
from sobremesa.table.errors import StoreClosed
from sobremesa.table.layout import Layout
from sobremesa.table.opening import open_engine
from sobremesa.table.retries import Retries
from sobremesa.table.table import Table

P = ParamSpec("P")
T = TypeVar("T")

FETCHED_AT_ONCE = 100
"""How many rows an iterator gets from the other thread at once."""


def _blocking(
    method: Callable[Concatenate[Table, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncTable, P], T]:
    @wraps(method)
    def call(self: SyncTable, /, *args: P.args, **options: P.kwargs) -> T:
        return self.run(method(self.table, *args, **options))

    return call


def _iterating(
    method: Callable[Concatenate[Table, P], AsyncIterator[T]],
) -> Callable[Concatenate[SyncTable, P], Iterator[T]]:
    @wraps(method)
    def call(self: SyncTable, /, *args: P.args, **options: P.kwargs) -> Iterator[T]:
        return self.iterate(method(self.table, *args, **options))

    return call


class SyncTable:
    """One table, whose calls return their results."""

    def __init__(self, table: Table, loop: _LoopThread) -> None:
        self.table = table
        """The table itself. Its coroutines are for `run`."""
        self._loop = loop

    @classmethod
    def open(
        cls,
        store: str,
        *,
        layout: Layout | None = None,
        clock: Clock | None = None,
        janitor: bool = True,
        cursor_secret: bytes = b"",
        retries: Retries | None = None,
    ) -> Self:
        """Open the table of a store, such as `sqlite:///books.db` or `dynamodb://books?region=eu-west-1`."""

        async def opened() -> Table:
            engine = await open_engine(store, layout=layout, clock=clock, janitor=janitor)
            return Table(engine, clock=clock, cursor_secret=cursor_secret, retries=retries)

        loop = _LoopThread()
        try:
            return cls(loop.run(opened()), loop)
        except BaseException:
            loop.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the table and end its thread. Every later call raises StoreClosed; closing again does nothing."""
        try:
            self.run(self.table.close())
        except StoreClosed:
            pass
        finally:
            self._loop.stop()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return the result of any coroutine of the table or its engine, as `run(table.table.raw.scan())`."""
        return self._loop.run(coroutine)

    def iterate(self, rows: AsyncIterator[T]) -> Iterator[T]:
        """Yield the rows of an iterator of the table."""
        try:
            while True:
                fetched, error = self.run(_next_rows(rows))
                yield from fetched
                if error is not None:
                    raise error
                if not fetched:
                    return
        finally:
            if isinstance(rows, AsyncGenerator):
                with contextlib.suppress(StoreClosed):
                    self.run(rows.aclose())

    get = _blocking(Table.get)
    get_many = _blocking(Table.get_many)
    get_pair = _blocking(Table.get_pair)
    get_together = _blocking(Table.get_together)
    query = _blocking(Table.query)
    count = _blocking(Table.count)
    write = _blocking(Table.write)
    write_many = _blocking(Table.write_many)
    delete_every = _blocking(Table.delete_every)
    shards = _blocking(Table.shards)
    shard_positions = _blocking(Table.shard_positions)
    every = _iterating(Table.every)
    scan = _iterating(Table.scan)

    def changes(self, position: Position = NEWEST) -> SyncChanges:
        """Return a reader of all changes after a position, in order within each partition."""
        return SyncChanges(self.run(self.table.changes(position)), self._loop)

    def open_shard(self, shard_id: str, after: Position) -> SyncShard:
        """Return a reader of the changes of one shard after a sequence number, OLDEST or NEWEST."""
        return SyncShard(self.run(self.table.open_shard(shard_id, after)), self._loop)


class SyncShard:
    """A reader of one shard, whose calls return their results."""

    def __init__(self, reader: ShardReader, loop: _LoopThread) -> None:
        self._reader = reader
        self._loop = loop

    @property
    def pause_seconds(self) -> float:
        """How long to pause between two reads of the shard, by all of its readers together."""
        return self._reader.pause_seconds

    def read(self) -> ShardBatch:
        """Return the next changes without waiting for any; raise PositionTrimmed if some are no longer kept."""
        return self._loop.run(self._reader.read())


class SyncChanges:
    """A reader of the change stream, whose calls return their results."""

    def __init__(self, reader: ChangeReader, loop: _LoopThread) -> None:
        self._reader = reader
        self._loop = loop

    def read(self, wait_seconds: float) -> ChangeBatch:
        """Return the next changes; wait up to this long for one, then return an empty batch."""
        return self._loop.run(self._reader.read(wait_seconds))

    def close(self) -> None:
        self._loop.run(self._reader.close())


class _LoopThread:
    """An event loop in a thread, which does not keep the program alive."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, name="sobremesa-table", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine; raise StoreClosed if the loop was stopped."""
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("a SyncTable cannot be used in its own thread, as in a watcher: it would wait forever")
        with self._lock:
            if self._stopped:
                coroutine.close()
                raise StoreClosed("the table was closed")
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise StoreClosed("the table was closed during the call") from None
        except BaseException:
            # Also after Ctrl-C in this thread: the other one must not go on with the call.
            future.cancel()
            raise

    def stop(self) -> None:
        """Cancel what is still running, and end the thread. Stopping again does nothing."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().run_forever()


async def _next_rows(rows: AsyncIterator[T]) -> tuple[list[T], Exception | None]:
    """Return the next rows, and the error that followed them; no rows at the end."""
    fetched: list[T] = []
    try:
        async for row in rows:
            fetched.append(row)
            if len(fetched) == FETCHED_AT_ONCE:
                break
    except Exception as error:  # raised by the caller, after the rows before it
        return fetched, error
    return fetched, None
