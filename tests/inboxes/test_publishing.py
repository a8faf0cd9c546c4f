"""Publishing to users and as a broadcast, exactly once, with progress."""

from __future__ import annotations

import asyncio

import pytest

from inboxes.shop import ANA, BEN, CLEO, KEY, NEWS, SHOP, Shop, reader
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId, Tenant, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import MAX_LISTED_USERS, Forbidden, NotFound, UnknownUsers
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes import delivery, publishing
from sobremesa.domains.inboxes.configuring import MAX_CATEGORY
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.errors import (
    BadCategory,
    BadDuration,
    BadRecipients,
    BadSchema,
    BodyBreaksSchema,
    HostIdReused,
    MessageTooBig,
)
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publish_entities import Publish
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import Delete, measure


@pytest.fixture
def at_once(store: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of recipients of a synchronous delivery: fewer on DynamoDB, whose test server is slow."""
    if store.startswith("dynamodb"):
        monkeypatch.setattr(publishing, "MAX_AT_ONCE", 100)
        monkeypatch.setattr(publishing, "CHUNK", 100)
        monkeypatch.setattr(delivery, "CHUNK", 100)
    return publishing.MAX_AT_ONCE


async def test_message_reaches_its_recipients_only(shop: Shop) -> None:
    published = await shop.publish(ANA, BEN, title="Your parcel", body={"parcel": [1, 2.5, None]}, category="orders")

    assert (published.state, published.recipients, published.delivered) == ("done", 2, 2)
    [entry] = await shop.entries(ANA)
    assert entry.message_id == published.message_id
    assert entry.message.message.body == {"parcel": [1, 2.5, None]}
    assert await shop.ids(BEN) == [published.message_id]
    assert await shop.ids(CLEO) == []
    assert await shop.numbers(ANA) == (1, 1)


async def test_a_recipient_cannot_see_the_other_recipients(shop: Shop) -> None:
    await shop.send(ANA, BEN, label="regulars")

    copies = [row for row in await shop.rows("m#") if row["uid"] == "ana"]
    assert [row["audiences"] for row in copies] == [{"kind": "users", "label": "regulars", "uids": ["ana"]}]
    assert "ben" not in str(copies)


async def test_repeated_user_ids_get_the_message_once(shop: Shop) -> None:
    published = await shop.publish(ANA, BEN, ANA, ANA)

    assert published.recipients == 2
    assert await shop.numbers(ANA) == (1, 1)


async def test_broadcast_is_one_row_that_all_users_see(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)

    message_id = await shop.send(category="offers")

    assert len(await shop.rows("m#")) == 1
    assert await shop.ids(ANA) == await shop.ids(BEN) == [message_id]
    assert await shop.numbers(BEN) == (1, 1)


async def test_broadcast_costs_the_same_for_any_number_of_users(shop: Shop) -> None:
    await shop.send(category="offers", ttl="1h")

    async def cost() -> float:
        with measure() as used:
            await shop.send(category="offers", ttl="1h")
        return used.write

    alone = await cost()
    users = [f"user-{number:03}" for number in range(200)]
    await shop.publish_to(users)

    assert await cost() == alone


@pytest.mark.parametrize("recipients", [1, 33, 67])
async def test_few_recipients_have_the_message_when_the_call_returns(shop: Shop, recipients: int) -> None:
    await _all_have_it(shop, recipients)


@pytest.mark.parametrize("store", ["sqlite://"])
async def test_up_to_a_thousand_recipients_have_the_message_when_the_call_returns(shop: Shop) -> None:
    await _all_have_it(shop, publishing.MAX_AT_ONCE)


async def _all_have_it(shop: Shop, recipients: int) -> None:
    users = [f"user-{number:04}" for number in range(recipients)]

    published = await shop.publish_to(users, category="orders", ttl="1h")

    assert (published.state, published.delivered) == ("done", recipients)
    assert sorted(row["uid"] for row in await shop.rows("m#")) == users
    totals = await shop.rows("c#*")
    assert [row["published"] for row in totals] == [1] * recipients
    assert [row["published"] for row in await shop.rows("c#orders")] == [1] * recipients
    assert await shop.inboxes.delivery.recipients(published) == users, "kept for a recall"


async def test_more_than_a_thousand_recipients_are_delivered_by_a_job_with_progress(shop: Shop, at_once: int) -> None:
    count = at_once + 60
    users = [f"user-{number:04}" for number in range(count)]

    published = await shop.publish_to([*users, *users[:50]], category="orders")

    assert (published.state, published.recipients) == ("running", count)
    before = await shop.inboxes.get_publish(KEY, SHOP, NEWS, published.message_id)
    assert (before.delivered, before.state) == (0, "running")
    assert [len(row["uids"]) for row in await shop.rows("CHUNK#")] == [at_once, 60]
    await shop.app.jobs.run_pending(shop.app.handlers)
    after = await shop.inboxes.get_publish(KEY, SHOP, NEWS, published.message_id)
    assert (after.delivered, after.recipients, after.state) == (count, count, "done")
    assert sorted(row["uid"] for row in await shop.rows("m#")) == users
    assert [len(row["uids"]) for row in await shop.rows("CHUNK#")] == [at_once, 60], "kept for a recall"


@pytest.mark.parametrize("store", ["sqlite://"])
async def test_a_call_has_at_most_a_hundred_thousand_recipients(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert publishing.MAX_RECIPIENTS == 100_000
    monkeypatch.setattr(publishing, "MAX_RECIPIENTS", 10_000)  # each has an account, and those take time to create
    users = [f"user-{number:06}" for number in range(10_001)]

    published = await shop.publish_to(users[:10_000])

    assert (published.state, published.recipients) == ("running", 10_000)
    chunks = await shop.rows("CHUNK#")
    assert [row["n"] for row in chunks] == list(range(10))
    assert [uid for row in chunks for uid in row["uids"]] == users[:-1]
    with pytest.raises(BadRecipients):
        await shop.publish_to(users)


async def test_concurrent_deliveries_do_not_repeat_each_other(shop: Shop, at_once: int) -> None:
    published = await shop.publish_to([f"user-{number:04}" for number in range(at_once + 10)])

    await asyncio.gather(*(shop.inboxes.delivery.finish(published) for _ in range(3)))

    found = await shop.inboxes.get_publish(KEY, SHOP, NEWS, published.message_id)
    assert (found.state, found.delivered) == ("done", at_once + 10)
    assert len(await shop.rows("m#")) == at_once + 10
    assert {row["published"] for row in await shop.rows("c#*")} == {1}


async def test_message_that_expires_during_delivery_is_not_delivered_further(shop: Shop, at_once: int) -> None:
    published = await shop.publish_to([f"user-{number:04}" for number in range(at_once + 10)], ttl="60s")
    shop.clock.move(seconds=60)

    await shop.app.jobs.run_pending(shop.app.handlers)

    found = await shop.inboxes.get_publish(KEY, SHOP, NEWS, published.message_id)
    assert (found.state, found.delivered) == ("done", 0)
    assert await shop.rows("m#") == []


async def test_host_system_id_creates_one_message(shop: Shop) -> None:
    first = await shop.publish(ANA, BEN, host_system_id="order-1")
    again = await shop.publish(BEN, ANA, host_system_id="order-1")

    assert (again.message_id, again.recipients, again.state) == (first.message_id, 2, "done")
    assert await shop.numbers(ANA) == (1, 1)
    with pytest.raises(HostIdReused):
        await shop.publish(ANA, BEN, title="Another", host_system_id="order-1")
    with pytest.raises(HostIdReused):
        await shop.publish(ANA, host_system_id="order-1")
    with pytest.raises(HostIdReused):
        await shop.publish(host_system_id="order-1")


@pytest.mark.parametrize("recipients", [0, 3, 40, None])
async def test_concurrent_requests_with_a_host_system_id_create_one_message(
    shop: Shop, at_once: int, recipients: int | None
) -> None:
    recipients = at_once + 1 if recipients is None else recipients

    async def publish() -> str:
        if not recipients:
            return await shop.send(host_system_id="order-1")
        users = [f"user-{number:04}" for number in range(recipients)]
        return (await shop.publish_to(users, host_system_id="order-1")).message_id

    ids = await asyncio.gather(*(publish() for _ in range(5)))
    await shop.app.jobs.run_pending(shop.app.handlers)

    assert len(set(ids)) == 1
    assert len(await shop.rows("m#")) == (recipients or 1)
    assert {row["id"] for row in await shop.rows("CHUNK#")} <= set(ids)


async def test_host_system_id_belongs_to_one_inbox(shop: Shop) -> None:
    first = await shop.send(ANA, host_system_id="order-1")
    other = Shop(shop.app, shop.clock, inbox=InboxKey("alerts"))

    assert await other.send(ANA, host_system_id="order-1") != first


async def test_message_ids_increase_also_under_concurrent_publishes(shop: Shop) -> None:
    await shop.create_users(ANA)

    ids = await asyncio.gather(*(shop.send(category="c", ttl=f"{90 - number}s") for number in range(20)))

    assert len(set(ids)) == 20
    assert await shop.ids(ANA) == sorted(ids, reverse=True)
    assert await shop.numbers(ANA) == (20, 20)


async def test_message_ids_increase_also_if_the_clock_of_a_node_is_behind(shop: Shop, store: str) -> None:
    await shop.create_users(ANA)
    behind = SetClock(shop.clock.now_ms() - 60_000)
    first = await shop.send()

    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), clock=behind, background=False) as app:
        second = await Shop(app, behind).send()
    third = await shop.send()

    assert first < second < third
    assert await shop.ids(ANA) == [third, second, first]


async def test_ambiguous_category_is_refused(shop: Shop) -> None:
    for category in ("*", "", "a#b", "$public", "a\x00", "x" * (MAX_CATEGORY + 1)):
        for users in ((), (ANA,)):
            with pytest.raises(BadCategory):
                await shop.send(*users, category=category)
        with pytest.raises(BadCategory):
            await shop.mute(ANA, category)
        assert await shop.rows("m#") == []


async def test_invalid_user_id_is_refused_before_anything_is_written(shop: Shop) -> None:
    for user_id in ("", "a#b", "*", "$public", "x" * 201):
        notice = Notice(sender="shop", title="News", body="Something new")
        for user_ids in ([ANA.user_id, UserId(user_id)], []):
            with pytest.raises(BadRecipients):
                await shop.inboxes.publish_to_users(KEY, SHOP, NEWS, notice, user_ids)
        assert await shop.rows("m#") == []


async def test_recipients_who_are_not_in_the_tenant_are_refused_by_name(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    await shop.create_users(reader("eve", Tenant("rival")), reader("dan", DEFAULT_TENANT))
    await shop.create_users(reader("gone"), deleted_at=shop.clock.now())
    notice = Notice(sender="shop", title="News", body="Something new", host_system_id="h")

    async def publish(*user_ids: str) -> Publish:
        return await shop.inboxes.publish_to_users(KEY, SHOP, NEWS, notice, [UserId(each) for each in user_ids])

    with pytest.raises(UnknownUsers) as refused:
        await publish("ana", "eve", "ben", "dan", "gone", "nowhere", "eve")
    assert refused.value.data == {"user_ids": ["eve", "dan", "gone", "nowhere"], "count": 4}
    with pytest.raises(UnknownUsers) as refused:
        await publish("ana", *(f"nowhere-{number}" for number in range(350)))
    assert refused.value.data == {"user_ids": [f"nowhere-{number}" for number in range(MAX_LISTED_USERS)], "count": 350}
    assert await shop.rows("m#") == await shop.rows("CHUNK#") == []

    published = await publish("ana", "ben")
    await shop.app.table.write(Delete(user_by_id(user_id=BEN.user_id)))
    assert (await publish("ben", "ana")).message_id == published.message_id  # the same request again


async def test_a_duration_is_a_number_and_a_unit(shop: Shop) -> None:
    for ttl in ("", "1", "d", "0d", "-1d", "1y", "1.5h", "200w4", "99999999w"):
        with pytest.raises(BadDuration):
            await shop.send(ANA, ttl=ttl)
        with pytest.raises(BadDuration):
            await shop.inboxes.set_tenant(KEY, SHOP, title=None, ttl=ttl)
        with pytest.raises(BadDuration):
            await shop.inboxes.set_inbox(KEY, SHOP, NEWS, title=None, description=None, ttl={"default": ttl})


async def test_message_size_is_limited(shop: Shop) -> None:
    with pytest.raises(MessageTooBig):
        await shop.send(ANA, body="x" * 40_000)


async def test_most_specific_rule_determines_the_lifetime_of_a_message(shop: Shop) -> None:
    inboxes = shop.inboxes

    async def lifetime(**notice: str) -> int | None:
        message_id = await shop.send(ANA, **notice)
        [row] = [row for row in await shop.rows("m#") if row["id"] == message_id]
        assert row.get("ttl") == row.get("expiredat")
        return row["expiredat"] - row["received"] // 1000 if "expiredat" in row else None

    assert await lifetime() is None
    await inboxes.set_tenant(KEY, SHOP, title="The shop", ttl="2w")
    assert await lifetime() == 14 * 86400
    rules = {"default": "3d", "offers": "4h"}
    await inboxes.set_inbox(KEY, SHOP, NEWS, title="News", description=None, ttl=rules)
    assert await lifetime(category="orders") == 3 * 86400
    assert await lifetime(category="offers") == 4 * 3600
    assert await lifetime(category="offers", ttl="5m") == 300
    await inboxes.set_inbox(KEY, SHOP, NEWS, title="News", description=None, ttl={"offers": "6s"})
    assert await lifetime(category="orders") == 14 * 86400


async def test_body_must_match_the_schema_of_the_inbox(shop: Shop) -> None:
    async def set_up(schema: object) -> None:
        await shop.inboxes.set_inbox(KEY, SHOP, NEWS, title=None, description=None, ttl={}, schema=schema)

    await set_up({"type": "object", "required": ["parcel"], "properties": {"parcel": {"type": "integer"}}})
    await shop.send(ANA, body={"parcel": 7})
    with pytest.raises(BodyBreaksSchema) as refused:
        await shop.send(body={"parcel": "seven"})
    assert refused.value.data["errors"][0]["pointer"] == "#/body/parcel"
    for schema in ({"type": "nonsense"}, {"$ref": "http://example.com/schema"}, {"$ref": "file:///etc/hosts"}):
        with pytest.raises(BadSchema):
            await set_up(schema)


async def test_inbox_exists_from_its_first_message_on(shop: Shop) -> None:
    with pytest.raises(NotFound):
        await shop.inboxes.get_inbox(KEY, SHOP, NEWS)
    await shop.send(ANA)

    assert (await shop.inboxes.get_inbox(KEY, SHOP, NEWS)).ttl_rules == {}


async def test_publish_is_found_in_its_own_inbox_only(shop: Shop) -> None:
    published = await shop.publish()
    find = shop.inboxes.get_publish

    assert (await find(KEY, SHOP, NEWS, published.message_id)).state == "done"
    for inbox, message_id in ((InboxKey("alerts"), published.message_id), (NEWS, InboxMessageId("nothing"))):
        with pytest.raises(NotFound):
            await find(KEY, SHOP, inbox, message_id)


async def test_key_is_limited_to_its_scopes(shop: Shop) -> None:
    await shop.send(ANA)

    def key(*scopes: str) -> Actor:
        return Actor(tenant=SHOP, key_id=KeyId("k"), scopes=frozenset(scopes))

    inboxes = shop.inboxes
    notice = Notice(sender="s", title="t", body="b")
    for actor in (key("inbox:read"), key("inbox:publish"), ANA):
        with pytest.raises(Forbidden):
            await inboxes.set_tenant(actor, SHOP, title=None, ttl=None)
        with pytest.raises(Forbidden):
            await inboxes.set_inbox(actor, SHOP, NEWS, title=None, description=None, ttl={})
    for actor in (key("inbox:read"), key("inbox:admin"), ANA):
        with pytest.raises(Forbidden):
            await inboxes.publish_to_everyone(actor, SHOP, NEWS, notice)
        with pytest.raises(Forbidden):
            await inboxes.publish_to_users(actor, SHOP, NEWS, notice, [UserId("ana")])
    await inboxes.get_tenant(key("inbox:read"), SHOP)
    await inboxes.get_tenant(key("inbox:admin"), SHOP)
    await inboxes.set_tenant(key("admin"), SHOP, title=None, ttl=None)
