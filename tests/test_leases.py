"""A lease has one holder at a time, a killed holder is replaced, and a holder that lost its lease stops."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from servers import Endpoint
from sobremesa.core.clock import Clock, SetClock, SystemClock
from sobremesa.core.lease import RENEWALS, Lease, LeaseLost
from sobremesa.table import Entity, Keys, Table, Update, WritePattern, equals, set_to
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import Engine, ItemWrite, Written
from sobremesa.table.errors import OutcomeUnknown
from sobremesa.table.updates import Changes
from table.engines import dynamo, embedded

SECONDS = 0.3
SLOW_SECONDS = 0.1
SOON_SECONDS = 30


class Chair(Entity):
    """A row with a lease."""

    keys = Keys(pk="CHAIR", sk="CHAIR")

    holder: str | None = None
    leased_until_ms: int = 0
    sittings: int = 0


class SlowEngine(FaultyEngine):
    """Every write takes `SLOW_SECONDS` of the clock, and the responses of the first `lost` writes are lost."""

    def __init__(self, engine: Engine, clock: SetClock) -> None:
        super().__init__(engine, Rates())
        self._set_clock = clock
        self.lost = 0

    async def write(self, operation: ItemWrite) -> Written:
        await asyncio.sleep(0)  # others may call meanwhile
        self._set_clock.move(seconds=SLOW_SECONDS)
        written = await super().write(operation)
        if self.lost:
            self.lost -= 1
            raise OutcomeUnknown("the response was lost")
        return written


take_chair = WritePattern("T.1", "Take the chair", Chair)


@pytest.fixture(params=["embedded", "dynamodb"])
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    clock = SystemClock()
    if request.param == "embedded":
        async with embedded(None, clock) as engine:
            yield Table(engine, clock=clock)
    else:
        endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
        async with dynamo(endpoint, clock) as dynamo_engine:
            yield Table(dynamo_engine, clock=clock)


def lease_on(table: Table, clock: Clock | None = None, seconds: float = SECONDS) -> Lease[Chair]:
    return Lease(table, clock or SystemClock(), Chair.key(), seconds=seconds, pattern=take_chair, creates=True)


async def stored(table: Table) -> Chair:
    chair = await table.get(Chair.key(), consistent=True)
    assert chair is not None
    return chair


async def test_two_holders_never_hold_it_at_once(table: Table) -> None:
    holding: set[str] = set()
    most_at_once = 0
    sittings = 0

    async def sit(name: str) -> None:
        nonlocal most_at_once, sittings
        lease = lease_on(table, seconds=5)
        while sittings < 20:
            if await lease.acquire(set_to(holder=name)) is None:
                await asyncio.sleep(0)
                continue
            holding.add(name)
            most_at_once = max(most_at_once, len(holding))
            sittings += 1
            await lease.renew(set_to(sittings=sittings))
            assert (await stored(table)).holder == name
            holding.discard(name)
            await lease.release()

    async with asyncio.timeout(SOON_SECONDS):
        await asyncio.gather(*(sit(f"guest {number}") for number in range(5)))

    assert most_at_once == 1
    assert (await stored(table)).sittings >= 20


async def test_of_many_that_acquire_at_the_same_moment_one_succeeds(table: Table) -> None:
    clock = SetClock()

    acquired = await asyncio.gather(*(lease_on(table, clock).acquire() for _ in range(10)))

    assert len([each for each in acquired if each is not None]) == 1


async def test_another_holder_takes_over_when_the_lease_expires_and_not_before(table: Table) -> None:
    clock = SetClock()
    killed, next_holder = lease_on(table, clock), lease_on(table, clock)
    await killed.acquire(set_to(holder="killed"))

    assert next_holder.is_held_by_another(await stored(table))
    assert await next_holder.acquire(set_to(holder="next")) is None
    clock.move(seconds=SECONDS + 0.001)
    assert not next_holder.is_held_by_another(await stored(table))
    assert await next_holder.acquire(set_to(holder="next")) is not None

    with pytest.raises(LeaseLost):
        await killed.renew()
    await killed.release()
    assert (await stored(table)).holder == "next"
    await next_holder.renew()


async def test_a_lease_that_is_renewed_does_not_expire(table: Table) -> None:
    # Long enough that a pause of a busy machine does not let it expire.
    holder, other = lease_on(table, seconds=3), lease_on(table)
    await holder.acquire(set_to(holder="first"))
    saved = 0

    def save() -> Changes:
        nonlocal saved
        saved += 1
        return set_to(sittings=saved)

    async with holder.renewing(save):
        async with asyncio.timeout(SOON_SECONDS):
            while saved <= RENEWALS:
                assert await other.acquire(set_to(holder="other")) is None
                await asyncio.sleep(SECONDS / 10)

    assert (await stored(table)).sittings >= saved - 1
    await holder.release()
    assert await other.acquire(set_to(holder="other")) is not None


async def test_a_holder_that_lost_its_lease_is_stopped(table: Table) -> None:
    holder, thief = lease_on(table), lease_on(table, seconds=60)
    await holder.acquire(set_to(holder="first"))
    await table.write(Update(Chair.key(), set_to(leased_until_ms=0)))
    assert await thief.acquire(set_to(holder="second")) is not None

    with pytest.raises(LeaseLost):
        async with asyncio.timeout(SOON_SECONDS), holder.renewing():
            await asyncio.Event().wait()

    await thief.renew()


async def test_a_holder_that_cannot_renew_is_stopped_when_its_lease_expires() -> None:
    clock = SystemClock()
    async with embedded(None, clock) as engine:
        lease = lease_on(Table(engine, clock=clock))
        await lease.acquire()
        await engine.close()

        with pytest.raises(LeaseLost):
            async with asyncio.timeout(SOON_SECONDS), lease.renewing():
                await asyncio.Event().wait()


async def test_an_unexpected_error_of_a_renewal_stops_the_holder_and_is_raised(table: Table) -> None:
    lease = lease_on(table, seconds=3)
    await lease.acquire()
    bug = ValueError("no such sitting")

    def save() -> Changes:
        raise bug

    with pytest.raises(ValueError, match="no such sitting") as caught:
        async with asyncio.timeout(SOON_SECONDS), lease.renewing(save):
            await asyncio.Event().wait()

    assert caught.value is bug


async def test_an_error_of_the_work_passes_through_unchanged(table: Table) -> None:
    lease = lease_on(table, seconds=60)
    await lease.acquire()
    cause = OSError("the leg broke")

    with pytest.raises(RuntimeError) as caught:
        async with lease.renewing():
            raise RuntimeError("the chair fell") from cause

    assert caught.value.__cause__ is cause


async def test_lost_responses_leave_the_lease_with_its_holder() -> None:
    clock = SetClock()
    async with embedded(None, clock) as engine:
        faulty = FaultyEngine(engine, Rates(lost_response=0.5))
        lease = lease_on(Table(faulty, clock=clock), clock)
        other = lease_on(Table(engine, clock=clock), clock)
        acquired = None
        while acquired is None:
            with contextlib.suppress(OutcomeUnknown):
                acquired = await lease.acquire()

        for _ in range(20):
            clock.move(seconds=SECONDS / 2)
            await lease.renew()
            assert await other.acquire() is None

        assert faulty.injected["lost_response"] > 5


@pytest.mark.parametrize(("renewals", "lost"), [(1, 0), (1, 2), (2, 0)], ids=["once", "repeated", "after another"])
async def test_a_renewal_is_stored_with_its_whole_time_from_the_start_of_its_last_attempt(
    renewals: int, lost: int
) -> None:
    clock = SetClock()
    async with embedded(None, clock) as engine:
        slow = SlowEngine(engine, clock)
        lease = lease_on(Table(slow, clock=clock), clock)
        await lease.acquire()
        slow.lost = lost

        await asyncio.gather(*(lease.renew() for _ in range(renewals)))

        last_attempt_ms = clock.now_ms() - round(SLOW_SECONDS * 1000)
        chair = await stored(Table(engine, clock=clock))
        assert chair.leased_until_ms == last_attempt_ms + round(SECONDS * 1000)


async def test_a_released_lease_is_free_at_once_or_after_a_pause(table: Table) -> None:
    clock = SetClock()
    first, second = lease_on(table, clock), lease_on(table, clock)
    await first.acquire()
    await first.release()
    assert await second.acquire() is not None

    await second.release(set_to(holder=None), after=5)
    assert await first.acquire() is None
    assert await second.acquire() is None
    clock.move(seconds=5.001)
    assert await first.acquire() is not None


async def test_other_conditions_of_the_row_apply_too(table: Table) -> None:
    lease = lease_on(table)
    await lease.acquire(set_to(sittings=1))
    await lease.release()

    assert await lease.acquire(when=equals("sittings", 2)) is None
    assert await lease.acquire(when=equals("sittings", 1)) is not None
    with pytest.raises(LeaseLost):
        await lease.renew(when=equals("sittings", 2))
