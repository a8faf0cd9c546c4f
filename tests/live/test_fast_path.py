"""The fast path: new messages are published in the order of their room, also while the table fails."""

from __future__ import annotations

from sobremesa.core.clock import SystemClock
from sobremesa.live.events import Event, Publication
from sobremesa.live.fast_path import FastPath
from sobremesa.live.translation import Translation
from sobremesa.table import Create, Entity, Keys, RawKey, Table
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.errors import BadRow, TableError, Throttled


class Message(Entity):
    keys = Keys(pk="ROOM#{room_id}", sk="MSG#{message_id}")

    room_id: str
    message_id: str


def new(room_id: str, message_id: str) -> Create[Message]:
    return Create(Message(room_id=room_id, message_id=message_id))


class Rooms:
    """Publishes messages, unless their room cannot be read."""

    def __init__(self) -> None:
        self.failing: dict[str, TableError] = {}

    async def created(self, message: Message) -> Publication:
        if message.room_id in self.failing:
            raise self.failing[message.room_id]
        return Publication(id=message.message_id, event=Event(t="message.created", d=b"{}"))


async def fast_path_of(rooms: Rooms) -> FastPath:
    translation = Translation(Table(await EmbeddedEngine.open(":memory:", None, clock=SystemClock())))
    translation.at_once(Message, rooms.created)
    return FastPath(translation)


async def taken(fast_path: FastPath) -> list[str]:
    await fast_path.arrival()
    return [publication.id for _, publication in await fast_path.take()]


async def test_message_that_cannot_be_published_now_is_not_overtaken_in_its_room() -> None:
    rooms = Rooms()
    fast_path = await fast_path_of(rooms)
    rooms.failing["one"] = Throttled()
    fast_path.add([new("one", "a")])
    assert await taken(fast_path) == []

    rooms.failing.clear()
    fast_path.add([new("one", "b"), new("two", "c")])
    found = await taken(fast_path)
    while len(found) < 3:
        found += await taken(fast_path)
    assert [each for each in found if each in "ab"] == ["a", "b"]
    assert "c" in found


async def test_message_that_can_never_be_published_delays_no_other() -> None:
    rooms = Rooms()
    fast_path = await fast_path_of(rooms)
    rooms.failing["one"] = BadRow("damaged", RawKey("USER#ana", "META"))
    fast_path.add([new("one", "a")])
    assert await taken(fast_path) == []

    rooms.failing.clear()
    fast_path.add([new("one", "b")])
    assert await taken(fast_path) == ["b"]
