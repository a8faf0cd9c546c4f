"""The relay publishes the change stream of the table, as events, for all nodes.

One node at a time does it, under a lease. Its position is saved in the table, always as it was some seconds ago: the
node that takes over, or finds that Redis has lost what it had, repeats some seconds, and nothing is missed. What the
topics have already is not added again (`topic_streams`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Sequence

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.live.entities import PumpProgress, keep_pump, pump_progress
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_publisher import TopicPublisher
from sobremesa.live.topic_streams import Lost
from sobremesa.table import NEWEST, ChangeReader, Create, Position, RawChange, Table, set_to
from sobremesa.table.errors import BadCursor, ConditionFailed, PositionTrimmed, TableError
from sobremesa.table.updates import Changes

LEASE_SECONDS = 6.0
NOTED_SECONDS = 1.0
"""How often a position is noted, so that the one of some seconds ago is known."""
LOOK_SECONDS = 1.0
"""How often the other nodes check the lease."""
BEHIND_SECONDS = 15.0
"""How much a node that takes over repeats."""
WAIT_SECONDS = 1.0

_log = structlog.get_logger("sobremesa.live")


class Relay:
    """Relays the changes of one table while no other node does."""

    def __init__(self, table: Table, clock: Clock, publisher: TopicPublisher, node_id: str) -> None:
        self._table = table
        self._lease = Lease(table, clock, pump_progress(), seconds=LEASE_SECONDS, pattern=keep_pump, creates=True)
        self._publisher = publisher
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
            except LeaseLost:
                _log.info("another node relays the events now")
            except (*FOREIGN, Lost, TableError) as error:
                self._publisher.forget()
                _log.warning("events are not relayed", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(LOOK_SECONDS)

    async def _relay_changes(self, position: Position) -> None:
        loop = asyncio.get_running_loop()
        self._relayed = deque([(loop.time(), position)])
        try:
            try:
                self._reader = await self._table.changes(position)
            except (PositionTrimmed, BadCursor) as lost:
                # Changes were lost, or the row is of another store: earlier positions are void.
                _log.warning("the event stream starts anew", why=f"{type(lost).__name__}: {lost}")
                await self._publisher.reset()
                self._reader = await self._table.changes(NEWEST)
            async with self._lease.renewing(self._progress):
                while True:
                    batch = await self._reader.read(WAIT_SECONDS)
                    for shard_id, changes in _by_shard(batch.changes).items():
                        await self._publisher.publish(shard_id, changes)
                    self._move(loop.time(), batch.position)
        finally:
            reader, self._reader = self._reader, None
            if reader is not None:
                await reader.close()
            with contextlib.suppress(TableError):
                await self._lease.release(self._progress())

    def _move(self, now: float, position: Position) -> None:
        relayed = self._relayed
        if now - relayed[-1][0] >= NOTED_SECONDS:
            relayed.append((now, position))
        while len(relayed) > 1 and now - relayed[1][0] >= BEHIND_SECONDS:
            relayed.popleft()

    async def _acquire(self) -> PumpProgress | None:
        """Acquire the lease and return the progress; None while another node has it."""
        known = await self._table.get(pump_progress())
        if known is not None and self._lease.is_held_by_another(known):
            return None
        return await self._lease.acquire(set_to(holder=self._node_id))

    def _progress(self) -> Changes:
        """Return the change that saves the position of some seconds ago."""
        return set_to(position=self._relayed[0][1])


def _by_shard(changes: Sequence[RawChange]) -> dict[str, list[RawChange]]:
    found: dict[str, list[RawChange]] = defaultdict(list)
    for change in changes:
        found[change.shard_id].append(change)
    return found
