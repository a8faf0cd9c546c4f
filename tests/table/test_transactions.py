"""Several operations as one: all or nothing, and every failure by name."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Operation,
    Put,
    RawKey,
    Table,
    Update,
    add,
    add_to_set,
    at_least,
    equals,
    present,
    set_to,
)
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import (
    MAX_TRANSACTION_BYTES,
    MAX_TRANSACTION_ITEMS,
    TOKEN_MINUTES,
    CheckItem,
    DeleteItem,
    Engine,
    ItemWrite,
    UpdateItem,
)
from sobremesa.table.errors import BadExpression, ConditionFailed, TokenReused, TooLarge
from sobremesa.table.updates import Add, Set
from sobremesa.table.values import MAX_ITEM_BYTES
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, Seat, messages_of, refusal, row, sized, stored

A, B = Account.key(account_id="a"), Account.key(account_id="b")


@pytest.fixture
def token() -> str:
    """A new token: tokens are unique in the whole account, not in the table."""
    return uuid.uuid4().hex


async def _open_accounts(table: Table, **balances: int) -> None:
    for account_id, balance in balances.items():
        await table.write(Put(Account(account_id=account_id, balance=balance)))


async def test_all_operations_happen_together(table: Table) -> None:
    await _open_accounts(table, a=10, b=5)

    await table.write(
        giver=Update(A, add(balance=-3), when=at_least("balance", 3)),
        taker=Update(B, add(balance=3)),
        message=Create(Message(room_id="r", message_id="m", body="3 from a to b")),
        absent=Check(Account.key(account_id="c"), when=~present()),
    )

    assert await table.get_many([A, B], consistent=True) == [
        Account(account_id="a", balance=7),
        Account(account_id="b", balance=8),
    ]
    assert len((await table.query(messages_of(room_id="r"))).items) == 1


async def test_when_one_condition_fails_nothing_happens_and_every_failure_is_named(table: Table) -> None:
    await _open_accounts(table, a=1, b=5)

    with pytest.raises(ConditionFailed) as failed:
        await table.write(
            taker=Update(B, add(balance=3)),
            giver=Update(A, add(balance=-3), when=at_least("balance", 3)),
            created=Create(Room(room_id="r")),
            absent=Check(Account.key(account_id="c"), when=present()),
            deleted=Delete(Room.key(room_id="gone")),
        )

    assert [failure.name for failure in failed.value.failures] == ["giver", "absent", "deleted"]
    assert failed.value.names == {"giver", "absent", "deleted"}
    assert "giver" in failed.value
    assert "taker" not in failed.value
    assert str(failed.value).startswith("condition failed: giver on ACCOUNT#a / BALANCE, absent on ")
    assert [failure.key for failure in failed.value.failures] == [
        A.raw,
        RawKey("ACCOUNT#c", "BALANCE"),
        RawKey("ROOM#gone", "#METADATA"),
    ]
    there, *missing = [failure.item for failure in failed.value.failures]
    assert there is not None
    assert there["balance"] == 1
    assert missing == [None, None]
    assert failed.value.item("giver") == there
    assert failed.value.item("absent") is None
    assert await table.get_many([A, B]) == [Account(account_id="a", balance=1), Account(account_id="b", balance=5)]
    assert await table.get(Room.key(room_id="r")) is None


async def test_similar_operations_share_a_name_and_each_can_be_asked_for(table: Table) -> None:
    await _open_accounts(table, a=1)
    there, missing = Update(A, add(balance=1)), Update(B, add(balance=1))

    with pytest.raises(ConditionFailed) as failed:
        await table.write(room=Create(Room(room_id="r")), message=None, accounts=[there, missing])

    assert failed.value.names == {"accounts"}
    assert missing in failed.value
    assert there not in failed.value
    assert "message" not in failed.value
    assert failed.value.is_only("accounts")
    assert not failed.value.is_only("room")


async def test_asking_a_failure_for_an_operation_the_write_did_not_have_is_an_error(table: Table) -> None:
    with pytest.raises(ConditionFailed) as failed:
        await table.write(account=Update(A, add(balance=1)), room=None)
    with pytest.raises(ConditionFailed) as unnamed:
        await table.write(Update(A, add(balance=1)))

    misspelled = "the write had no operation named 'acount'; its names: account, room"
    with pytest.raises(LookupError, match=misspelled):
        assert "acount" in failed.value
    with pytest.raises(LookupError, match=misspelled):
        failed.value.item("acount")
    with pytest.raises(LookupError, match=misspelled):
        failed.value.is_only("acount")
    with pytest.raises(LookupError, match="did not have the operation"):
        assert Update(A, add(balance=1)) in failed.value
    with pytest.raises(LookupError, match="its names: none"):
        assert "account" in unnamed.value


async def test_watchers_receive_the_operations_of_a_transaction_in_order(table: Table) -> None:
    received: list[Operation] = []

    def watch(operations: Sequence[Operation], *, in_bulk: bool) -> None:
        received.extend(operations)

    table.watch(watch)
    first, *others = (Put(Room(room_id=str(number))) for number in range(3))

    await table.write(first=first, none=None, others=others)

    assert received == [first, *others]


async def test_an_operation_without_a_name_is_refused_beside_named_ones(table: Table) -> None:
    with pytest.raises(TypeError, match="needs a name"):
        await table.write(Put(Room(room_id="r")), other=Put(Room(room_id="o")))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="needs a name"):
        await table.write(Put(Room(room_id="r")), Put(Room(room_id="o")))  # type: ignore[call-overload]

    assert await table.get(Room.key(room_id="r")) is None


async def test_indexes_and_rows_change_together_or_not_at_all(table: Table) -> None:
    from table.samples import rooms_of

    with pytest.raises(ConditionFailed):
        await table.write(seat=Create(Seat(room_id="r", user_id="u")), account=Update(A, add(balance=1)))
    assert (await table.query(rooms_of(user_id="u"))).items == []

    await table.write(seat=Create(Seat(room_id="r", user_id="u")), account=Create(Account(account_id="a")))
    assert len((await table.query(rooms_of(user_id="u"))).items) == 1


async def test_a_hundred_operations_are_one_transaction_and_a_hundred_and_one_are_refused(engine: Engine) -> None:
    rows: list[ItemWrite] = [row("p", f"{number:03d}") for number in range(MAX_TRANSACTION_ITEMS + 1)]

    with pytest.raises(TooLarge) as refused:
        await engine.transact(rows, None)
    assert refused.value.limit == MAX_TRANSACTION_ITEMS
    assert await stored(engine, "p", "000") is None

    await engine.transact(rows[1:], None)
    assert await stored(engine, "p", "001") is not None
    assert await stored(engine, "p", "100") is not None


async def test_no_operations_are_refused(table: Table) -> None:
    operations: list[Operation] = []
    with pytest.raises(BadExpression):
        await table.write(operations=operations)
    with pytest.raises(BadExpression):
        await table.write(account=None)


@pytest.mark.parametrize(
    "second", [row("p", "s"), DeleteItem(RawKey("p", "s")), CheckItem(RawKey("p", "s"), present())]
)
async def test_the_same_item_twice_is_refused_before_anything_is_written(engine: Engine, second: ItemWrite) -> None:
    with pytest.raises(BadExpression, match="twice"):
        await engine.transact([row("p", "s"), row("p", "other"), second], None)

    assert await stored(engine, "p", "s") is None
    assert await stored(engine, "p", "other") is None


async def test_four_megabytes_are_one_transaction_and_one_byte_more_is_refused(engine: Engine, store: Store) -> None:
    count = MAX_TRANSACTION_BYTES // MAX_ITEM_BYTES + 1
    largest = [MAX_TRANSACTION_BYTES // count] * (count - 1)
    rest = MAX_TRANSACTION_BYTES - sum(largest)

    too_much: list[ItemWrite] = [sized("p", f"{n:02d}", size) for n, size in enumerate([*largest, rest + 1])]
    with pytest.raises(TooLarge) as refused:
        await engine.transact(too_much, None)
    assert refused.value.limit == MAX_TRANSACTION_BYTES
    assert await stored(engine, "p", "00") is None

    await engine.transact([sized("p", f"{n:02d}", size) for n, size in enumerate([*largest, rest])], None)
    assert await stored(engine, "p", "00") is not None


async def test_the_values_of_updates_count_towards_four_megabytes(engine: Engine, store: Store) -> None:
    updates = [UpdateItem(RawKey("p", str(number)), (Set("x", "x" * 390_000),)) for number in range(11)]

    refused = await refusal(lambda: engine.transact(updates, None))

    assert refused is (None if gaps.has(store, "transaction-unlimited") else TooLarge)
    assert (await stored(engine, "p", "0") is None) is (refused is not None)


async def test_stored_items_do_not_count_towards_four_megabytes(engine: Engine) -> None:
    rows = [sized("p", f"{number:02d}", 390_000) for number in range(12)]
    for each in rows:
        await engine.write(each)

    await engine.transact([DeleteItem(each.key) for each in rows], None)

    assert await stored(engine, "p", "00") is None


async def test_the_same_token_again_does_nothing_more(table: Table, store: Store, token: str) -> None:
    await _open_accounts(table, a=10)
    operations = (Update(A, add(balance=1)), Create(Room(room_id="r")))
    await table.write(operations=operations, token=token)

    replayed = await refusal(lambda: table.write(operations=operations, token=token))

    # A create that is executed a second time fails; a replay does not.
    assert replayed is (ConditionFailed if gaps.has(store, "token-ignored") else None)
    assert await table.get(A, consistent=True) == Account(account_id="a", balance=11)


async def test_a_single_operation_with_a_token_happens_once(table: Table, store: Store, token: str) -> None:
    await _open_accounts(table, a=10)

    for _ in range(3):
        await table.write(Update(A, add(balance=1)), token=token)

    expected = 13 if gaps.has(store, "token-ignored") else 11
    assert await table.get(A, consistent=True) == Account(account_id="a", balance=expected)


async def test_a_replay_does_nothing_even_after_the_row_changed(table: Table, store: Store, token: str) -> None:
    await _open_accounts(table, a=10)
    await table.write(Update(A, set_to(balance=1)), token=token)
    await table.write(Update(A, set_to(balance=2)))
    await table.write(Update(A, set_to(balance=1)), token=token)

    expected = 1 if gaps.has(store, "token-ignored") else 2
    assert await table.get(A, consistent=True) == Account(account_id="a", balance=expected)


async def test_a_token_with_other_operations_is_refused_and_nothing_is_written(
    engine: Engine, store: Store, token: str
) -> None:
    first: list[ItemWrite] = [row("p", "1", n=1), row("p", "2")]
    await engine.transact(first, token)

    others: list[list[ItemWrite]] = [
        [row("p", "1", n=2), row("p", "2")],
        [row("p", "2"), row("p", "1", n=1)],
        [row("p", "3")],
    ]
    for other in others:
        refused = await refusal(lambda other=other: engine.transact(other, token))  # type: ignore[misc]
        assert refused is (None if gaps.has(store, "token-ignored") else TokenReused)
    if not gaps.has(store, "token-ignored"):
        assert await stored(engine, "p", "1") == {"pk": "p", "sk": "1", "n": 1}
        assert await stored(engine, "p", "3") is None


async def test_the_same_operations_are_the_same_whatever_the_order_of_their_attributes_and_sets(
    engine: Engine, store: Store, token: str
) -> None:
    texts = [f"text {number}" for number in range(20)]
    forward, backward = frozenset(texts), frozenset(reversed(texts))
    key = RawKey("p", "counted")
    await engine.transact([row("p", "s", a=1, b=forward), UpdateItem(key, (Add("n", 1),))], token)

    replayed = await refusal(
        lambda: engine.transact([row("p", "s", b=backward, a=1), UpdateItem(key, (Add("n", 1),))], token)
    )

    assert replayed is None
    counted = await stored(engine, *key)
    assert counted is not None
    assert counted["n"] == (2 if gaps.has(store, "token-ignored") else 1)


async def test_a_transaction_that_failed_does_not_use_up_its_token(table: Table, token: str) -> None:
    with pytest.raises(ConditionFailed):
        await table.write(Update(A, add(balance=1)), token=token)
    await _open_accounts(table, a=1)

    await table.write(Update(A, add(balance=1)), token=token)

    assert await table.get(A, consistent=True) == Account(account_id="a", balance=2)


async def test_a_token_has_1_to_36_characters(engine: Engine, token: str) -> None:
    for bad in ("", token.ljust(37, "x")):
        assert await refusal(lambda bad=bad: engine.transact([row("p", "s")], bad)) is BadExpression  # type: ignore[misc]
    assert await stored(engine, "p", "s") is None
    await engine.transact([row("p", "s")], token.ljust(36, "x"))


async def test_a_token_is_forgotten_after_ten_minutes(memory: EmbeddedEngine, clock: SetClock, token: str) -> None:
    update = UpdateItem(RawKey("p", "s"), (Add("n", 1),))
    await memory.transact([update], token)
    clock.move(seconds=TOKEN_MINUTES * 60 - 1)
    await memory.transact([update], token)
    assert (await stored(memory, "p", "s") or {})["n"] == 1

    clock.move(seconds=1)
    await memory.transact([update], token)
    assert (await stored(memory, "p", "s") or {})["n"] == 2


async def test_failed_condition_is_reported_before_an_invalid_update(engine: Engine, store: Store) -> None:
    await engine.write(row("p", "text", x="text"))
    unfit = UpdateItem(RawKey("p", "text"), (Add("x", 1),))
    unheld = CheckItem(RawKey("p", "none"), present())

    for operations in ([unfit, unheld], [unheld, unfit]):
        refused = await refusal(lambda operations=operations: engine.transact(operations, None))  # type: ignore[misc]
        assert refused is (BadExpression if gaps.has(store, "invalid-update-first") else ConditionFailed)


async def test_update_is_not_evaluated_if_its_condition_fails(engine: Engine) -> None:
    await engine.write(row("p", "text", x="text"))
    unfit = UpdateItem(RawKey("p", "text"), (Add("x", 1),), equals("x", "other"))

    with pytest.raises(ConditionFailed) as failed:
        await engine.transact([row("p", "beside"), unfit], None)

    assert failed.value.failures[0].index == 1


async def test_sets_grow_in_a_transaction(table: Table) -> None:
    seat = Seat(room_id="r", user_id="u", tags=frozenset({"a"}))
    await table.write(Create(seat))

    await table.write(seat=Update(seat.own_key(), add_to_set(tags=["b"])), room=Create(Room(room_id="r")))

    found = await table.get(seat.own_key())
    assert found is not None
    assert found.tags == {"a", "b"}
