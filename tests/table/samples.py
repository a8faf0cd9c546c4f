"""The entities of the contract tests, small and of every kind, and short ways to fill a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, Table, gsi1, gsi2
from sobremesa.table.engines.protocol import Engine, PutItem, RawKey
from sobremesa.table.values import Item, Value


class Room(Entity):
    """The head of a room."""

    keys = Keys(pk="ROOM#{room_id}", sk="#METADATA")

    room_id: str
    name: str | None = None
    last_message_id: str | None = None
    messages: int = 0


class Seat(Entity):
    """A user's membership in a room; `seen_at` is None until the first visit."""

    keys = Keys(pk="ROOM#{room_id}", sk="SEAT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="ROOM#{room_id}")
    by_activity = Index(gsi2, pk="USER#{user_id}", sk="SEEN#{seen_at}#{room_id}")

    room_id: str
    user_id: str
    role: str = "member"
    seen_at: str | None = None
    tags: frozenset[str] = frozenset()


class Message(Entity):
    """A message in a room."""

    keys = Keys(pk="ROOM#{room_id}", sk="MSG#{message_id}")

    room_id: str
    message_id: str
    body: str = ""
    likes: int = 0


class Session(Entity):
    """Something that expires."""

    keys = Keys(pk="USER#{user_id}", sk="SESSION#{session_id}")
    by_device = Index(gsi1, pk="DEVICE#{device}", sk="SESSION#{session_id}")
    expires = "expires_at"

    user_id: str
    session_id: str
    device: str | None = None
    uses: int = 0
    expires_at: int | None = None


class Account(Entity):
    """A number that must stay right."""

    keys = Keys(pk="ACCOUNT#{account_id}", sk="BALANCE")

    account_id: str
    balance: int = 0


room = Lookup("T0", "What is this room?", Room)
messages_of = Pattern("T1", "Which messages are in this room?", Message, prefix="MSG#")
newest_of = Pattern("T2", "What are the newest messages of this room?", Message, prefix="MSG#", newest_first=True)
seats_of = Pattern("T3", "Who is in this room?", Seat, prefix="SEAT#")
rooms_of = Pattern("T4", "Which rooms is this user in?", Seat, index="by_user", prefix="ROOM#")
activity_of = Pattern(
    "T5", "Which rooms did this user visit last?", Seat, index="by_activity", prefix="SEEN#", newest_first=True
)
since = Pattern("T6", "Which messages follow this one?", Message, between=("MSG#{message_id}", "MSG$"))
everything_of = Pattern[Entity]("T7", "All of this room", Room, Seat, Message)
sessions_of = Pattern("T8", "Which sessions does this user have?", Session, prefix="SESSION#")


async def post(table: Table, room_id: str, count: int, **fields: Any) -> list[Message]:
    """Fill a room with messages m00, m01 and so on."""
    from sobremesa.table import Put

    messages = [Message(room_id=room_id, message_id=f"m{number:02d}", **fields) for number in range(count)]
    await table.write_many(Put(message) for message in messages)
    return messages


def row(pk: str, sk: str, **attributes: Value) -> PutItem:
    """A put of a stored item."""
    return PutItem(RawKey(pk, sk), {"pk": pk, "sk": sk, **attributes})


def sized(pk: str, sk: str, size: int, **attributes: Value) -> PutItem:
    """A put of an item that counts exactly this many bytes; `attributes` are text."""
    item: Item = {"pk": pk, "sk": sk, **attributes, "pad": ""}
    used = sum(len(name) + len(value) for name, value in item.items())
    assert used <= size, f"{used} bytes are more than {size}"
    item["pad"] = "x" * (size - used)
    return PutItem(RawKey(pk, sk), item)


async def stored(engine: Engine, pk: str, sk: str) -> Item | None:
    """The item as it is kept."""
    return (await engine.get(RawKey(pk, sk), consistent=True, fields=None)).item


async def refusal(attempt: Callable[[], Awaitable[object]]) -> type[Exception] | None:
    """The class of the error that this raises, or None."""
    try:
        await attempt()
    except Exception as error:
        return type(error)
    return None
