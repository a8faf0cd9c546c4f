"""Batches of sends: what waits while a transaction of its room is under way goes into the next one.

Every send updates the head of its room, and DynamoDB refuses a transaction while another one holds the same row. So a
node runs one transaction for each room at a time, with as many messages as it can hold. Each message keeps its own
conditions and its own result: one that is refused leaves the batch and is written by itself, which answers it.
"""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import reduce

from sobremesa.core.actor import UserId
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.access import newest
from sobremesa.rooms.entities import Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.sending import ComposedSend, Composer, Send, faster_message
from sobremesa.table import Check, Condition, Operation, Put, RawKey, Table
from sobremesa.table.errors import ConditionFailed, Conflict, OutcomeUnknown, StoreError, TableError, Throttled
from sobremesa.work.keyed_lock import KeyedLocks

MAX_OPERATIONS = 100
"""Of one transaction, by DynamoDB's limit. That many messages of the greatest size are below its limit of 4 MB."""
MAX_WAITING = 1000
"""How many sends may wait for one room on a node."""
MAX_WAIT_SECONDS = 5.0
MAX_LEFT = 100
"""How many sends that do not fit are tried for one transaction: in a thread none fits besides the first."""
ATTEMPTS = 40
CONFLICT_PAUSE_SECONDS = 0.025
"""The longest pause after a conflict with another node."""


