"""Loads that several readers share: all who ask at the same moment cost one request.

    loads = SharedLoads(table)
    page = await loads.following(partition, "reactions", lambda: self._read_reactions(partition))

Nothing is kept: unlike a result of `SharedReads`, that of `following` is as current as if each had read by itself, as
the load began after they asked. Where the engine knows the versions of its partitions, every reader loads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar, cast

from sobremesa.table.ledger import note_unversioned
from sobremesa.table.table import Table

V = TypeVar("V")
_Loads = dict[tuple[str, Hashable], asyncio.Task[Any]]


class SharedLoads:
    """Shared loads from single partitions."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._running: _Loads = {}
        self._following: _Loads = {}
        """The loads that begin when the running one has ended."""

    async def running(self, pk: str, what: Hashable, load: Callable[[], Awaitable[V]]) -> V:
        """Return the result of the load that is under way, which may have begun earlier, or begin it."""
        if self._table.engine.version_of(pk) is not None:
            return await load()
        note_unversioned(pk)  # also for those who load nothing themselves
        key = (pk, what)
        task = self._running.get(key) or self._begin(key, load)
        return cast(V, await asyncio.shield(task))

    async def following(self, pk: str, what: Hashable, load: Callable[[], Awaitable[V]]) -> V:
        """Return the result of a load that begins now, or of the next one if one is under way."""
        if self._table.engine.version_of(pk) is not None:
            return await load()
        note_unversioned(pk)  # also for those who load nothing themselves
        key = (pk, what)
        task = self._following.get(key)
        if task is None:
            before = self._running.get(key)
            task = self._begin(key, load) if before is None else self._begin_after(before, key, load)
        return cast(V, await asyncio.shield(task))

    def _begin(self, key: tuple[str, Hashable], load: Callable[[], Awaitable[Any]]) -> asyncio.Task[Any]:
        task = asyncio.create_task(_run(load))
        self._running[key] = task
        task.add_done_callback(lambda done: self._end(key, done))
        return task

    def _begin_after(
        self, before: asyncio.Task[Any], key: tuple[str, Hashable], load: Callable[[], Awaitable[Any]]
    ) -> asyncio.Task[Any]:
        async def follow() -> Any:
            await asyncio.wait({before})
            # From here on another reader may ask for the one after this.
            del self._following[key]
            self._running[key] = task
            return await load()

        task = asyncio.create_task(follow())
        self._following[key] = task
        task.add_done_callback(lambda done: self._end(key, done))
        return task

    def _end(self, key: tuple[str, Hashable], task: asyncio.Task[Any]) -> None:
        for loads in (self._running, self._following):
            if loads.get(key) is task:
                del loads[key]
        if not task.cancelled():
            task.exception()  # all who asked may be gone


async def _run(load: Callable[[], Awaitable[V]]) -> V:
    return await load()
