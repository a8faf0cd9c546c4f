"""Lists of threads, which show copies in the rows of the reader: these agree with the heads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sobremesa.core.errors import ChangedMeanwhile
from sobremesa.domains.threads.entities import Thread, participant_of
from sobremesa.domains.threads.inbox import AT_ONCE
from sobremesa.domains.threads.participants import departure_operations
from sobremesa.rooms.sending import Draft
from sobremesa.table import Update, set_to
from threads.conftest import Ahead
from threads.environment import PLATFORM, Deal, new_person, requests


async def listed(deal: Deal, *, exact: bool = False) -> tuple[Any, ...]:
    """Return the only thread in the buyer's list."""
    [one] = (await deal.app.threads.list_threads(deal.buyer, limit=5, exact=exact))[0]
    return one.thread, one.unread


async def is_copied(deal: Deal) -> bool:
    """Return whether the list needs no other row than the buyer's."""
    with requests(deal.app) as asked:
        await deal.app.threads.list_threads(deal.buyer, limit=5)
    return dict(asked) == {"query": 1}


async def agrees(deal: Deal) -> bool:
    return await listed(deal) == await listed(deal, exact=True)


CHANGES: dict[str, Callable[[Deal], Awaitable[Any]]] = {
    "a message": lambda deal: deal.send(deal.buyer, "hello"),
    "a message of another": lambda deal: deal.send(deal.seller, "hello"),
    "a lock": lambda deal: deal.app.threads.set_status(deal.seller, deal.thread_id, "locked"),
    "data": lambda deal: deal.app.threads.set_data(deal.seller, deal.thread_id, {"order": 1.5}),
    "much data": lambda deal: deal.app.threads.set_data(deal.seller, deal.thread_id, {"order": "x" * 1000}),
    "a participant": lambda deal: deal.join("gus", "buyer"),
    "a removal": lambda deal: deal.app.threads.participants.remove(PLATFORM, deal.thread_id, deal.admin.user_id),
    "a mute": lambda deal: deal.app.threads.set_preferences(deal.buyer, deal.thread_id, muted=True),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_list_shows_each_change_at_once_and_so_after_the_next_message(
    deal: Deal, clock: Ahead, change: str
) -> None:
    await deal.send(deal.buyer, "hello")

    clock.move(seconds=1)
    await CHANGES[change](deal)
    assert await agrees(deal)
    if change != "a lock":
        clock.move(seconds=1)
        await deal.send(deal.buyer, "hello again")
        assert await agrees(deal)


async def test_list_reads_one_page_of_the_index_also_with_data_and_when_closed(deal: Deal, clock: Ahead) -> None:
    await deal.send(deal.buyer, "hello")
    assert await is_copied(deal)

    await deal.app.threads.set_data(deal.buyer, deal.thread_id, {"order": 1})
    assert not await is_copied(deal), "the head has what no message has copied"
    clock.move(seconds=1)
    await deal.send(deal.buyer, "hello again")
    assert await is_copied(deal)
    clock.move(seconds=1)
    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    assert await is_copied(deal)
    assert (await listed(deal))[0].status == "archived"


async def test_message_of_an_older_version_outdates_the_copy(deal: Deal, clock: Ahead) -> None:
    await deal.send(deal.buyer, "hello")
    clock.move(seconds=1)
    sent = await deal.send(deal.seller, "written by a version without copies")

    older = set_to(last_message_at="2999-01-01T00:00:00.000Z")
    await deal.app.table.write(Update(participant_of(room_id=deal.thread_id, user_id=deal.buyer.user_id), older))

    assert not await is_copied(deal)
    assert (await listed(deal))[0].last_message_id == sent.message_id


@pytest.mark.parametrize("change", ["data", "city", "departure"])
async def test_consumer_removes_copies_of_what_changed_without_a_message(deal: Deal, clock: Ahead, change: str) -> None:
    await deal.app.change_consumer.catch_up()
    await deal.send(deal.buyer, "hello")
    assert await is_copied(deal)

    if change == "departure":
        admin = await deal.participant(deal.admin)
        assert admin is not None
        await deal.app.table.write(departure=departure_operations(await deal.thread(), admin, clock.now()))
    else:
        new = {"data": {"order": 2}} if change == "data" else {"city": "Houston"}
        await deal.app.table.write(Update(Thread.key(room_id=deal.thread_id), set_to(**new)))
    await deal.app.change_consumer.catch_up()

    assert await agrees(deal)


async def test_message_authorized_before_a_change_copies_the_thread_as_it_is(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    await deal.send(deal.buyer, "hello")
    write, changed = deal.app.table.write, list[bool]()

    async def changing(*operations: Any, **options: Any) -> Any:
        if not changed:
            changed.append(True)
            await deal.app.threads.set_data(deal.seller, deal.thread_id, {"order": 1})
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", changing)
    clock.move(seconds=1)
    await deal.send(deal.buyer, "hello again")

    assert (await listed(deal))[0].data == {"order": 1}
    assert await is_copied(deal)


async def test_list_agrees_after_concurrent_messages_and_changes(deal: Deal, clock: Ahead) -> None:
    threads = deal.app.threads
    guests = [await new_person(deal.app, f"guest{number}") for number in range(3)]

    async def try_to(change: Awaitable[Any]) -> None:
        with contextlib.suppress(ChangedMeanwhile):  # another change was faster
            await change

    for number in range(3):
        clock.move(seconds=1)
        await asyncio.gather(
            *(try_to(threads.send(who, deal.thread_id, Draft(who.username))) for who in (deal.buyer, deal.seller)),
            try_to(threads.set_data(deal.seller, deal.thread_id, {"order": number})),
            try_to(threads.participants.add(PLATFORM, deal.thread_id, guests[number].user_id, "seller")),
            try_to(threads.send(deal.admin, deal.thread_id, Draft("hello"))),
        )
        assert await agrees(deal)


async def test_thread_of_more_participants_than_a_message_updates_has_no_copies(deal: Deal, clock: Ahead) -> None:
    await deal.send(deal.buyer, "hello")
    for number in range(AT_ONCE):
        clock.move(seconds=1)
        await deal.join(f"guest{number}", "seller")
        assert await agrees(deal)
    clock.move(seconds=1)
    await deal.send(deal.buyer, "hello, everyone")
    await deal.app.threads.close()

    assert not await is_copied(deal)
    assert await agrees(deal)
    assert len((await listed(deal))[0].participants) == AT_ONCE + 3