class _Waiting:
    """A send that waits for its turn, and for its result."""

    __slots__ = ("context", "result", "send", "since")

    def __init__(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        self.send = send
        self.result: asyncio.Future[Message | None] = loop.create_future()
        self.since = loop.time()
        self.context = contextvars.copy_context()

    def succeed(self, message: Message | None) -> None:
        if not self.result.done():
            self.result.set_result(message)

    def fail(self, error: BaseException) -> None:
        if not self.result.done():
            self.result.set_exception(error)


class SendBatches:
    """The sends of one process to rooms of one kind."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        composer: Composer,
        write_alone: Callable[[Send], Awaitable[Message | None]],
        locks: KeyedLocks,
    ) -> None:
        self._kind = kind
        self._table = table
        self._composer = composer
        self._write_alone = write_alone
        self._locks = locks
        self._queues: dict[RoomId, deque[_Waiting]] = {}
        self._writers: set[asyncio.Task[None]] = set()

    async def write(self, send: Send) -> Message | None:
        """Write a message with others of its room; None if its nonce created one before.

        Busy if too many others wait, or this one for too long. A send whose caller is cancelled leaves the queue.
        """
        room_id = send.seat.room_id
        queue = self._queues.get(room_id)
        if queue is not None and len(queue) >= MAX_WAITING:
            raise _too_busy()
        waiting = _Waiting(send)
        if queue is not None:
            queue.append(waiting)
        else:
            self._queues[room_id] = deque([waiting])
            writer = asyncio.create_task(self._write_all(room_id))
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        return await waiting.result

    async def _write_all(self, room_id: RoomId) -> None:
        """Write what waits for a room, one transaction after the other, until nothing does."""
        queue = self._queues[room_id]
        try:
            while queue:
                async with self._locks.of(room_id):
                    refused: Sequence[_Waiting] = ()
                    if batch := self._next_batch(queue):
                        # In the context of the first send, so that what it logs is found under its request.
                        refused = await asyncio.create_task(self._write_batch(batch), context=batch.sends[0].context)
                if refused:
                    # Another node writes to the room. The next attempt has new ids, greater than those that it wrote,
                    # and takes what has arrived meanwhile. The pause does not grow: batches do, so that one attempt of
                    # many is enough, and a node that waited for long is not the last one.
                    queue.extendleft(reversed(refused))
                    await asyncio.sleep(random.uniform(0, CONFLICT_PAUSE_SECONDS))  # noqa: S311 - nothing secret
        finally:
            del self._queues[room_id]
            for waiting in queue:
                waiting.result.cancel()

    def _next_batch(self, queue: deque[_Waiting]) -> _Batch | None:
        """Take from the queue what one transaction can hold; what does not fit keeps its place."""
        now = asyncio.get_running_loop().time()
        batch = _Batch(self._composer, reduce(newest, (each.send.seat.head.last_message_id for each in queue)))
        left: list[_Waiting] = []
        behind: set[UserId] = set()
        """The authors of sends that do not fit: their later ones wait too, so that they keep their order."""
        while queue and not batch.is_full and len(left) < MAX_LEFT:
            waiting = queue.popleft()
            author_id = waiting.send.seat.user_id
            if waiting.result.done():
                continue  # its caller was cancelled
            if now - waiting.since > MAX_WAIT_SECONDS:
                waiting.fail(_too_busy())
            elif author_id in behind or not batch.add(waiting):
                behind.add(author_id)
                left.append(waiting)
        queue.extendleft(reversed(left))
        return batch if batch.sends else None

    async def _write_batch(self, batch: _Batch) -> Sequence[_Waiting]:
        """Write a batch and answer its sends; return those to write again, since there was a conflict."""
        sends = batch.sends
        again: Sequence[_Waiting] = ()
        try:
            alone, again = await self._write_together(batch)
            for waiting in alone:
                await self._write_by_itself(waiting)
        except Exception as error:
            # A bug of ours, which ends no other send of the room.
            for waiting in sends:
                waiting.fail(error)
        except BaseException:
            for waiting in sends:
                waiting.result.cancel()
            raise
        return again

    async def _write_by_itself(self, waiting: _Waiting) -> None:
        if waiting.result.done():
            return
        try:
            waiting.succeed(await self._write_alone(waiting.send))
        except Exception as error:
            waiting.fail(error)

    async def _write_together(self, batch: _Batch) -> tuple[Sequence[_Waiting], Sequence[_Waiting]]:
        """Write a batch by one transaction, and answer its sends.

        Return those that must be written by themselves, and those to write again, since there was a conflict.
        """
        alone: list[_Waiting] = []
        for _ in range(ATTEMPTS):
            if not batch.is_together:
                break
            try:
                await batch.write(self._table, self._kind)
            except ConditionFailed as failed:
                staying, refused = batch.divide(failed)
                alone += refused
                try:
                    faster = faster_message(failed, self._kind, batch.last)
                except NotFound:
                    return [*alone, *staying], ()
                if faster is None and "head" in failed:
                    return [*alone, *staying], ()  # another condition of the room does not hold
                batch = _Batch(self._composer, newest(batch.last, faster))
                alone += [waiting for waiting in staying if not batch.add(waiting)]
            except Conflict:
                return alone, batch.sends
            except (Throttled, OutcomeUnknown, StoreError) as error:
                for waiting in batch.sends:
                    waiting.fail(type(error)(*error.args))  # each its own: a traceback grows where it is raised
                return alone, ()
            except TableError:
                break
            else:
                batch.succeed()
                return alone, ()
        return [*alone, *batch.sends], ()


class _Batch:
    """Sends of one room that one transaction writes, in this order, after the message `last`."""

    def __init__(self, composer: Composer, last: MessageId | None) -> None:
        self.last = last
        self.sends: list[_Waiting] = []
        self._composer = composer
        self._composed: list[ComposedSend] = []
        self._by_key: dict[RawKey, Operation] = {}
        self._when: Condition | None = None
        """The further condition on the room's head."""
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether there is no place for another message with its nonce and check, besides the head."""
        return self._is_closed or len(self._by_key) + 4 > MAX_OPERATIONS

    @property
    def is_together(self) -> bool:
        """Whether a transaction of a batch can write it."""
        return bool(self._composed)

    def add(self, waiting: _Waiting) -> bool:
        """Add a send if it fits: a transaction has one operation for each row, and one condition on the head."""
        if waiting.result.done():
            return True
        if self._is_closed:
            return False
        last = self._composed[-1].message.message_id if self._composed else self.last
        try:
            composed = self._composer.compose(waiting.send, last)
        except Exception:
            # Written by itself, it raises this for its caller.
            return self._add_only(waiting)
        found = {_key_of(operation): operation for operation in composed.operations}
        fits = len(found) == len(composed.operations) and len(self._by_key) + len(found) < MAX_OPERATIONS
        if self._composed:
            fits = fits and composed.additions.head in (None, self._when)
            fits = fits and all(_is_same(self._by_key[key], found[key]) for key in found.keys() & self._by_key.keys())
        if not fits:
            return self._add_only(waiting)
        if not self._composed:
            self._when = composed.additions.head
        for key, operation in found.items():
            self._by_key.setdefault(key, operation)
        self.sends.append(waiting)
        self._composed.append(composed)
        return True

    def _add_only(self, waiting: _Waiting) -> bool:
        """Add a send that no transaction of a batch can hold, if it is the first: then it is written by itself."""
        if self.sends:
            return False
        self.sends, self._is_closed = [waiting], True
        return True

    async def write(self, table: Table, kind: RoomKind) -> None:
        first, last = self._composed[0].message, self._composed[-1]
        head = self._composer.head_update(self.sends[-1].send.seat, first, last, self._when)
        operations = list(self._by_key.values())
        await table.write(sends=operations, head=head, pattern=kind.send, retry_conflicts=False)

    def divide(self, failed: ConditionFailed) -> tuple[Sequence[_Waiting], Sequence[_Waiting]]:
        """Return the sends whose conditions held, and the others. A repeated nonce is answered here."""
        failures = {failure.operation for failure in failed.failures}
        staying: list[_Waiting] = []
        refused: list[_Waiting] = []
        for waiting, composed in zip(self.sends, self._composed, strict=True):
            if composed.nonce in failures:
                waiting.succeed(None)
            elif any(self._by_key[_key_of(operation)] in failures for operation in composed.operations):
                refused.append(waiting)
            else:
                staying.append(waiting)
        return staying, refused

    def succeed(self) -> None:
        """Answer all sends."""
        for waiting, composed in zip(self.sends, self._composed, strict=True):
            if composed.additions.after is not None:
                composed.additions.after()
            waiting.succeed(composed.message)


def _key_of(operation: Operation) -> RawKey:
    return operation.entity.own_key().raw if isinstance(operation, Put) else operation.key.raw


def _is_same(one: Operation, other: Operation) -> bool:
    """Return whether two operations on one row are the same check, which one transaction can make for both."""
    return isinstance(one, Check) and isinstance(other, Check) and one.when == other.when


def _too_busy() -> Busy:
    return Busy("This room is too busy: try again later.")
