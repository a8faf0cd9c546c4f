"""Expiry is decided in code on every read and write; the store's own removal only tidies up (R8)."""

from __future__ import annotations

from typing import Any

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import (
    OLDEST,
    Check,
    Create,
    Delete,
    Entity,
    Keys,
    Operation,
    Put,
    RawKey,
    Table,
    Update,
    add,
    always,
    equals,
    present,
    set_to,
)
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.errors import BadExpression, ConditionFailed, OutcomeUnknown
from table import gaps
from table.engines import Store
from table.samples import Session, messages_of, post, refusal, row, sessions_of, stored

KEY = Session.key(user_id="u", session_id="s")


def now(clock: SetClock) -> int:
    return clock.now_ms() // 1000


async def _expired(table: Table, clock: SetClock, **fields: Any) -> Session:
    session = Session(user_id="u", session_id="s", expires_at=now(clock) + 60, **fields)
    await table.write(Create(session))
    clock.move(seconds=60)
    return session


async def test_a_row_is_there_until_its_second_comes(table: Table, clock: SetClock) -> None:
    session = Session(user_id="u", session_id="s", expires_at=now(clock) + 60)
    await table.write(Create(session))

    clock.move(seconds=59)
    assert await table.get(KEY) == session
    clock.move(seconds=1)
    assert await table.get(KEY) is None


async def test_an_expired_row_is_invisible_to_every_read(table: Table, clock: SetClock) -> None:
    await _expired(table, clock, device="d")
    lasting = Session(user_id="u", session_id="t")
    await table.write(Create(lasting))

    assert await table.get_many([KEY, lasting.own_key()]) == [None, lasting]
    assert (await table.query(sessions_of(user_id="u"))).items == [lasting]
    assert [session async for session in table.every(sessions_of(user_id="u"))] == [lasting]


async def test_an_expired_row_cannot_be_updated_checked_or_deleted(table: Table, clock: SetClock) -> None:
    await _expired(table, clock)

    refused: list[list[Operation]] = [
        [Update(KEY, add(uses=1))],
        [Update(KEY, set_to(expires_at=now(clock) + 1000))],
        [Update(KEY, add(uses=1), when=equals("uses", 0))],
        [Delete(KEY)],
        [Check(KEY, when=present())],
        [Create(Session(user_id="u", session_id="new")), Check(KEY, when=present("uses"))],
    ]
    for operations in refused:
        with pytest.raises(ConditionFailed):
            await table.write(operations=operations)

    kept = await stored(table.engine, *KEY.raw)
    assert kept is not None
    assert kept["uses"] == 0


async def test_an_expired_row_may_be_created_again(table: Table, clock: SetClock) -> None:
    await _expired(table, clock, device="old")
    fresh = Session(user_id="u", session_id="s", expires_at=now(clock) + 60)

    await table.write(Create(fresh))

    assert await table.get(KEY) == fresh
    with pytest.raises(ConditionFailed):
        await table.write(Create(fresh))


async def test_what_must_be_absent_may_be_expired(table: Table, clock: SetClock) -> None:
    await _expired(table, clock)

    await table.write(expired=Check(KEY, when=~present()), created=Create(Session(user_id="u", session_id="new")))

    assert await table.get(Session.key(user_id="u", session_id="new")) is not None


async def test_a_renewed_row_lives_on(table: Table, clock: SetClock) -> None:
    await table.write(Create(Session(user_id="u", session_id="s", expires_at=now(clock) + 60)))

    await table.write(Update(KEY, set_to(expires_at=now(clock) + 600)))

    clock.move(seconds=300)
    assert await table.get(KEY) is not None
    kept = await stored(table.engine, *KEY.raw)
    assert kept is not None
    assert kept["ttl"] == kept["expiresAt"]
    await table.write(Update(KEY, set_to(expires_at=None)))
    clock.move(seconds=10_000)
    assert await table.get(KEY) is not None
    assert "ttl" not in (await stored(table.engine, *KEY.raw) or {})


async def test_an_update_that_could_add_to_an_expired_row_is_refused(table: Table) -> None:
    with pytest.raises(BadExpression, match="expires"):
        await table.write(Update(KEY, add(uses=1), when=always()))


async def test_unconditional_put_or_delete_does_not_check_expiry(table: Table, clock: SetClock) -> None:
    await _expired(table, clock)

    await table.write(Delete(KEY, when=always()))

    assert await stored(table.engine, *KEY.raw) is None


