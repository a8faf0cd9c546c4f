"""Many at once: one winner, no lost sums, and invariants that hold."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from sobremesa.table import OLDEST, Create, Put, Table, Update, add, at_least, equals, set_to
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.retries import Retries
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, messages_of

T = TypeVar("T")


async def together(store: Store, attempts: Iterable[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    """All at once, and what became of each; one after the other on an endpoint that loses parallel writes."""
    if gaps.has(store, "writes-race"):
        return [(await asyncio.gather(attempt, return_exceptions=True))[0] for attempt in attempts]
    return await asyncio.gather(*attempts, return_exceptions=True)


async def test_of_fifty_creates_of_one_key_exactly_one_wins(table: Table, store: Store) -> None:
    creates = (table.write(Create(Room(room_id="r", name=str(number)))) for number in range(50))

    outcomes = await together(store, creates)

    (winner,) = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert sum(isinstance(outcome, ConditionFailed) for outcome in outcomes) == 49
    assert await table.get(Room.key(room_id="r"), consistent=True) == winner


async def test_the_sum_of_two_hundred_adds_is_right(table: Table, store: Store) -> None:
    key = Account.key(account_id="a")
    await table.write(Create(Account(account_id="a")))

    outcomes = await together(store, (table.write(Update(key, add(balance=number))) for number in range(200)))

    assert not any(isinstance(outcome, BaseException) for outcome in outcomes)
    assert await table.get(key, consistent=True) == Account(account_id="a", balance=19_900)


async def test_of_many_who_saw_the_same_version_one_changes_it(table: Table, store: Store) -> None:
    await table.write(Create(Account(account_id="a", balance=7)))
    key = Account.key(account_id="a")

    outcomes = await together(
        store, (table.write(Update(key, set_to(balance=100 + n), when=equals("balance", 7))) for n in range(30))
    )

    assert sum(isinstance(outcome, Account) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, ConditionFailed) for outcome in outcomes) == 29


async def _transfer(table: Table, chance: random.Random, accounts: int) -> bool:
    giver, taker = chance.sample(range(accounts), 2)
    amount = chance.randint(1, 30)
    try:
        await table.write(
            giver=Update(Account.key(account_id=str(giver)), add(balance=-amount), when=at_least("balance", amount)),
            taker=Update(Account.key(account_id=str(taker)), add(balance=amount)),
            log=Create(Message(room_id="log", message_id=f"{chance.getrandbits(60)}", likes=amount)),
        )
    except ConditionFailed:
        return False
    return True


async def test_concurrent_transfers_keep_the_total_and_no_negative_balance(table: Table, store: Store) -> None:
    table = Table(table.engine, retries=Retries(attempts=40, first_pause=0.002, deadline=60.0))
    accounts = 5
    await table.write_many(Put(Account(account_id=str(number), balance=50)) for number in range(accounts))

    async def transfer_often(seed: int) -> int:
        chance = random.Random(seed)
        return sum([await _transfer(table, chance, accounts) for _ in range(10)])

    done = await together(store, map(transfer_often, range(3 if gaps.has(store, "writes-race") else 12)))

    assert all(isinstance(count, int) for count in done), done
    keys = [Account.key(account_id=str(number)) for number in range(accounts)]
    balances = [found.balance for found in await table.get_many(keys, consistent=True) if found is not None]
    assert sum(balances) == 50 * accounts
    assert min(balances) >= 0
    logged = await table.count(messages_of(room_id="log"), consistent=True)
    assert logged.count == sum(count for count in done if isinstance(count, int)) > 0


async def test_reads_beside_writes_never_see_half_a_transaction(memory: EmbeddedEngine) -> None:
    table = Table(memory)
    await table.write(a=Create(Account(account_id="a", balance=100)), b=Create(Account(account_id="b")))
    keys = [Account.key(account_id="a"), Account.key(account_id="b")]

    async def move() -> None:
        for _ in range(100):
            await table.write(giver=Update(keys[0], add(balance=-1)), taker=Update(keys[1], add(balance=1)))

    async def look() -> set[int]:
        seen = set()
        while not moving.done():
            found = await table.get_many(keys, consistent=True)
            seen.add(sum(account.balance for account in found if account is not None))
            await asyncio.sleep(0)
        return seen

    moving = asyncio.create_task(move())
    assert await look() == {100}
    await moving


async def test_every_parallel_write_is_in_the_stream_once(table: Table, store: Store) -> None:
    creates = [table.write(Create(Message(room_id=str(n % 5), message_id=f"{n:03d}"))) for n in range(100)]
    await together(store, creates)

    reader = await table.changes(OLDEST)
    seen: list[str] = []
    while len(seen) < 100:
        batch = await reader.read(10.0)
        assert batch.changes, f"only {len(seen)} changes came"
        seen += [change.key.sk for change in batch.changes]

    assert len(seen) == len(set(seen)) == 100
