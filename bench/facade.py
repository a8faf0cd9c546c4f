"""The same work through the typed table: what entities, patterns, retries and metering cost."""

from __future__ import annotations

from itertools import cycle

from bench.contender import Deadline, Question, Rate, side_by_side
from bench.workload import (
    COUNT,
    PAGE,
    Conversation,
    Message,
    Participant,
    Rooms,
    Send,
    convo_id,
    message_by_id,
    newest_messages,
)
from sobremesa.table import Create, Operation, Table, Update, add, less_if_present, present, set_to


class TableContender:
    """A typed table over any engine."""

    def __init__(self, name: str, table: Table, rooms: Rooms, readable: list[str]) -> None:
        self.name = name
        self.rooms = rooms
        self._table = table
        self._readable = readable

    async def send(self, senders: int, seconds: float) -> Rate:
        return await side_by_side(senders, seconds, self._sender)

    async def read(self, question: Question, readers: int, seconds: float) -> Rate:
        ask = {"page": self._page, "get": self._get, "count": self._count}[question]

        async def reader(number: int, until: Deadline) -> int:
            done = 0
            for room in cycle(range(len(self._readable))):
                await ask((room + number) % len(self._readable))
                done += 1
                if until.passed():
                    break
            return done

        return await side_by_side(readers, seconds, reader)

    async def _sender(self, number: int, until: Deadline) -> int:
        done = 0
        for room in cycle(range(number, len(self.rooms.sent), until.people)):
            await self._table.write(operations=typed_operations(self.rooms.next_send(room)))
            done += 1
            if until.passed():
                break
        return done

    async def _page(self, room: int) -> None:
        page = await self._table.query(newest_messages(convo_id=convo_id(room)))
        assert len(page.items) == PAGE

    async def _get(self, room: int) -> None:
        key = message_by_id(convo_id=convo_id(room), message_id=self._readable[room])
        assert await self._table.get(key) is not None

    async def _count(self, room: int) -> None:
        counted = await self._table.count(newest_messages(convo_id=convo_id(room)), at_most=COUNT)
        assert counted.count == COUNT


def typed_operations(send: Send) -> tuple[Operation, Operation, Operation]:
    """The send, as the services of a domain would write it."""
    convo, user, content = send.convo_id, send.user_id, send.content
    message = Message(convo_id=convo, message_id=send.message_id, sender_id=user, created_at=send.at, content=content)
    return (
        Create(message),
        Update(
            Conversation.key(convo_id=convo),
            set_to(last_message_id=send.message_id, last_message_at=send.at, preview=content[:80]),
            when=present() & less_if_present("last_message_id", send.message_id),
        ),
        Update(
            Participant.key(convo_id=convo, user_id=user),
            set_to(last_read_message_id=send.message_id, last_read_at=send.at),
            add(sent=1),
        ),
    )
