"""Bad days: throttles, conflicts, lost answers and left-over items, which the table's retries make invisible."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from sobremesa.table import OLDEST, Create, Put, RawKey, Table, Update, add, set_to
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import BatchRead, BatchWritten, DeleteItem, Engine, PutItem
from sobremesa.table.errors import ConditionFailed, Conflict, OutcomeUnknown, StoreFailed, Throttled
from sobremesa.table.retries import Retries
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, Seat, messages_of, post, rooms_of, row, stored

QUICK = Retries(attempts=30, first_pause=0.0001, longest_pause=0.001, budget=100_000)
KEY = Account.key(account_id="a")


async def test_on_a_bad_day_everything_still_happens_just_once(engine: Engine, store: Store) -> None:
    faulty = FaultyEngine(engine, Rates(throttle=0.2, conflict=0.2, lost_response=0.2, unprocessed=0.3), seed=7)
    table = Table(faulty, retries=QUICK)

    await table.write_many(Put(Message(room_id="r", message_id=f"{n:02d}")) for n in range(40))
    await table.write(Put(Account(account_id="a")))
    for number in range(20):
        await table.write(
            account=Update(KEY, add(balance=1)), message=Put(Message(room_id="log", message_id=f"{number:02d}"))
        )

    found = await table.get(KEY, consistent=True)
    assert found is not None
    lost = faulty.injected["lost_response"]
    assert found.balance >= 20 if gaps.has(store, "token-ignored") else found.balance == 20
    assert len([m async for m in table.every(messages_of(room_id="r"))]) == 40
    many = await table.get_many([Message.key(room_id="r", message_id=f"{n:02d}") for n in range(40)])
    assert None not in many
    assert len([item async for item in table.scan(segments=2)]) == 61
    assert min(faulty.injected[fault] for fault in ("throttle", "conflict", "unprocessed")) > 0
    assert lost > 0


async def test_lost_response_to_a_write_that_cannot_be_repeated_is_reported(engine: Engine) -> None:
    faulty = FaultyEngine(engine, Rates(lost_response=1.0))
    table = Table(faulty, retries=QUICK)

    with pytest.raises(OutcomeUnknown):
        await table.write(Create(Account(account_id="a")))
    with pytest.raises(OutcomeUnknown):
        await table.write(Update(KEY, add(balance=1)))

    assert faulty.injected["lost_response"] == 2
    kept = await stored(engine, *KEY.raw)
    assert kept is not None
    assert kept["balance"] == 1


async def test_put_is_retried_after_a_lost_response(memory: EmbeddedEngine) -> None:
    engine = _Failing(memory, [OutcomeUnknown("lost"), StoreFailed("no route")])
    await Table(engine, retries=QUICK).write(Put(Account(account_id="a")))

    assert engine.calls == 3


class _Failing(FaultyEngine):
    """An engine whose first answers are these errors."""

    def __init__(self, engine: Engine, errors: Sequence[Exception]) -> None:
        super().__init__(engine, Rates())
        self.errors = list(errors)
        self.calls = 0

    def _throttle(self) -> None:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)


async def test_conflict_that_is_not_retried_was_not_written(engine: Engine, store: Store) -> None:
    """The caller may write something else then: a lost response before it would forbid that."""
    faulty = FaultyEngine(engine, Rates(conflict=0.4, lost_response=0.4), seed=11)
    table = Table(faulty, retries=QUICK)
    await table.write_many([Put(Account(account_id="a"))])
    conflicts = 0

    for number in range(40):
        message = Put(Message(room_id="log", message_id=f"{number:02d}"))
        try:
            await table.write(account=Update(KEY, add(balance=1)), message=message, retry_conflicts=False)
        except Conflict:
            conflicts += 1

    found = await table.get(KEY, consistent=True)
    assert found is not None
    assert 5 < conflicts < 35
    written = 40 - conflicts
    assert found.balance >= written if gaps.has(store, "token-ignored") else found.balance == written
    assert faulty.injected["lost_response"] > 5


@pytest.mark.parametrize(
    ("error", "calls"), [(Throttled("t"), 2), (Conflict("c"), 2), (OutcomeUnknown("o"), 1), (StoreFailed("s"), 1)]
)
async def test_only_what_passes_is_tried_again_when_a_write_cannot_be_repeated(
    memory: EmbeddedEngine, error: Exception, calls: int
) -> None:
    engine = _Failing(memory, [error])
    table = Table(engine, retries=QUICK)

    try:
        await table.write(Create(Account(account_id="a")))
    except type(error):
        assert calls == 1
    assert engine.calls == calls


@pytest.mark.parametrize("error", [Throttled("t"), Conflict("c"), OutcomeUnknown("o"), StoreFailed("s")])
async def test_reads_and_transactions_are_always_tried_again(memory: EmbeddedEngine, error: Exception) -> None:
    attempts: list[Callable[[Table], Awaitable[object]]] = [
        lambda table: table.get(KEY),
        lambda table: table.get_many([KEY]),
        lambda table: table.query(messages_of(room_id="r")),
        lambda table: table.count(messages_of(room_id="r")),
        lambda table: table.write(account=Put(Account(account_id="a")), room=Put(Room(room_id="r"))),
        lambda table: table.write_many([Put(Account(account_id="a"))]),
        lambda table: table.write(Update(KEY, set_to(balance=1)), token="any"),
    ]
    for attempt in attempts:
        engine = _Failing(memory, [error, error])
        await attempt(Table(engine, retries=QUICK))
        assert engine.calls == 3


async def test_a_refusal_is_not_tried_again(memory: EmbeddedEngine) -> None:
    from sobremesa.table.errors import BadKey

    engine = _Failing(memory, [BadKey("no")])
    with pytest.raises(BadKey):
        await Table(engine, retries=QUICK).get(KEY)
    assert engine.calls == 1
    failing = _Failing(memory, [])
    with pytest.raises(ConditionFailed):
        await Table(failing, retries=QUICK).write(Update(KEY, add(balance=1)))
    assert failing.calls == 1


async def test_patience_ends(memory: EmbeddedEngine) -> None:
    faulty = FaultyEngine(memory, Rates(throttle=1.0))
    table = Table(faulty, retries=Retries(attempts=4, first_pause=0.0, longest_pause=0.0))

    with pytest.raises(Throttled):
        await table.get(KEY)

    assert faulty.injected["throttle"] == 4


async def test_a_batch_that_never_moves_ends_as_a_throttle(memory: EmbeddedEngine) -> None:
    table = Table(
        FaultyEngine(memory, Rates(unprocessed=1.0)), retries=Retries(attempts=3, first_pause=0.0, longest_pause=0.0)
    )

    with pytest.raises(Throttled):
        await table.write_many([Put(Account(account_id="a"))])
    with pytest.raises(Throttled):
        await table.get_many([KEY])


async def test_a_batch_that_moves_slowly_comes_through(memory: EmbeddedEngine) -> None:
    class OneByOne(FaultyEngine):
        async def batch_get(
            self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
        ) -> BatchRead:
            read = await self.engine.batch_get(keys[:1], consistent=consistent, fields=fields)
            return BatchRead(read.items, list(keys[1:]), read.capacity)

        async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
            written = await self.engine.batch_write(operations[:1])
            return BatchWritten(list(operations[1:]), written.capacity)

    table = Table(OneByOne(memory, Rates()), retries=Retries(attempts=2, first_pause=0.0, longest_pause=0.0))
    messages = await post(table, "r", 20)

    assert await table.get_many([message.own_key() for message in messages]) == messages


async def test_the_same_seed_gives_the_same_faults(memory: EmbeddedEngine) -> None:
    async def day(seed: int) -> list[str]:
        faulty = FaultyEngine(memory, Rates.all(0.3), seed=seed)
        received = []
        for number in range(40):
            try:
                await faulty.transact([row("p", str(number))], None)
                received.append("done")
            except (Throttled, Conflict, OutcomeUnknown) as error:
                received.append(type(error).__name__)
        return received

    assert await day(1) == await day(1)
    assert await day(1) != await day(2)


async def test_a_stale_index_shows_what_was_there_before(memory: EmbeddedEngine) -> None:
    table = Table(FaultyEngine(memory, Rates(stale_index=1.0)))
    await table.write(Create(Seat(room_id="r1", user_id="u")))
    assert len((await table.query(rooms_of(user_id="u"))).items) == 1

    await table.write(Create(Seat(room_id="r2", user_id="u")))

    assert len((await table.query(rooms_of(user_id="u"))).items) == 1
    assert await table.get(Seat.key(room_id="r2", user_id="u")) is not None


async def test_repeated_and_late_changes_leave_none_out_and_keep_the_order_of_first_arrival(
    memory: EmbeddedEngine,
) -> None:
    faulty = FaultyEngine(memory, Rates(repeated_change=0.5, late_changes=0.5), seed=3)
    for number in range(50):
        await memory.write(row("p", f"{number:02d}"))

    reader = await faulty.changes(OLDEST)
    seen: dict[str, str] = {}
    received = 0
    while len(seen) < 50:
        for change in (await reader.read(0.0)).changes:
            received += 1
            seen.setdefault(change.id, change.key.sk)

    assert list(seen.values()) == [f"{number:02d}" for number in range(50)]
    assert received > 50


async def test_conflicts_between_many_writers_pass(memory: EmbeddedEngine) -> None:
    faulty = FaultyEngine(memory, Rates(conflict=0.5, lost_response=0.2), seed=11)
    table = Table(faulty, retries=QUICK)
    await memory.write(row(*KEY.raw, accountId="a", balance=0))

    await asyncio.gather(
        *(
            table.write(
                account=Update(KEY, add(balance=1)), message=Create(Message(room_id="r", message_id=str(number)))
            )
            for number in range(40)
        )
    )

    found = await table.get(KEY)
    assert found is not None
    assert found.balance == 40