class Note(Entity, rename=None):
    """A row of another program: its expiry has another name than the table's ttl."""

    keys = Keys(pk="NOTE#{id}", sk="NOTE")
    expires = "expiredat"

    id: str
    expiredat: int | None = None
    reads: int = 0


async def test_a_row_of_another_writer_expires_by_its_own_attribute(table: Table, clock: SetClock) -> None:
    key = Note.key(id="n")
    await table.engine.write(row("NOTE#n", "NOTE", id="n", expiredat=now(clock), reads=0))

    assert await table.get(key) is None
    with pytest.raises(ConditionFailed):
        await table.write(Update(key, add(reads=1)))
    await table.write(Create(Note(id="n", expiredat=now(clock) + 5)))

    assert await table.get(key) == Note(id="n", expiredat=now(clock) + 5)


@pytest.mark.parametrize("ttl", ["soon", [1], None, b"1", True, {"a": 1}], ids=str)
async def test_a_row_whose_ttl_is_no_number_never_expires(table: Table, store: Store, ttl: object) -> None:
    await table.engine.write(row("NOTE#n", "NOTE", id="n", ttl=ttl))

    assert await table.get(Note.key(id="n")) is not None
    updated = await refusal(lambda: table.write(Update(Note.key(id="n"), add(reads=1))))

    if gaps.has(store, "kinds-crash") and ttl is not None:
        assert updated in (OutcomeUnknown, ConditionFailed)
    else:
        assert updated is None
        assert (await stored(table.engine, "NOTE#n", "NOTE") or {})["reads"] == 1


async def test_entities_that_do_not_expire_ignore_the_ttl(table: Table, clock: SetClock) -> None:
    await post(table, "r", 1)
    await table.engine.write(row("ROOM#r", "MSG#m01", roomId="r", messageId="m01", ttl=1))

    assert len((await table.query(messages_of(room_id="r"))).items) == 2


async def test_sweep_deletes_expired_rows_and_the_stream_marks_them(memory: EmbeddedEngine, clock: SetClock) -> None:
    table = Table(memory, clock=clock)
    await table.write(Create(Session(user_id="u", session_id="s", expires_at=now(clock) + 60)))
    await table.write(Create(Session(user_id="u", session_id="lasting")))
    await table.write(Create(Session(user_id="u", session_id="later", expires_at=now(clock) + 61)))
    clock.move(seconds=60)

    assert await memory.sweep() == 1
    assert await memory.sweep() == 0

    assert await stored(memory, *KEY.raw) is None
    assert await stored(memory, "USER#u", "SESSION#later") is not None
    changes = (await (await memory.changes(OLDEST)).read(0.0)).changes
    assert [(change.key.sk, change.expired) for change in changes] == [
        ("SESSION#s", False), ("SESSION#lasting", False), ("SESSION#later", False), ("SESSION#s", True),
    ]  # fmt: skip
    assert changes[-1].old is not None
    assert changes[-1].new is None


async def test_the_sweep_deletes_more_than_one_round_of_rows_and_leaves_their_indexes_clean(
    memory: EmbeddedEngine, clock: SetClock
) -> None:
    table = Table(memory, clock=clock)
    await table.write_many(
        Put(Session(user_id="u", session_id=f"{number:04d}", device="d", expires_at=now(clock) + 1))
        for number in range(1200)
    )
    clock.move(seconds=1)

    swept = 0
    while count := await memory.sweep():
        swept += count

    assert swept == 1200
    from sobremesa.table import gsi1
    from sobremesa.table.engines.protocol import QueryRequest

    assert (await memory.query(QueryRequest(pk="DEVICE#d", index=gsi1))).items == []
    assert (await memory.describe_table()).items == 0


async def test_sweep_keeps_renewed_rows_and_rows_without_a_number(memory: EmbeddedEngine, clock: SetClock) -> None:
    await memory.write(row("p", "text", ttl="1"))
    await memory.write(row("p", "ages ago", ttl=now(clock) - 6 * 365 * 24 * 3600))
    await memory.write(row("p", "fraction", ttl=now(clock) + 0.5))
    await memory.write(row("p", "gone", ttl=now(clock)))

    assert await memory.sweep() == 1

    assert await stored(memory, "p", "gone") is None
    assert (await memory.get(RawKey("p", "fraction"), consistent=True, fields=None)).item is not None
