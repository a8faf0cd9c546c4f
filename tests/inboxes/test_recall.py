"""Recalls: nobody sees or counts a recalled message, whatever happens at the same time."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from inboxes.shop import ANA, BEN, CLEO, KEY, NEWS, SHOP, Shop, reader
from inboxes.test_broadcasts import other
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.inboxes import publishing, recalling
from sobremesa.domains.inboxes.delivery import Delivery
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.errors import RecipientsUnknown
from sobremesa.domains.inboxes.events import InboxRef, resolve_counts
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publish_entities import EarlierPublish, Publish
from sobremesa.table import Put

__all__ = ["other"]


async def recall(shop: Shop, message_id: InboxMessageId) -> str:
    return (await shop.inboxes.recall(KEY, SHOP, NEWS, message_id)).state


async def require_exact(shop: Shop, *users: Actor) -> None:
    for who in users:
        assert await shop.count(who) == await shop.recount(who)
    drift = [checked.drift async for checked in shop.inboxes.reconciling.run(dry=True) if checked.drift]
    assert drift == []


async def test_recalled_copies_are_gone_for_all_recipients(shop: Shop) -> None:
    await shop.create_users(ANA, BEN, CLEO)
    kept = await shop.send(ANA, BEN, CLEO, category="c")
    message_id = await shop.send(ANA, BEN, CLEO, category="c")
    await shop.read(ANA, message_id)
    await shop.archive(BEN, message_id)

    assert await recall(shop, message_id) == "recalled"

    for who in (ANA, BEN, CLEO):
        assert await shop.ids(who) == [kept]
        assert await shop.numbers(who) == (1, 1)
        assert not await shop.read(who, message_id)
    await require_exact(shop, ANA, BEN, CLEO)
    assert await recall(shop, message_id) == "recalled", "again, it has no effect"


async def test_recalled_broadcast_leaves_the_counts_of_who_read_it_and_of_who_did_not(shop: Shop) -> None:
    await shop.create_users(ANA, BEN, CLEO)
    await shop.send(category="c")
    message_id = await shop.send(category="c")
    kept = await shop.send(category="d")
    await shop.read(ANA, message_id)
    await shop.read(ANA, kept)
    await shop.archive(BEN, message_id)
    assert [await shop.numbers(who) for who in (ANA, BEN, CLEO)] == [(3, 1), (2, 2), (3, 3)]

    assert await recall(shop, message_id) == "recalled"

    assert [await shop.numbers(who) for who in (ANA, BEN, CLEO)] == [(2, 1), (2, 2), (2, 2)]
    assert message_id not in await shop.ids(ANA)
    assert not await shop.read(CLEO, message_id)
    await require_exact(shop, ANA, BEN, CLEO)
    later = await shop.send()
    assert (await shop.ids(CLEO))[0] == later
    assert await recall(shop, message_id) == "recalled"
    await require_exact(shop, ANA, BEN, CLEO)


async def test_recall_on_another_node_is_seen_within_a_second_and_with_its_event(shop: Shop, other: Shop) -> None:
    await shop.create_users(ANA, BEN)
    kept, message_id = await shop.send(), await shop.send()
    await other.read(BEN, message_id)
    assert await other.ids(ANA) == [message_id, kept]
    assert await other.numbers(BEN) == (2, 1)

    await recall(shop, message_id)

    assert await shop.ids(ANA) == [kept], "the node that answered shows it no more"
    reference = msgspec.json.encode(InboxRef(SHOP, NEWS, f"{message_id} RC"))
    counted = msgspec.json.decode(await resolve_counts(other.inboxes.counting, ANA.user_id, reference))
    assert (counted["total"], counted["unread"]) == (1, 1)
    shop.clock.move(seconds=1)
    assert await other.ids(ANA) == [kept]
    assert await other.numbers(BEN) == (1, 1)
    await require_exact(shop, ANA, BEN)


async def test_list_from_before_a_recall_marks_nothing_that_stays_counted(shop: Shop, other: Shop) -> None:
    await shop.create_users(ANA)
    read, message_id = await shop.send(), await shop.send()
    await shop.read(ANA, read)
    # The page that marking reads, too.
    assert await other.ids(ANA, limit=99) == [message_id, read]
    assert await other.numbers(ANA) == (2, 1)

    await recall(shop, message_id)
    assert await shop.numbers(ANA) == (1, 0)
    await other.inboxes.mark_all_read(ANA, SHOP, NEWS)
    kept = await shop.send()

    assert await shop.ids(ANA) == [kept, read]
    assert await shop.numbers(ANA) == (2, 1)
    await require_exact(shop, ANA)


async def test_recall_during_the_delivery_leaves_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MAX_AT_ONCE", 50)
    people = [f"user-{number:03}" for number in range(120)]
    publish = await shop.publish_to(people, category="c")
    written = Delivery.write
    stopped, going_on = asyncio.Event(), asyncio.Event()

    async def stop_first(self: Delivery, *args: object, **more: object) -> bool:
        stopped.set()
        await going_on.wait()
        return await written(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Delivery, "write", stop_first)
    delivering = asyncio.create_task(shop.app.jobs.run_pending(shop.app.handlers))
    await stopped.wait()

    state = await recall(shop, publish.message_id)
    going_on.set()
    await delivering

    assert state == "recalled"
    for name in people:
        assert await shop.numbers(reader(name)) == (0, 0)
        assert await shop.ids(reader(name)) == []
    found = await shop.inboxes.get_publish(KEY, SHOP, NEWS, publish.message_id)
    assert found.state == "recalled"
    await require_exact(shop, reader(people[0]), reader(people[-1]))


async def test_recall_from_many_is_a_job(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [f"user-{number:03}" for number in range(70)]
    publish = await shop.publish_to(people, category="c")
    monkeypatch.setattr(recalling, "MAX_AT_ONCE", 50)

    assert await recall(shop, publish.message_id) == "recalling"
    assert await recall(shop, publish.message_id) == "recalling"
    await shop.app.jobs.run_pending(shop.app.handlers)

    assert {await shop.numbers(reader(name)) for name in people} == {(0, 0)}
    assert await recall(shop, publish.message_id) == "recalled"
    assert await shop.rows("CHUNK#") == []


async def test_users_mark_a_message_while_it_is_recalled(shop: Shop) -> None:
    people = [reader(f"user-{number}") for number in range(8)]
    await shop.create_users(*people)
    for _ in range(5):
        own, public = await shop.send(*people, category="c"), await shop.send(category="c")
        await asyncio.gather(
            recall(shop, own),
            recall(shop, public),
            *(shop.read(who, message_id) for who in people for message_id in (own, public)),
            *(shop.numbers(who) for who in people),
        )
    await require_exact(shop, *people)
    assert {await shop.numbers(who) for who in people} == {(0, 0)}


async def test_recall_requires_a_key_of_the_tenant_and_a_known_publish(shop: Shop) -> None:
    message_id = await shop.send(ANA)
    with pytest.raises(NotFound):
        await shop.inboxes.recall(KEY, SHOP, InboxKey("other"), message_id)
    with pytest.raises(NotFound):
        await shop.inboxes.recall(KEY, SHOP, NEWS, InboxMessageId("unknown"))
    weak = msgspec.structs.replace(KEY, scopes=frozenset({"inbox:read"}))
    with pytest.raises(Forbidden):
        await shop.inboxes.recall(weak, SHOP, NEWS, message_id)
    done: Publish = EarlierPublish(
        tenant=SHOP, message_id=InboxMessageId("earlier"), inbox=NEWS, state="done", recipients=1
    )
    await shop.app.table.write(Put(done))
    with pytest.raises(RecipientsUnknown):
        await shop.inboxes.recall(KEY, SHOP, NEWS, InboxMessageId("earlier"))
