"""Long reads of the embedded engine share the event loop: other tasks run between their parts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import Create, Put, Table, equals
from sobremesa.table.engines.embedded.loop_budget import WORK_PER_ITERATION
from table.engines import embedded
from table.heartbeat import Heartbeat
from table.samples import Message, messages_of

ROWS = 4 * WORK_PER_ITERATION


async def _every(table: Table, **options: Any) -> list[Message]:
    return [row async for row in table.every(messages_of(room_id="r"), **options)]


READS: dict[str, Callable[[Table], Awaitable[Any]]] = {
    "every row": _every,
    "every row with a filter": lambda table: _every(table, where=equals("body", "nothing has this")),
    "a count with a filter": lambda table: table.count(messages_of(room_id="r"), where=equals("likes", 1)),
    "a count": lambda table: table.count(messages_of(room_id="r")),
    "many keys": lambda table: table.get_many([Message.key(room_id="r", message_id=f"{n:05}") for n in range(ROWS)]),
    "many short pages": lambda table: asyncio.gather(
        *(table.query(messages_of(room_id="r"), limit=100 + n) for n in range(4 * WORK_PER_ITERATION // 100))
    ),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_other_tasks_run_while_many_rows_are_read(read: Callable[[Table], Awaitable[Any]]) -> None:
    async with embedded(None, SetClock()) as engine:
        table = Table(engine)
        await table.write_many(Put(Message(room_id="r", message_id=f"{n:05}")) for n in range(ROWS))
        assert await Heartbeat().during(read(table)) >= 3


async def test_a_short_read_does_not_wait_for_the_loop() -> None:
    async with embedded(None, SetClock()) as engine:
        table = Table(engine)
        await table.write(Create(Message(room_id="r", message_id="1")))
        assert await Heartbeat().during(_every(table)) == 0


async def test_a_page_that_changes_while_it_is_read_is_not_kept() -> None:
    async with embedded(None, SetClock()) as engine:
        table = Table(engine)
        await table.write_many(Put(Message(room_id="r", message_id=f"{n:05}")) for n in range(ROWS))
        reading = asyncio.create_task(_every(table, newest_first=True))
        await asyncio.sleep(0)
        await table.write(Create(Message(room_id="r", message_id="99999")))
        await reading
        assert (await _every(table, newest_first=True))[0].message_id == "99999"
