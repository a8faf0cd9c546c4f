"""Imported messages: their place in a room, who they are of, and what works on them afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from communities.conftest import Ahead
from imports.environment import LONG_AGO, Environment, Room, ms, run_import
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DELETED_NAME, Tenant, UserId
from sobremesa.core.clock import instant
from sobremesa.core.ids import time_of
from sobremesa.domains.accounts.entities import User
from sobremesa.rooms.judging import JudgedContent, TimedJudge, Verdict
from sobremesa.table import Put


async def test_messages_have_their_own_times_and_authors(app: Sobremesa, room: Room) -> None:
    lines = [room.line("one", LONG_AGO), room.line("two", LONG_AGO + 1, room.ben, content="2")]

    result = await run_import(app, lines)

    assert result.counts == (2, 0, 0)
    page = await room.service.page(room.ben, room.room_id, limit=10)
    assert [
        (each.content, each.author_id, each.username, each.created_at, time_of(each.message_id))
        for each in reversed(page.messages)
    ] == [
        ("one", room.ana.user_id, "ana", instant(LONG_AGO), LONG_AGO),
        ("2", room.ben.user_id, "ben", instant(LONG_AGO + 1), LONG_AGO + 1),
    ]


async def test_older_messages_go_before_those_that_are_there(app: Sobremesa, room: Room) -> None:
    sent = await room.send(room.ben, "sent")
    await run_import(app, [room.line("third", LONG_AGO + 3), room.line("first", LONG_AGO + 1)])
    before = await room.head(app)

    await run_import(app, [room.line("second", LONG_AGO + 2)])

    assert await room.contents() == ["first", "second", "third", "sent"]
    assert before.revision == 1
    assert (await room.head(app)) == msgspec.structs.replace(before, revision=2)
    assert before.last_message_id == sent.message_id


async def test_a_newer_message_becomes_the_last_one(app: Sobremesa, room: Room, clock: Ahead) -> None:
    sent = await room.send(room.ben, "sent")
    clock.move(seconds=60)
    newer = ms(sent.created_at) + 30_000

    await run_import(app, [room.line("newer", newer), room.line("older", LONG_AGO)])
    later = await room.send(room.ben, "later")

    assert await room.contents() == ["older", "sent", "newer", "later"]
    assert (await room.head(app)).last_message_id == later.message_id


async def test_the_preview_and_the_inbox_follow_a_newer_message(env: Environment, clock: Ahead) -> None:
    app = env.app
    groups, threads = env.rooms["conversation"], env.rooms["thread"]
    await groups.send(env.ben, "sent")
    clock.move(seconds=60)
    now = clock.now_ms()

    await run_import(app, [groups.line("old", LONG_AGO), groups.line("new", now), threads.line("new", now)])

    [row], _ = await app.conversations.list_conversations(env.ana, limit=10)
    assert (row.seat.conversation.last_message_body, row.seat.conversation.last_message_at) == ("new", instant(now))
    listed = await app.threads.list_threads(env.ben, limit=10)
    assert [each.thread.last_message_at for each in listed[0]] == [instant(now)]
    rows = [item async for item in app.table.scan(consistent=True) if str(item["sk"]).startswith("PART#")]
    assert {row["lastMessageAt"] for row in rows} == {instant(now)}


async def test_messages_of_one_millisecond_keep_the_order_of_their_microseconds(app: Sobremesa, room: Room) -> None:
    at = instant(LONG_AGO).removesuffix("Z")
    numbers = [7, 3, 999, 0, 500]

    await run_import(app, [room.line(str(each), LONG_AGO, createdAt=f"{at}{each:03}Z") for each in numbers])

    assert await room.contents() == ["0", "3", "7", "500", "999"]


async def test_pages_start_before_after_and_around_an_imported_message(app: Sobremesa, room: Room) -> None:
    await run_import(app, [room.line(str(each), LONG_AGO + each) for each in range(9)])
    ids = [row.message_id for row in await room.rows(app) if row.imported]
    page = room.service.page

    before = await page(room.ana, room.room_id, limit=3, before=ids[4])
    after = await page(room.ana, room.room_id, limit=3, after=ids[4])
    around = await page(room.ana, room.room_id, limit=3, around=ids[4])

    assert [each.content for each in before.messages] == ["3", "2", "1"]
    assert [each.content for each in after.messages] == ["5", "6", "7"]
    assert [each.content for each in around.messages] == ["5", "4", "3"]


async def test_the_newest_page_shows_an_older_import_at_once(app: Sobremesa, room: Room) -> None:
    await room.send(room.ana, "sent")
    assert await room.contents() == ["sent"]

    await run_import(app, [room.line("older", LONG_AGO)])

    assert await room.contents() == ["older", "sent"]


async def test_an_imported_message_is_edited_reacted_to_pinned_and_deleted(app: Sobremesa, room: Room) -> None:
    await run_import(app, [room.line("one", LONG_AGO), room.line("two", LONG_AGO + 1)])
    one, two = [row.message_id for row in await room.rows(app) if row.imported]
    rooms = room.service

    await rooms.edit(room.ana, room.room_id, one, "ONE")
    await rooms.react(room.ben, room.room_id, one, "👍")
    await rooms.pin(room.ana, room.room_id, one)
    await rooms.delete_message(room.ana, room.room_id, two)

    assert (await rooms.get_message(room.ben, room.room_id, one)).content == "ONE"
    found = await rooms.find_message(room.ben, one)
    assert found is not None
    assert [(each.emoji, each.count) for each in found.reactions] == [("👍", 1)]
    pins, _ = await rooms.list_pins(room.ana, room.room_id, limit=10)
    assert [pin.message.message_id for pin in pins] == [one]
    assert (await rooms.get_message(room.ben, room.room_id, two)).deleted


async def test_a_repeated_import_changes_nothing(app: Sobremesa, room: Room) -> None:
    lines = [room.line(str(each), LONG_AGO + each) for each in range(250)]
    first = await run_import(app, lines)
    edited, deleted = [row.message_id for row in await room.rows(app) if row.imported][:2]
    await room.service.edit(room.ana, room.room_id, edited, "edited")
    await room.service.delete_message(room.ana, room.room_id, deleted)
    before = await room.rows(app)

    again = await run_import(app, [*lines, lines[0]])

    assert first.counts == (250, 0, 0)
    assert again.counts == (0, 251, 0)
    assert await room.rows(app) == before


async def test_the_rest_of_an_import_is_written_when_it_is_repeated(app: Sobremesa, room: Room) -> None:
    lines = [room.line(str(each), LONG_AGO + each) for each in range(200)]
    await run_import(app, lines[::2])

    result = await run_import(app, lines)

    assert result.counts == (100, 100, 0)
    assert [row.content for row in await room.rows(app) if row.imported] == [str(each) for each in range(200)]


async def test_replies_name_the_message_by_nonce_by_nonce_and_time_or_by_id(app: Sobremesa, room: Room) -> None:
    sent = await room.send(room.ben, "sent")
    await run_import(app, [room.line("earlier", LONG_AGO)])
    lines = [
        room.line("parent", LONG_AGO + 1),
        room.line("by nonce", LONG_AGO + 2, replyTo="parent"),
        room.line("by nonce and time", LONG_AGO + 3, replyTo="earlier", replyToCreatedAt=instant(LONG_AGO)),
        room.line("by id", LONG_AGO + 4, replyTo=sent.message_id),
        room.line("unknown", LONG_AGO + 5, replyTo="earlier"),
        room.line("unknown id", LONG_AGO + 6, replyTo="01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        room.line("refused", LONG_AGO + 7, author="nobody"),
        room.line("of a refused one", LONG_AGO + 8, replyTo="refused"),
    ]

    result = await run_import(app, lines)

    assert result.codes == [
        (5, "reply_missing"),
        (6, "reply_missing"),
        (7, "unknown_user"),
        (8, "reply_missing"),
    ]
    rows = {row.content: row for row in await room.rows(app)}
    assert rows["by nonce"].reply_to == rows["parent"].message_id
    assert rows["by nonce and time"].reply_to == rows["earlier"].message_id
    assert rows["by id"].reply_to == sent.message_id


async def test_bad_lines_do_not_stop_the_others(env: Environment, clock: Ahead) -> None:
    room = env.rooms["channel"]
    lines: list[Mapping[str, Any] | str] = [
        room.line("good", LONG_AGO),
        "not JSON",
        {**room.line("no room", LONG_AGO), "room": "nowhere"},
        {**room.line("bad room id", LONG_AGO), "room": "a#b"},
        {**room.line("another kind", LONG_AGO), "roomKind": "thread"},
        {**room.line("no author", LONG_AGO), "author": "ext:nobody"},
        {**room.line("no zone", LONG_AGO), "createdAt": "2017-07-14T02:40:00"},
        room.line("from the future", clock.now_ms() + 60_000),
        room.line("too old", 999_999_999_999),
        {**room.line("empty", LONG_AGO), "content": ""},
        {**room.line("long", LONG_AGO), "content": "x" * 4001},
        {**room.line("typo", LONG_AGO), "contents": "x"},
        {key: value for key, value in room.line("", LONG_AGO).items() if key != "nonce"},
        {**room.line("longer than a line", LONG_AGO), "content": "x" * 70_000},
        "",
        room.line("also good", LONG_AGO + 1),
    ]

    result = await run_import(env.app, lines)

    assert result.codes == [
        (2, "invalid"),
        (3, "room_not_found"),
        (4, "room_not_found"),
        (5, "room_not_found"),
        (6, "unknown_user"),
        (7, "invalid"),
        (8, "wrong_time"),
        (9, "wrong_time"),
        (10, "empty_message"),
        (11, "invalid"),
        (12, "invalid"),
        (13, "invalid"),
        (14, "line_too_long"),
    ]
    assert result.counts == (2, 0, 13)
    assert await room.contents() == ["good", "also good"]


async def test_rooms_and_authors_of_another_tenant_do_not_exist(app: Sobremesa, room: Room) -> None:
    stranger = UserId("01STRANGER")
    await app.table.write(Put(User(user_id=stranger, username="sid", tenant=Tenant("acme"))))

    from_outside = await run_import(app, [room.line("one", LONG_AGO)], tenant=Tenant("acme"))
    of_outside = await run_import(app, [room.line("one", LONG_AGO, author=stranger)])

    assert from_outside.codes == [(1, "room_not_found")]
    assert of_outside.codes == [(1, "unknown_user")]
    assert not [row for row in await room.rows(app) if row.imported]


async def test_mentions_are_resolved(app: Sobremesa, room: Room) -> None:
    await run_import(app, [room.line("one", LONG_AGO, content="@ben and @nobody-else")])

    [row] = [row for row in await room.rows(app) if row.imported]
    assert row.mentions == [room.ben.user_id]


async def test_a_deleted_account_leaves_the_messages_of_an_author_who_was_never_inside(env: Environment) -> None:
    app = env.app
    lines = [room.line("of cleo", LONG_AGO, env.cleo) for room in env.rooms.values()]
    await run_import(app, lines)

    for domain in (app.communities, app.conversations, app.threads):
        await domain.cleanup.delete_user_data(env.cleo.user_id)

    for room in env.rooms.values():
        [row] = [row for row in await room.rows(app) if row.imported]
        assert row.username == DELETED_NAME


class Shouting:
    """Flags capitals, and takes its time for one of them."""

    async def judge(self, content: JudgedContent) -> Verdict:
        await asyncio.sleep(0)
        return Verdict("flagged", ["shouting"]) if content.content.isupper() else Verdict()


async def test_the_judge_flags_imported_messages_unless_it_is_left_out(app: Sobremesa, room: Room) -> None:
    app.imports._judge = TimedJudge(Shouting())
    lines = [room.line("quiet", LONG_AGO), room.line("LOUD", LONG_AGO + 1)]

    await run_import(app, lines)
    await run_import(app, [room.line("LOUDER", LONG_AGO + 2)], judge=False)
    await run_import(app, lines)

    found = {row.content: row.moderation for row in await room.rows(app) if row.imported}
    assert found == {"quiet": "clean", "LOUD": "flagged", "LOUDER": "clean"}
    cases = [item async for item in app.table.scan(consistent=True) if str(item["pk"]).startswith("MODQ#")]
    assert [(case["reason"], case["roomId"]) for case in cases] == [("shouting", room.room_id)]


async def test_messages_that_are_sent_during_an_import_keep_one_order_and_none_is_lost(
    app: Sobremesa, room: Room, clock: Ahead
) -> None:
    start = clock.now_ms() - 1000
    imported = [room.line(f"i{each}", start + each) for each in range(400)]

    async def send(who_sends: int) -> list[str]:
        return [(await room.send((room.ana, room.ben)[who_sends], f"s{each}")).message_id for each in range(20)]

    async def bring_in(part: int) -> None:
        for each in range(part, 400, 80):
            await run_import(app, imported[each : each + 40])

    sent = await asyncio.gather(send(0), send(1), bring_in(0), bring_in(40))

    rows = await room.rows(app)
    own = [row for row in rows if row.type != "system"]
    assert len(own) == 440
    assert [row.content for row in own if row.imported] == [f"i{each}" for each in range(400)]
    for some in sent[:2]:
        assert some == sorted(some or [])
    assert (await room.head(app)).last_message_id == rows[-1].message_id
