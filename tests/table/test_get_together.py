"""Reading several rows at one moment: a transaction of reads."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import assert_type

from sobremesa.core.clock import SetClock
from sobremesa.table import Create, Put, RawKey, Table, Update, add, measure, open_engine
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import MAX_TRANSACTION_ITEMS, Engine
from sobremesa.table.errors import BadExpression, BadKey, TooLarge
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, Seat, refusal, row, sized

TRANSFERS = 60


async def test_rows_of_different_entities_come_in_the_order_of_their_keys(table: Table) -> None:
    head, seat, message = Room(room_id="r"), Seat(room_id="r", user_id="u"), Message(room_id="r", message_id="m")
    await table.write(head=Create(head), seat=Create(seat), message=Create(message))

    found = await table.get_together(message.own_key(), Room.key(room_id="gone"), head.own_key())
    pair = await table.get_together(seat.own_key(), head.own_key())
    same = await table.get_together(*[seat.own_key()] * 4)

    assert_type(found, tuple[Message | None, Room | None, Room | None])
    assert_type(pair, tuple[Seat | None, Room | None])
    assert_type(same, tuple[Seat | None, ...])
    assert found == (message, None, head)
    assert pair == (seat, head)
    assert same == (seat, seat, seat, seat)
    assert await table.get_together() == ()


async def test_it_costs_twice_as_much_as_consistent_reads(engine: Engine, store: Store) -> None:
    await engine.write(sized("p", "small", 100))
    await engine.write(sized("p", "large", 4097))
    keys = [RawKey("p", "small"), RawKey("p", "large"), RawKey("p", "none")]

    read = await engine.transact_get(keys)

    assert set(read.items) == set(keys[:2])
    if not gaps.has(store, "capacity-constant"):
        assert read.capacity == (2 * (1 + 2 + 1), 0)


async def test_up_to_one_hundred_different_keys_are_read(engine: Engine, store: Store) -> None:
    await engine.write(row("p", "007"))
    keys = [RawKey("p", f"{number:03}") for number in range(MAX_TRANSACTION_ITEMS + 1)]
    most = 25 if gaps.has(store, "reads-limited-to-25") else MAX_TRANSACTION_ITEMS

    assert (await engine.transact_get(keys[:most])).items == {keys[7]: {"pk": "p", "sk": "007"}}
    assert await refusal(lambda: engine.transact_get(keys)) is TooLarge
    assert await refusal(lambda: engine.transact_get([])) is BadExpression
    assert await refusal(lambda: engine.transact_get([keys[0], keys[0]])) is BadExpression
    assert await refusal(lambda: engine.transact_get([keys[0], RawKey("", "s")])) is BadKey


async def test_more_than_four_megabytes_are_refused(engine: Engine, store: Store) -> None:
    keys = [RawKey("p", f"{number:02}") for number in range(11)]
    for key in keys:
        await engine.write(sized(key.pk, key.sk, 390_000))

    assert len((await engine.transact_get(keys[:10])).items) == 10
    outcome = await refusal(lambda: engine.transact_get(keys))
    assert outcome is (None if gaps.has(store, "reads-unlimited") else TooLarge)


async def test_no_part_of_a_transaction_is_seen(table: Table, store: Store) -> None:
    one, other = Account(account_id="a", balance=100), Account(account_id="b", balance=100)
    await table.write(one=Create(one), other=Create(other))

    async def transfer() -> None:
        for _ in range(TRANSFERS):
            await table.write(one=Update(one.own_key(), add(balance=-1)), other=Update(other.own_key(), add(balance=1)))

    transferring = asyncio.create_task(transfer())
    if gaps.has(store, "writes-race"):
        await transferring
    is_over = False
    while not is_over:
        is_over = transferring.done()
        first, second = await table.get_together(one.own_key(), other.own_key())
        assert first is not None
        assert second is not None
        assert first.balance + second.balance == 200
        await asyncio.sleep(0)
    await transferring


async def test_no_part_of_another_process_s_transaction_is_seen(tmp_path: Path) -> None:
    """A second engine on the file stands for the other process: it has its own connection."""
    store = f"sqlite:///{tmp_path / 'table.db'}"
    one, other = Account(account_id="a", balance=100), Account(account_id="b", balance=100)
    table = Table(await open_engine(store, janitor=False))
    await table.write(one=Create(one), other=Create(other))

    async def transfer() -> None:
        theirs = Table(await open_engine(store, janitor=False))
        for _ in range(TRANSFERS):
            await theirs.write(
                one=Update(one.own_key(), add(balance=-1)), other=Update(other.own_key(), add(balance=1))
            )
        await theirs.close()

    transferring = threading.Thread(target=lambda: asyncio.run(transfer()))
    transferring.start()
    seen = set()
    while transferring.is_alive():
        # A get caches one of the rows: it must not be mixed with a newer state of the other.
        await table.get(one.own_key())
        first, second = await table.get_together(one.own_key(), other.own_key())
        assert first is not None
        assert second is not None
        seen.add(first.balance)
        assert first.balance + second.balance == 200
        await asyncio.sleep(0)
    assert len(seen) > 1
    await table.close()


async def test_conflicts_and_throttles_are_retried(engine: Engine, clock: SetClock) -> None:
    faulty = FaultyEngine(engine, Rates(conflict=0.3, throttle=0.2), seed=3)
    table = Table(faulty, clock=clock)
    head = Room(room_id="r")
    await table.write(Put(head))

    for _ in range(10):
        assert await table.get_together(head.own_key(), Room.key(room_id="x")) == (head, None)
    assert faulty.injected["conflict"]


async def test_it_is_metered_under_the_pattern_of_its_first_key(table: Table) -> None:
    from table.samples import room

    with measure() as used:
        await table.get_together(room(room_id="r"), Seat.key(room_id="r", user_id="u"))

    assert used.calls == 1
    assert table.meter.totals()["T0"].calls == 1
