"""An event loop in virtual time: when nothing is left to do, its clock jumps to the next timer.

Hours pass in seconds, and nothing outside has an influence: no thread runs, no socket is read, and the system's
randomness is replaced by one seed. With a fixed PYTHONHASHSEED the same seed gives the same run in every process.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import random
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from sobremesa.core.clock import Clock

if TYPE_CHECKING:
    from simulation.network import Network

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

EPOCH_MS = 1_763_000_000_000
"""The time of day at which every run starts."""

GROUP: contextvars.ContextVar[Group | None] = contextvars.ContextVar("GROUP", default=None)
"""The group that runs this code, and whose tasks it starts."""


class Stuck(Exception):
    """Every task waits for something that cannot happen any more."""


class Group:
    """Tasks that pause and end together, as those of one process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.is_paused = False
        self._held_back: list[tuple[asyncio.Handle, Callable[[], None]]] = []

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task of this group."""
        context = contextvars.copy_context()
        context.run(GROUP.set, self)
        return asyncio.get_running_loop().create_task(coroutine, context=context)

    def add(self, work: Coroutine[Any, Any, None]) -> None:
        """Run background work in this group until it ends."""
        self.tasks[self.start(work)] = None

    def hold_back(self, handle: asyncio.Handle, callback: Callable[[], None]) -> None:
        self._held_back.append((handle, callback))

    def resume(self) -> None:
        """Run what would have run during the pause, in its order."""
        self.is_paused = False
        held_back, self._held_back = self._held_back, []
        loop = asyncio.get_running_loop()
        for handle, callback in held_back:
            if not handle.cancelled():
                loop.call_soon(callback)

    async def end(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        if self.is_paused:
            self.resume()
        while self.tasks:
            waiting = list(self.tasks)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        self._now = 0.0
        self.network: Network | None = None
        """What connections are made through; without it nothing listens anywhere."""
        super().__init__(_NoFiles(self._advance))
        self.set_task_factory(self._new_task)

    def time(self) -> float:
        return self._now

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        context = contextvars.copy_context() if context is None else context
        group = context.get(GROUP)
        if group is None:
            return super().call_soon(callback, *args, context=context)
        run = _InGroup(group, callback, args, context)
        run.handle = handle = super().call_soon(run, context=context)
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        context = contextvars.copy_context() if context is None else context
        group = context.get(GROUP)
        if group is None:
            return super().call_at(when, callback, *args, context=context)
        run = _InGroup(group, callback, args, context)
        run.handle = handle = super().call_at(when, run, context=context)
        return handle

    def run_in_executor(self, executor: Any, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Run the function now: a thread would end at any time."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def create_connection(self, protocol_factory: Any, host: Any = None, port: Any = None, **options: Any) -> Any:
        """Connect to a server of the simulation."""
        if self.network is None:
            raise ConnectionRefusedError(f"nothing listens at {host}:{port}")
        return await self.network.connect(protocol_factory, host, port)

    def _advance(self, seconds: float | None) -> None:
        if seconds is None:
            raise Stuck
        self._now += seconds

    def _new_task(
        self, loop: asyncio.AbstractEventLoop, coroutine: Any, context: contextvars.Context | None = None
    ) -> asyncio.Task[Any]:
        group = GROUP.get() if context is None else context.get(GROUP)
        task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, context=context)
        if group is not None:
            group.tasks[task] = None
            task.add_done_callback(lambda task: group.tasks.pop(task, None), context=contextvars.Context())
        return task


class _InGroup:
    """A callback of a group, which waits while the group is paused."""

    __slots__ = ("_args", "_callback", "_context", "_group", "handle")

    def __init__(self, group: Group, callback: Callable[..., object], args: Any, context: contextvars.Context) -> None:
        self._group = group
        self._callback = callback
        self._args = args
        self._context = context
        self.handle: asyncio.Handle | None = None

    def __call__(self) -> None:
        if self._group.is_paused and self.handle is not None:
            self._group.hold_back(self.handle, self._run_again)
        else:
            self._callback(*self._args)

    def _run_again(self) -> None:
        # The handle that the caller knows was already run: it may have been cancelled since.
        if self.handle is None or not self.handle.cancelled():
            self._context.run(self)


class _NoFiles(selectors.BaseSelector):
    """A selector on which nothing ever happens: waiting only moves the clock."""

    def __init__(self, advance: Callable[[float | None], None]) -> None:
        self._advance = advance
        self._keys: dict[Any, selectors.SelectorKey] = {}

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, -1, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout != 0:
            self._advance(timeout)
        return []

    def get_key(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys[fileobj]

    def get_map(self) -> dict[Any, selectors.SelectorKey]:
        return self._keys

    def close(self) -> None:
        self._keys.clear()


class VirtualClock(Clock):
    """The time of day on the loop, which may be wrong by some milliseconds."""

    def __init__(self, skew_ms: int = 0) -> None:
        self._skew_ms = skew_ms

    def now_ms(self) -> int:
        return EPOCH_MS + round(asyncio.get_running_loop().time() * 1000) + self._skew_ms


def run(main: Coroutine[Any, Any, T], seed: int) -> T:
    """Run a coroutine in virtual time; all randomness comes from the seed."""
    loop = VirtualLoop()
    with _seeded(seed):
        try:
            return loop.run_until_complete(main)
        finally:
            loop.run_until_complete(_cancel_rest())
            loop.close()


async def _cancel_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Replace the system's randomness, also that of `secrets` and `uuid`: a caller may have no other."""
    random.seed(seed)
    entropy = random.Random(f"entropy {seed}")
    system = os.urandom
    try:
        os.urandom = random._urandom = entropy.randbytes  # type: ignore[attr-defined]  # no other way
        yield
    finally:
        os.urandom = random._urandom = system  # type: ignore[attr-defined]
