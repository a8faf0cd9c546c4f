"""`sobremesa tour`: demonstrate the table toolkit on a temporary file."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from sobremesa.cli.tour_model import (
    Conversation,
    ConversationId,
    Message,
    MessageId,
    Participant,
    UserId,
    conversation_by_id,
    conversations_of,
    messages_of,
    participants_of,
    registry,
    send_message,
)
from sobremesa.core.clock import SystemClock
from sobremesa.core.ids import Ids
from sobremesa.table import NEWEST, Create, Table, Update, add, catalog, less_if_present, open_engine, present, set_to
from sobremesa.table.errors import BadCursor, ConditionFailed

SENDERS = 32
SENDING_SECONDS = 2.0

console = Console(highlight=False)


class Room:
    """One conversation of the tour."""

    def __init__(self, table: Table, convo_id: ConversationId) -> None:
        self.table = table
        self.convo_id = convo_id
        self._clock = SystemClock()
        self._ids = Ids(self._clock)

    async def send(self, sender: UserId, body: str) -> MessageId:
        """Send a message, with preview and read cursor, in one transaction that requires a participant."""
        message_id = MessageId(self._ids.mint())
        await self.table.write(
            message=Create(
                Message(
                    convo_id=self.convo_id,
                    message_id=message_id,
                    sender_id=sender,
                    body=body,
                    created_at=self._clock.now(),
                )
            ),
            conversation=Update(
                Conversation.key(convo_id=self.convo_id),
                set_to(last_message_id=message_id, last_message_body=body[:200]),
                add(messages=1),
                when=present() & less_if_present("last_message_id", message_id),
            ),
            sender=Update(
                Participant.key(convo_id=self.convo_id, user_id=sender), set_to(last_read_message_id=message_id)
            ),
            pattern=send_message,
        )
        return message_id


async def tour() -> None:
    """Demonstrate the table toolkit on the embedded engine, and show what each step costs."""
    with tempfile.TemporaryDirectory(prefix="sobremesa-tour-") as folder:
        store = f"sqlite:///{Path(folder) / 'tour.db'}"
        table = Table(await open_engine(store))
        try:
            await _walk(table)
        finally:
            await table.close()
    console.print("\nThe temporary file was deleted. The same code runs on DynamoDB: dynamodb://TABLE?region=...")


async def _walk(table: Table) -> None:
    _step("Entities", "one table with three kinds of row, each a typed class with literal keys")
    _show(catalog.entity_rows(registry), ("entity", "pk", "sk", "indexes"))

    _step("Access patterns", "every query has a name; docs and costs are generated from it")
    _show(catalog.pattern_rows(registry), ("id", "question", "operation", "key condition"))

    room = Room(table, ConversationId("lunch"))
    reader = await table.changes(NEWEST)
    await _make_conversation(room)
    await _refuse(room)
    await _read(room)

    _step("The change stream", "every write appears in it, from any process")
    for change in (await reader.read(0)).changes[-3:]:
        console.print(f"  {'changed' if change.old else 'new':8}{change.key.pk} / {change.key.sk}")

    await _load(room)

    _step("Costs", "in DynamoDB's read and write units, measured for every call")
    _show(catalog.cost_rows(table.meter.totals()), ("pattern", "calls", "read units a call", "write units a call"))


async def _make_conversation(room: Room) -> None:
    _step("A transaction", "message, preview and read cursor: all or nothing, durable when it returns")
    await room.table.write(
        conversation=Create(Conversation(convo_id=room.convo_id, name="Lunch")),
        ana=Create(Participant(convo_id=room.convo_id, user_id=UserId("ana"), role="admin")),
        bo=Create(Participant(convo_id=room.convo_id, user_id=UserId("bo"))),
    )
    for sender, body in (("ana", "Who is still at the table?"), ("bo", "I am."), ("ana", "Coffee, then.")):
        message_id = await room.send(UserId(sender), body)
        console.print(f"  {message_id}  {sender}: {body}")


async def _refuse(room: Room) -> None:
    _step("Conditions", "rules are conditions of the write, so there are no races")
    try:
        await room.send(UserId("mallory"), "Let me in")
    except ConditionFailed as refused:
        console.print(f"  refused: {refused.failures[0]!r} found no participant; nothing was written")


async def _read(room: Room) -> None:
    table = room.table
    _step("Pages", "newest first, with a cursor that is valid for its own query only")
    page = await table.query(messages_of(convo_id=room.convo_id), limit=2)
    for message in page.items:
        console.print(f"  {message.sender_id}: {message.body}")
    console.print(f"  cursor: {page.cursor}")
    following = await table.query(messages_of(convo_id=room.convo_id), limit=2, cursor=page.cursor)
    console.print(f"  next page: {following.items[0].sender_id}: {following.items[0].body}")
    try:
        await table.query(participants_of(convo_id=room.convo_id), cursor=page.cursor)
    except BadCursor as refused:
        console.print(f"  with another query: {refused}")
    mine = await table.query(conversations_of(user_id=UserId("bo")))
    rows = await table.get_many([conversation_by_id(convo_id=seat.convo_id) for seat in mine.items])
    console.print(f"  bo is in: {', '.join(row.name or '' for row in rows if row)}")


async def _load(room: Room) -> None:
    _step("Group commit", f"{SENDERS} users send for {SENDING_SECONDS:.0f} s; every send is on disk when it returns")
    until = time.monotonic() + SENDING_SECONDS

    async def chat(number: int) -> int:
        convo = ConversationId(f"room-{number}")
        user = UserId(f"user-{number}")
        mine = Room(room.table, convo)
        await room.table.write(
            conversation=Create(Conversation(convo_id=convo)),
            participant=Create(Participant(convo_id=convo, user_id=user)),
        )
        sent = 0
        while time.monotonic() < until:
            await mine.send(user, f"message {sent}")
            sent += 1
        return sent

    sent = sum(await asyncio.gather(*(chat(number) for number in range(SENDERS))))
    console.print(f"  {sent / SENDING_SECONDS:,.0f} durable sends per second")


def _step(title: str, sentence: str) -> None:
    console.print(f"\n[bold]{title}[/bold]: {sentence}")


def _show(rows: list[dict[str, str]], columns: tuple[str, ...]) -> None:
    grid = Grid(box=None, padding=(0, 2), header_style="dim")
    for column in columns:
        grid.add_column(column)
    for row in rows:
        grid.add_row(*(row[column].replace("`", "") for column in columns))
    console.print(grid)
