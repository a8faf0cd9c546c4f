"""Updates of published messages: all recipients have the last content, whatever happens at the same time."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
import pytest

from inboxes.shop import ANA, BEN, CLEO, KEY, NEWS, SHOP, Shop, reader
from inboxes.test_broadcasts import other
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.inboxes import editing, publishing
from sobremesa.domains.inboxes.delivery import Delivery
from sobremesa.domains.inboxes.editing import Edit
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.errors import BodyBreaksSchema, MessageTooBig, RecipientsUnknown
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publish_entities import EarlierPublish, Publish
from sobremesa.table import Put

__all__ = ["other"]


async def update(shop: Shop, message_id: InboxMessageId, **fields: object) -> str:
    return (await shop.inboxes.update(KEY, SHOP, NEWS, message_id, Edit(**fields))).state  # type: ignore[arg-type]


async def titles(shop: Shop, who: Actor) -> list[str]:
    return [entry.message.message.title for entry in await shop.entries(who)]


@pytest.mark.parametrize("to", [[ANA, BEN], []], ids=["to some", "to everyone"])
async def test_all_recipients_have_the_new_content_and_keep_what_they_did(shop: Shop, to: list[Actor]) -> None:
    await shop.create_users(ANA, BEN)
    message_id = await shop.send(*to, title="Wrong", body="Kept", category="c", cta_uri="https://shop/1")
    await shop.read(ANA, message_id)

    assert await update(shop, message_id, title="Corrected", cta_uri=None) == "done"
    assert await update(shop, message_id, title="Corrected") == "done", "again, it has no effect"
    assert await update(shop, message_id, sender="the shop") == "done", "other fields stay"

    for who, unread in ((ANA, 0), (BEN, 1)):
        [entry] = await shop.entries(who)
        content = entry.message.message
        assert (entry.message.sender, content.title, content.body) == ("the shop", "Corrected", "Kept")
        assert (content.cta_uri, entry.message.category) == (None, "c")
        assert await shop.numbers(who) == (1, unread)


async def test_update_of_a_broadcast_is_seen_on_other_nodes_within_a_second(shop: Shop, other: Shop) -> None:
    await shop.create_users(ANA)
    message_id = await shop.send(title="Wrong")
    assert await titles(other, ANA) == ["Wrong"]

    await update(shop, message_id, title="Corrected")

    assert await titles(shop, ANA) == ["Corrected"], "the node that answered shows it at once"
    shop.clock.move(seconds=1)
    assert await titles(other, ANA) == ["Corrected"]


async def test_update_during_the_delivery_leaves_nobody_with_the_old_content(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "MAX_AT_ONCE", 50)
    people = [f"user-{number:03}" for number in range(120)]
    publish = await shop.publish_to(people, title="Wrong")
    written = Delivery.write
    stopped, going_on = asyncio.Event(), asyncio.Event()
    stops = True

    async def stop_first(self: Delivery, *args: object, **more: object) -> bool:
        if stops:
            stopped.set()
            await going_on.wait()
        return await written(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Delivery, "write", stop_first)
    delivering = asyncio.create_task(shop.app.jobs.run_pending(shop.app.handlers))
    await stopped.wait()
    stops = False

    assert await update(shop, publish.message_id, title="Corrected") == "running"
    going_on.set()
    await delivering

    for name in people:
        assert await titles(shop, reader(name)) == ["Corrected"]
        assert await shop.numbers(reader(name)) == (1, 1)
    found = await shop.inboxes.get_publish(KEY, SHOP, NEWS, publish.message_id)
    assert (found.state, found.delivered) == ("done", 120)


async def test_update_for_many_is_a_job(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [f"user-{number:03}" for number in range(70)]
    publish = await shop.publish_to(people, title="Wrong")
    monkeypatch.setattr(editing, "MAX_AT_ONCE", 50)

    await update(shop, publish.message_id, title="Nearly")
    await update(shop, publish.message_id, title="Corrected")
    await shop.app.jobs.run_pending(shop.app.handlers)

    for name in people:
        assert await titles(shop, reader(name)) == ["Corrected"]


async def test_concurrent_updates_recalls_and_marks_leave_one_content_or_none(shop: Shop) -> None:
    people = [reader(f"user-{number}") for number in range(6)]
    await shop.create_users(*people)
    for turn in range(4):
        own, public = await shop.send(*people), await shop.send()
        fields = [{"title": f"{turn}"}, {"body": f"{turn}"}, {"sender": f"shop {turn}"}]
        recalls = [shop.inboxes.recall(KEY, SHOP, NEWS, own)] if turn == 3 else []

        async def try_to(message_id: InboxMessageId, changes: dict[str, str]) -> None:
            with contextlib.suppress(NotFound):  # it was recalled
                await update(shop, message_id, **changes)

        await asyncio.gather(
            *(try_to(message_id, changes) for message_id in (own, public) for changes in fields),
            *(shop.read(who, message_id) for who in people for message_id in (own, public)),
            *recalls,
        )

        for who in people:
            shown = {entry.message_id: entry.message for entry in await shop.entries(who)}
            assert (own in shown) == (turn < 3)
            for message_id in {own, public} & set(shown):
                message = shown[message_id]
                now = (message.message.title, message.message.body, message.sender)
                assert now == (f"{turn}", f"{turn}", f"shop {turn}")
            assert await shop.count(who) == await shop.recount(who)


async def test_update_requires_a_key_of_the_tenant_and_a_message_that_is_shown(shop: Shop) -> None:
    await shop.create_users(ANA, CLEO)
    message_id = await shop.send(ANA)
    title = Edit(title="Corrected")
    with pytest.raises(NotFound):
        await shop.inboxes.update(KEY, SHOP, InboxKey("other"), message_id, title)
    with pytest.raises(NotFound):
        await update(shop, InboxMessageId("unknown"), title="Corrected")
    weak = msgspec.structs.replace(KEY, scopes=frozenset({"inbox:read"}))
    with pytest.raises(Forbidden):
        await shop.inboxes.update(weak, SHOP, NEWS, message_id, title)
    for recalled in (message_id, await shop.send()):
        await shop.inboxes.recall(KEY, SHOP, NEWS, recalled)
        with pytest.raises(NotFound):
            await update(shop, recalled, title="Corrected")
    expiring = [await shop.send(ANA, ttl="10s"), await shop.send(ttl="10s")]
    shop.clock.move(seconds=20)
    for expired in expiring:
        with pytest.raises(NotFound):
            await update(shop, expired, title="Corrected")
    done: Publish = EarlierPublish(
        tenant=SHOP, message_id=InboxMessageId("earlier"), inbox=NEWS, state="done", recipients=1
    )
    await shop.app.table.write(Put(done))
    with pytest.raises(RecipientsUnknown):
        await update(shop, InboxMessageId("earlier"), title="Corrected")


async def test_updated_content_is_checked_as_a_published_one(shop: Shop) -> None:
    await shop.create_users(ANA)
    schema = {"type": "string"}
    await shop.inboxes.set_inbox(KEY, SHOP, NEWS, title=None, description=None, ttl={}, schema=schema)
    message_id = await shop.send(ANA)
    with pytest.raises(BodyBreaksSchema):
        await update(shop, message_id, body={"no": "text"})
    with pytest.raises(MessageTooBig):
        await update(shop, message_id, body="x" * 40_000)
    assert await titles(shop, ANA) == ["News"]
