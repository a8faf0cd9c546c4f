"""What happens during an import: accounts and rooms that are deleted, other tasks, and lines of any length."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from imports.environment import LONG_AGO, Environment, Room, run_import
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, DELETED_NAME, Actor, KeyId
from sobremesa.core.errors import TooBig
from sobremesa.domains.accounts.audit import OPERATOR, tenant_scope
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.imports.lines import BATCH_BYTES, MAX_LINE, batches_of
from sobremesa.domains.imports.records import Line
from sobremesa.domains.imports.service import ImportRun
from sobremesa.table import Delete, Update, set_to


@pytest.fixture
async def run(app: Sobremesa) -> AsyncIterator[ImportRun]:
    async with app.imports.run(DEFAULT_TENANT) as run:
        yield run


def lines_of(*records: dict[str, Any]) -> list[Line]:
    return [Line(number, json.dumps(record).encode()) for number, record in enumerate(records, start=1)]


async def delete_account(app: Sobremesa, user: Actor) -> None:
    """Delete a profile, and then what the domains store of it, as the job does."""
    await app.table.write(Update(user_by_id(user_id=user.user_id), set_to(deleted_at=app.clock.now())))
    for domain in (app.communities, app.conversations, app.threads):
        await domain.cleanup.delete_user_data(user.user_id)


async def test_an_account_that_is_deleted_during_an_import_gets_no_more_messages(
    app: Sobremesa, room: Room, run: ImportRun
) -> None:
    await run.add(lines_of(room.line("before", LONG_AGO), room.line("of ana", LONG_AGO + 1)))
    await run.add(lines_of(room.line("before", LONG_AGO + 1, room.ben)))
    await delete_account(app, room.ben)

    after = [room.line(f"after {each}", LONG_AGO + 2 + each, (room.ben, room.ana)[each % 2]) for each in range(4)]
    problems = await run.add(lines_of(*after))

    assert [(each.line, each.code, each.nonce) for each in problems] == [
        (1, "unknown_user", "after 0"),
        (3, "unknown_user", "after 2"),
    ]
    assert (run.summary.imported, run.summary.failed) == (5, 2)
    rows = [row for row in await room.rows(app) if row.imported]
    assert {row.content for row in rows} == {"before", "of ana", "after 1", "after 3"}
    assert {row.username for row in rows if row.author_id == room.ben.user_id} == {DELETED_NAME}


async def test_an_account_that_was_deleted_since_the_import_read_it_gets_no_messages_in_other_rooms(
    env: Environment, run: ImportRun
) -> None:
    """Cleo is in no room, so that only the room that knows her as an author is masked when she leaves."""
    first, second = env.rooms["channel"], env.rooms["conversation"]
    await run.add(lines_of(first.line("before", LONG_AGO, env.cleo)))
    await delete_account(env.app, env.cleo)

    problems = await run.add(lines_of(second.line("after", LONG_AGO, env.cleo), second.line("of ana", LONG_AGO)))

    assert [(each.line, each.code) for each in problems] == [(1, "unknown_user")]
    assert await second.contents() == ["of ana"]


async def test_messages_that_are_imported_while_an_account_is_deleted_lose_its_name(
    env: Environment, run: ImportRun
) -> None:
    app, room = env.app, env.rooms["channel"]
    lines = [room.line(str(each), LONG_AGO + each, env.cleo) for each in range(300)]

    async def bring_in() -> None:
        for start in range(0, 300, 20):
            await run.add(lines_of(*lines[start : start + 20]))

    async def delete() -> None:
        while run.summary.imported < 60:  # noqa: ASYNC110 - a run has no events
            await asyncio.sleep(0)
        await delete_account(app, env.cleo)

    await asyncio.gather(bring_in(), delete())

    rows = [row for row in await room.rows(app) if row.imported]
    assert len(rows) == run.summary.imported >= 60
    assert {row.username for row in rows} == {DELETED_NAME}


async def test_a_room_that_is_deleted_during_an_import_gets_no_more_messages(env: Environment, run: ImportRun) -> None:
    app = env.app
    gone, other = env.rooms["channel"], env.rooms["conversation"]
    await run.add(lines_of(gone.line("before", LONG_AGO)))
    before = await gone.rows(app)
    await app.table.write(Delete(gone.service.kind.head_by_key(room_id=gone.room_id)))

    problems = await run.add(lines_of(gone.line("after", LONG_AGO + 1), other.line("after", LONG_AGO)))

    assert [(each.line, each.code) for each in problems] == [(1, "room_not_found")]
    assert await gone.rows(app) == before
    assert await other.contents() == ["after"]


async def test_a_message_that_is_sent_between_two_batches_remains_the_last_one(
    app: Sobremesa, room: Room, run: ImportRun
) -> None:
    start = app.clock.now_ms() - 1000
    await run.add(lines_of(room.line("first", start)))
    sent = await room.send(room.ben, "sent")

    await run.add(lines_of(room.line("second", start + 1)))

    assert (await room.head(app)).last_message_id == sent.message_id
    assert await room.unread(room.ana) == (1, False)


async def test_two_imports_of_the_same_lines_at_the_same_time_create_each_message_once(
    app: Sobremesa, room: Room
) -> None:
    lines = [room.line(str(each), LONG_AGO + each) for each in range(150)]

    results = await asyncio.gather(run_import(app, lines), run_import(app, lines[::-1]), run_import(app, lines))

    assert sum(result.summary.imported for result in results) == 150
    assert sum(result.summary.repeated for result in results) == 300
    assert [row.content for row in await room.rows(app) if row.imported] == [str(each) for each in range(150)]


async def test_an_import_is_in_the_audit_log_of_its_tenant_also_if_it_fails(env: Environment) -> None:
    app, room, other = env.app, env.rooms["channel"], env.rooms["thread"]
    key = Actor(tenant=DEFAULT_TENANT, key_id=KeyId("key-1"), scopes=frozenset({"admin"}))
    lines = [room.line("one", LONG_AGO), room.line("two", LONG_AGO + 1), other.line("one", LONG_AGO)]
    await run_import(app, [*lines, room.line("bad", LONG_AGO, author="nobody")], actor=key)

    with contextlib.suppress(RuntimeError):
        async with app.imports.run(DEFAULT_TENANT) as run:
            await run.add(lines_of(lines[0], other.line("two", LONG_AGO + 1)))
            raise RuntimeError

    page = await app.audit.list_entries(tenant_scope(DEFAULT_TENANT), since=app.clock.now())
    found = [(each.actor, each.details) for each in page.items if each.action == "import.messages"]
    assert found == [
        (OPERATOR, {"imported": "1", "repeated": "1", "failed": "0", "rooms": "1"}),
        ("key-1", {"imported": "3", "repeated": "0", "failed": "1", "rooms": "2"}),
    ]


async def test_other_tasks_run_while_a_batch_is_imported(env: Environment) -> None:
    room = env.rooms["channel"]
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await run_import(env.app, [room.line(str(each), LONG_AGO + each) for each in range(1000)])
    counting.cancel()

    # Decoding, drafting, judging and preparing a thousand lines lets others run after every fifty.
    assert turns > 4 * 1000 // 50


async def pieces_of(content: bytes, sizes: Sequence[int]) -> AsyncIterator[bytes]:
    for size in sizes:
        yield content[:size]
        content = content[size:]
    yield content


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
async def test_lines_are_the_same_however_the_bytes_arrive(size: int) -> None:
    content = b"one\n\n  \ntwo\r\nthree"
    sizes = [size] * (len(content) // size)

    found = [line async for batch in batches_of(pieces_of(content, sizes)) for line in batch]

    assert [(line.number, (line.text or b"").strip()) for line in found] == [(1, b"one"), (4, b"two"), (5, b"three")]


@pytest.mark.parametrize("sizes", [[], [MAX_LINE], [10] * 7000])
async def test_a_line_that_is_too_long_is_dropped_and_the_next_one_is_read(sizes: Sequence[int]) -> None:
    content = b"x" * MAX_LINE + b"\n" + b"y" * (MAX_LINE + 1) + b"\nthree\n" + b"z" * (MAX_LINE + 1)

    found = [line async for batch in batches_of(pieces_of(content, sizes)) for line in batch]

    texts = [None if line.text is None else len(line.text) for line in found]
    assert texts == [MAX_LINE, None, 5, None]


async def test_batches_are_bounded_by_lines_and_bytes() -> None:
    line = b"x" * (MAX_LINE - 1) + b"\n"
    many = line * (BATCH_BYTES // len(line) + 2)

    by_bytes = [len(batch) async for batch in batches_of(pieces_of(many, []))]
    by_lines = [len(batch) async for batch in batches_of(pieces_of(b"x\n" * 7, []), size=3)]

    assert len(by_bytes) == 2
    assert by_lines == [3, 3, 1]


async def test_the_lines_up_to_the_limit_are_read_before_the_refusal() -> None:
    batches = batches_of(pieces_of(b"x\n" * 6, []), size=2, max_lines=5)
    found = [len(await anext(batches)) for _ in range(3)]

    with pytest.raises(TooBig):
        await anext(batches)
    assert found == [2, 2, 1]


async def test_an_account_whose_deletion_still_runs_gets_no_more_messages(env: Environment, run: ImportRun) -> None:
    """Its name is masked by a job, which has not run here: until then its messages would be in the room for nothing."""
    app, room = env.app, env.rooms["channel"]
    await run.add(lines_of(room.line("before", LONG_AGO, env.cleo)))
    await app.accounts.delete_me(env.cleo)

    problems = await run.add(lines_of(room.line("after", LONG_AGO + 1, env.cleo), room.line("of ana", LONG_AGO + 2)))

    assert [(each.line, each.code) for each in problems] == [(1, "unknown_user")]
    assert await room.contents() == ["before", "of ana"]
