"""The load: users who send messages to conversations, each send one transaction of three operations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import ItemWrite, PutItem, RawKey, UpdateItem
from sobremesa.table.layout import Layout
from sobremesa.table.updates import add, set_to

CONVERSATIONS = 4
SENDERS = 32
LAYOUT = Layout()


class Message(NamedTuple):
    """One message, named by who sent it in which run, and which of theirs it is."""

    run: str
    sender: int
    number: int

    @property
    def id(self) -> str:
        return f"{self.run}.{self.sender:03}.{self.number:06}"

    @property
    def conversation(self) -> str:
        return f"CONVO#{self.sender % CONVERSATIONS}"

    @property
    def author(self) -> str:
        return f"{self.run}.{self.sender:03}"

    @property
    def key(self) -> RawKey:
        return RawKey(self.conversation, f"MSG#{self.id}")

    @classmethod
    def of_id(cls, text: str) -> Message:
        run, sender, number = text.rsplit(".", 2)
        return cls(run, int(sender), int(number))


def operations(message: Message, *, text: str = "Is there any coffee left?") -> list[ItemWrite]:
    """Put the message, move the conversation's head to it, and move the sender's seat to it, in an index too."""
    key = message.key
    return [
        PutItem(
            key,
            {
                "pk": key.pk,
                "sk": key.sk,
                "messageId": message.id,
                "text": text,
                "gsi2pk": f"AUTHOR#{message.author}",
                "gsi2sk": key.sk,
            },
        ),
        UpdateItem(RawKey(key.pk, "HEAD"), (*add(messages=1), *set_to(lastMessageId=message.id))),
        UpdateItem(
            RawKey(key.pk, f"PARTICIPANT#{message.author}"),
            (
                *add(sent=1),
                *set_to(gsi1pk=f"USER#{message.author}", gsi1sk=f"{key.pk}#{message.id}", lastReadId=message.id),
            ),
        ),
    ]


async def send(engine: EmbeddedEngine, message: Message, *, text: str = "Is there any coffee left?") -> None:
    """Send once, however often it is tried: the message's id is the token."""
    await engine.transact(operations(message, text=text), token=message.id)


async def has(engine: EmbeddedEngine, message: Message) -> bool:
    return (await engine.get(message.key, consistent=True, fields=None)).item is not None


async def talk(
    engine: EmbeddedEngine,
    run: str,
    acknowledged: Callable[[Message], None],
    *,
    senders: int = SENDERS,
    messages: int | None = None,
    beside: str | None = None,
    text: str = "Is there any coffee left?",
) -> None:
    """Send concurrently as all users, one message after the other; without a number of messages, forever.

    With `beside`, the last message of each sender waits for the first one of that other run: two runs beside each
    other then overlap however the operating system schedules their processes.
    """

    async def one_sender(sender: int) -> None:
        number = 0
        while messages is None or number < messages:
            message = Message(run, sender, number)
            if beside and messages and number == messages - 1:
                await _sent(engine, Message(beside, sender, 0))
            await send(engine, message, text=text)
            acknowledged(message)
            number += 1

    async with asyncio.TaskGroup() as group:
        for sender in range(senders):
            group.create_task(one_sender(sender))


async def _sent(engine: EmbeddedEngine, message: Message) -> None:
    """Return once the message is in the table."""
    while not await has(engine, message):  # noqa: ASYNC110 - another process sends it
        await asyncio.sleep(0.005)
