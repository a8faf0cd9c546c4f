"""The relay copies the change stream of the table, as events, to the stream that all nodes read.

One node at a time does it, under a lease. Its position is saved in the table, always as it was some seconds ago: the
node that takes over, or finds that Redis has lost the end of its stream, repeats some seconds, and nothing is missed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

import msgspec
import structlog

from sobremesa.core.clock import Clock
from sobremesa.live.entities import PumpProgress, keep_pump, pump_progress
from sobremesa.live.redis_stream import FOREIGN, Lost, RedisStream, StreamId
from sobremesa.live.translation import Translation
from sobremesa.table import NEWEST, ChangeReader, Create, Position, Table, Upsert, equals, less, set_to
from sobremesa.table.errors import BadCursor, ConditionFailed, PositionTrimmed, TableError

LEASE_SECONDS = 6.0
RENEW_SECONDS = 2.0
LOOK_SECONDS = 1.0
"""How often the other nodes check the lease."""
BEHIND_SECONDS = 15.0
"""How much a node that takes over repeats."""
WAIT_SECONDS = 1.0
ADDED_AT_ONCE = 500

_encode = msgspec.msgpack.Encoder().encode
_log = structlog.get_logger("sobremesa.live")


class Relay:
    """Relays the changes of one table while no other node does."""

    def __init__(self, table: Table, clock: Clock, translation: Translation, stream: RedisStream, node_id: str) -> None:
        self._table = table
        self._clock = clock
        self._translation = translation
        self._stream = stream
        self._node_id = node_id
        self._reader: ChangeReader | None = None
        self._relayed: deque[tuple[float, Position]] = deque()
        """Positions up to which everything was relayed, and when; the first is the one that is saved."""

    @property
    def is_active(self) -> bool:
        return self._reader is not None

    def nudge(self) -> None:
        """Read the change stream now: something was written."""
        if self._reader is not None:
            self._reader.nudge()

    async def prepare(self) -> None:
        """Save a first position, so that nothing is missed from now on, whichever node relays."""
        if await self._table.get(pump_progress()) is not None:
            return
        reader = await self._table.changes(NEWEST)
        start = PumpProgress(position=(await reader.read(0)).position)
        await reader.close()
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Create(start), pattern=keep_pump)

    async def run(self) -> None:
        """Relay, or wait for the lease, until cancelled."""
        while True:
            try:
                progress = await self._acquire()
                if progress is not None:
                    await self._relay_changes(Position(progress.position or NEWEST))
            except ConditionFailed:
                _log.info("another node relays the events now")
            except (*FOREIGN, Lost, TableError) as error:
                _log.warning("events are not relayed", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(LOOK_SECONDS)

    async def _relay_changes(self, position: Position) -> None:
        loop = asyncio.get_running_loop()
        self._relayed = deque([(loop.time(), position)])
        try:
            epoch, last = await self._stream.open()
            try:
                self._reader = await self._table.changes(position)
            except (PositionTrimmed, BadCursor) as lost:
                # Changes were lost, or the row is of another store: earlier positions are void.
                _log.warning("the event stream starts anew", why=f"{type(lost).__name__}: {lost}")
                epoch, last = await self._stream.open(anew=True)
                self._reader = await self._table.changes(NEWEST)
            renewed = loop.time()
            while True:
                batch = await self._reader.read(WAIT_SECONDS)
                bodies = [
                    _encode(event) for change in batch.changes for event in await self._translation.events_of(change)
                ]
                last = await self._add(epoch, bodies, last)
                self._move(loop.time(), batch.position)
                if loop.time() - renewed >= RENEW_SECONDS:
                    renewed = loop.time()
                    await self._save_progress(LEASE_SECONDS)
        finally:
            reader, self._reader = self._reader, None
            if reader is not None:
                await reader.close()
            with contextlib.suppress(TableError):
                await self._save_progress(0)

    async def _add(self, epoch: str, bodies: list[bytes], last: StreamId) -> StreamId:
        for start in range(0, len(bodies), ADDED_AT_ONCE):
            try:
                last = await self._stream.add(epoch, bodies[start : start + ADDED_AT_ONCE], last)
            except Lost:
                await self._stream.open(last)
                raise
        return last

    def _move(self, now: float, position: Position) -> None:
        relayed = self._relayed
        if now - relayed[-1][0] >= RENEW_SECONDS / 2:
            relayed.append((now, position))
        while len(relayed) > 1 and now - relayed[1][0] >= BEHIND_SECONDS:
            relayed.popleft()

    async def _acquire(self) -> PumpProgress | None:
        """Acquire the lease and return the progress; None while another node has it."""
        now = self._clock.now_ms()
        known = await self._table.get(pump_progress())
        if known is not None and known.leased_until_ms >= now and known.holder != self._node_id:
            return None
        lease = set_to(holder=self._node_id, leased_until_ms=now + round(LEASE_SECONDS * 1000))
        free = less("leased_until_ms", now) | equals("holder", self._node_id)
        try:
            return await self._table.write(Upsert(pump_progress(), lease, when=free), pattern=keep_pump)
        except ConditionFailed:
            return None

    async def _save_progress(self, lease_seconds: float) -> None:
        """Save the position of some seconds ago; raises ConditionFailed if another node has the lease."""
        until = self._clock.now_ms() + round(lease_seconds * 1000)
        await self._table.write(
            Upsert(
                pump_progress(),
                set_to(position=self._relayed[0][1], leased_until_ms=until),
                when=equals("holder", self._node_id),
            ),
            pattern=keep_pump,
        )
