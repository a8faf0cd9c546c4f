"""Imported messages are never unread, and hide no message that is."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead
from communities.environment import requests
from imports.environment import LONG_AGO, Room, ms, run_import
from sobremesa.app import Sobremesa
from sobremesa.rooms import unread
from sobremesa.rooms.unread import MAX_PAGES

MAX_ROWS_READ = 20


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "MAX_ROWS_READ", MAX_ROWS_READ)


async def test_imported_messages_are_not_unread(app: Sobremesa, room: Room, clock: Ahead) -> None:
    clock.move(seconds=60)
    now = clock.now_ms()

    await run_import(app, [room.line("old", LONG_AGO), room.line("@ben new", now, content="@ben new")])

    assert await room.unread(room.ben) == (0, False)
    assert not [each for each in await room.service.unread_everywhere(room.ben) if each.room_id == room.room_id]


async def test_messages_that_were_unread_remain_so(app: Sobremesa, room: Room, clock: Ahead) -> None:
    sent = await room.send(room.ana, "sent")
    clock.move(seconds=600)
    later = ms(sent.created_at) + 1

    await run_import(app, [room.line(str(each), later + each) for each in range(MAX_PAGES * MAX_ROWS_READ + 1)])

    assert await room.unread(room.ben) == (1, False)
    await room.service.mark_read(room.ben, room.room_id, sent.message_id)
    assert await room.unread(room.ben) == (0, False)


async def test_messages_that_are_sent_after_an_import_are_unread(app: Sobremesa, room: Room, clock: Ahead) -> None:
    first = await room.send(room.ana, "first")
    await room.service.mark_read(room.ben, room.room_id, first.message_id)
    clock.move(seconds=600)
    start = ms(first.created_at) + 1
    await run_import(app, [room.line(str(each), start + each) for each in range(2 * MAX_ROWS_READ + 1)])

    await room.send(room.ana, "hello")
    await room.send(room.ana, "@ben")
    await run_import(app, [room.line("more", start + 1000)])

    found = await room.service.unread(room.ben, room.room_id)
    assert (found.count, found.capped, found.mentions) == (2, False, 1)


async def test_unread_messages_behind_very_many_imported_ones_are_known_to_exist(
    app: Sobremesa, room: Room, clock: Ahead
) -> None:
    clock.move(seconds=600)
    start = clock.now_ms() - 500_000
    await run_import(app, [room.line(str(each), start + each) for each in range(MAX_PAGES * MAX_ROWS_READ + 1)])
    assert await room.unread(room.ben) == (0, False)

    await room.send(room.ana, "hello")

    assert await room.unread(room.ben) == (1, True)


async def test_a_second_import_keeps_the_last_message_that_was_sent(app: Sobremesa, room: Room, clock: Ahead) -> None:
    sent = await room.send(room.ana, "sent")
    await room.service.mark_read(room.ben, room.room_id, sent.message_id)
    clock.move(seconds=60)
    for each in range(3):
        await run_import(app, [room.line(str(each), ms(sent.created_at) + 1 + each)])

    with requests(app) as counted:
        assert await room.unread(room.ben) == (0, False)
    assert counted["query"] == 0, "the head says that nothing is unread"
    head = await room.head(app)
    assert (head.last_unread_id, head.last_imported_id) == (sent.message_id, head.last_message_id)
