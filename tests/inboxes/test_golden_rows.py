"""Rows that another program wrote by the design of the inboxes: they load, count, and can be marked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inboxes.shop import ANA, BEN, NEWS, SHOP, Shop
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import Ids
from sobremesa.domains.inboxes import entities as inb
from sobremesa.domains.inboxes import publish_entities as pub
from sobremesa.domains.inboxes.configuring import Configuring
from sobremesa.domains.inboxes.message_ids import LENGTH, MessageIds, first_after
from sobremesa.table import Entity, Layout, RawKey, Registry
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part
from sobremesa.table.values import Item

LAYOUT = Layout()
FAR = 4_102_444_800
OWN = "t#shopU#ana#news"
PUBLIC = "t#shopG#$public#news"


def message(pk: str, message_id: str, uid: str, **attributes: Any) -> Item:
    return {
        "pk": pk,
        "sk": f"m#{message_id}",
        "kind": "UM",
        "id": message_id,
        "host_system_id": "order-1",
        "sender": "shop",
        "received": 1_763_000_000_000,
        "delivered": 1_763_000_000_100,
        "expiredat": FAR,
        "taxonomy": {"category": "offers"},
        "message": {"title": "Half price", "body": {"percent": 50}, "cta_uri": "https://example.com/"},
        "tenant_key": "shop",
        "inbox_key": "news",
        "uid": uid,
        **attributes,
    }


SAMPLES: dict[str, tuple[type[Entity], Item]] = {
    "tenant settings": (
        inb.TenantSettings,
        {
            "pk": "t#shop",
            "sk": "st#tenant_settings",
            "kind": "TS",
            "title": "The shop",
            "ttl": "30d",
            "tenant_key": "shop",
            "uid": "admin",
        },
    ),
    "an inbox": (
        inb.InboxConfig,
        {
            "pk": "t#shop",
            "sk": "si#news",
            "kind": "IC",
            "title": "News",
            "description": "What is new",
            "ttl": {"default": "30d", "offers": "7d"},
            "tenant_key": "shop",
            "inbox_key": "news",
            "uid": "admin",
        },
    ),
    "a message to a user": (
        inb.Held,
        message(
            OWN,
            "mhz0k3a1x",
            "ana",
            audiences={"kind": "users", "label": "regulars", "uids": ["ana", "ben"]},
            readat=None,
        ),
    ),
    "a message to everyone": (
        inb.PublicMessage,
        message(PUBLIC, "mhz0k3b2y", "$public", audiences={"kind": "everyone", "label": "all", "uids": []}),
    ),
    "a receipt": (
        inb.Held,
        {
            "pk": OWN,
            "sk": "m#mhz0k3b2y",
            "taxonomy": {"category": "offers"},
            "readat": 1_763_000_000_200,
            "expiredat": FAR,
        },
    ),
    "the counts of a user": (
        inb.UserStats,
        {
            "pk": OWN,
            "sk": "c#*",
            "kind": "US",
            "published": 1,
            "read": 1,
            "tenant_key": "shop",
            "inbox_key": "news",
            "uid": "ana",
        },
    ),
    "the counts of a user in a category": (
        inb.CategoryStats,
        {"pk": OWN, "sk": "c#offers", "kind": "US", "published": 1, "read": 1},
    ),
    "everyone's counts": (
        inb.PublicStats,
        {
            "pk": PUBLIC,
            "sk": "c#*",
            "kind": "US",
            "published": 1,
            "tenant_key": "shop",
            "inbox_key": "news",
            "uid": "$public",
        },
    ),
    "everyone's counts of a category": (
        inb.PublicCategoryStats,
        {"pk": PUBLIC, "sk": "c#offers", "kind": "US", "published": 1},
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_documented_row_loads_and_its_keys_are_byte_identical(name: str) -> None:
    entity, item = SAMPLES[name]

    loaded = entity.from_item(item, LAYOUT)

    stored = loaded.to_item(LAYOUT)
    assert (stored["pk"], stored["sk"]) == (item["pk"], item["sk"])
    lost = {field: value for field, value in item.items() if value is not None and stored.get(field) != value}
    assert lost == {}
    found = Registry.of(inb, pub).entity_of(item, LAYOUT)
    assert found is not None
    assert found.keys.pk == entity.keys.pk
    assert found.keys.sk == entity.keys.sk


@pytest.mark.parametrize(
    ("entity", "parts", "pk", "sk"),
    [
        (inb.TenantSettings, {}, "t#T", "st#tenant_settings"),
        (inb.InboxConfig, {"inbox": "I"}, "t#T", "si#I"),
        (inb.UserMessage, {"user_id": "u", "inbox": "I", "message_id": "x"}, "t#TU#u#I", "m#x"),
        (inb.ReadReceipt, {"user_id": "u", "inbox": "I", "message_id": "x"}, "t#TU#u#I", "m#x"),
        (inb.PublicMessage, {"inbox": "I", "message_id": "x"}, "t#TG#$public#I", "m#x"),
        (inb.UserStats, {"user_id": "u", "inbox": "I"}, "t#TU#u#I", "c#*"),
        (inb.CategoryStats, {"user_id": "u", "inbox": "I", "category": "c"}, "t#TU#u#I", "c#c"),
        (inb.PublicStats, {"inbox": "I"}, "t#TG#$public#I", "c#*"),
        (inb.PublicCategoryStats, {"inbox": "I", "category": "c"}, "t#TG#$public#I", "c#c"),
        (inb.Preference, {"user_id": "u", "inbox": "I", "category": "c"}, "t#TU#u#I", "p#c"),
        (inb.Snooze, {"user_id": "u", "inbox": "I", "message_id": "x"}, "t#TU#u#I", "z#x"),
        (inb.Counted, {"user_id": "u", "inbox": "I", "event_id": "e"}, "t#TU#u#I", "x#e"),
        (inb.PublicCounted, {"inbox": "I", "event_id": "e"}, "t#TG#$public#I", "x#e"),
        (pub.Publish, {"message_id": "x"}, "t#TJ#x", "JOB"),
        (pub.EarlierPublish, {"message_id": "x"}, "t#T", "JOB#x"),
        (pub.Chunk, {"message_id": "x", "n": 7}, "t#TJ#x", "CHUNK#00007"),
        (pub.HostClaim, {"inbox": "I", "host_hash": "h"}, "t#TH#I#h", "HOST"),
        (pub.EarlierHostClaim, {"inbox": "I", "host_hash": "h"}, "t#T", "HOST#I#h"),
    ],
)
def test_keys_match_the_design_document(entity: type[Entity], parts: dict[str, Any], pk: str, sk: str) -> None:
    assert entity.key(tenant="T", **parts).raw == RawKey(pk, sk)


async def write_samples(shop: Shop) -> None:
    for _, item in SAMPLES.values():
        await shop.app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))


async def test_rows_of_another_writer_can_be_used(shop: Shop) -> None:
    await write_samples(shop)
    await shop.create_users(ANA)

    assert await shop.ids(ANA) == ["mhz0k3b2y", "mhz0k3a1x"]
    assert await shop.numbers(ANA) == (2, 1)
    assert await shop.read(ANA, "mhz0k3a1x")
    assert not await shop.read(ANA, "mhz0k3b2y")
    assert await shop.numbers(ANA) == (2, 0)
    new = await shop.send()
    assert (await shop.ids(ANA))[0] == new
    assert await shop.count(ANA) == await shop.recount(ANA)
    config = await Configuring(shop.app.table).rules(SHOP, NEWS)
    assert config.lifetime(None, "offers") == 7 * 86400


async def test_late_user_does_not_see_earlier_messages_of_another_writer(shop: Shop) -> None:
    await write_samples(shop)
    await shop.create_users(BEN)

    assert await shop.ids(BEN) == []
    assert await shop.numbers(BEN) == (0, 0)
    new = await shop.send()
    assert await shop.ids(BEN) == [new]
    assert await shop.numbers(BEN) == (1, 1)


async def test_receipt_without_a_message_is_not_listed(shop: Shop) -> None:
    await shop.create_users(ANA)
    receipt = {"pk": OWN, "sk": "m#zzzzzzzz", "taxonomy": {"category": "offers"}, "readat": 1_763_000_000_200}
    await shop.app.table.engine.write(PutItem(RawKey(OWN, "m#zzzzzzzz"), receipt))

    assert await shop.ids(ANA) == []
    assert await shop.numbers(ANA) == (0, 0)


async def test_wrong_counts_of_another_writer_are_corrected_at_the_first_read(shop: Shop) -> None:
    await shop.create_users(ANA)
    await write_samples(shop)
    for pk in (OWN, PUBLIC):
        await shop.app.table.engine.write(
            PutItem(RawKey(pk, "c#*"), {"pk": pk, "sk": "c#*", "published": 70, "read": 9})
        )

    assert await shop.count(ANA) == await shop.recount(ANA)


# Keys


def fits_a_key(text: str) -> bool:
    try:
        check_part("part", text)
    except BadKey:
        return False
    return True


parts = st.one_of(st.text(alphabet="UGJtm*$ab", min_size=1, max_size=6), st.text(min_size=1, max_size=12)).filter(
    fits_a_key
)


@given(tenant=parts, user_id=parts, inbox=parts, other=parts, third=parts)
@example(tenant="aU", user_id="u", inbox="i", other="a", third="U")
@example(tenant="U", user_id="G", inbox="J", other="UU", third="t")
def test_key_is_unique_to_tenant_user_and_inbox(tenant: str, user_id: str, inbox: str, other: str, third: str) -> None:
    own, public = inb.Held.keys.pk, inb.HeldPublic.keys.pk
    key = own.format({"tenant": tenant, "user_id": user_id, "inbox": inbox})
    everyones = public.format({"tenant": tenant, "inbox": inbox})

    assert own.parse(key) == {"tenant": tenant, "user_id": user_id, "inbox": inbox}
    assert public.parse(everyones) == {"tenant": tenant, "inbox": inbox}
    assert public.parse(key) is None
    assert own.parse(everyones) in (None, own.parse(everyones))
    another = own.format({"tenant": other, "user_id": third, "inbox": inbox})
    assert (another == key) == ((other, third) == (tenant, user_id))
    settings, chunks = inb.TenantSettings.keys.pk, pub.Chunk.keys.pk
    for pk in (key, everyones):
        assert settings.parse(pk) is None
        assert chunks.parse(pk) is None
    assert len({settings.format({"tenant": name}) for name in (tenant, other, f"{tenant}U")} & {key, everyones}) == 0


@given(tenant=parts, inbox=parts)
def test_broadcast_partition_never_equals_a_user_partition(tenant: str, inbox: str) -> None:
    everyones = inb.HeldPublic.keys.pk.format({"tenant": tenant, "inbox": inbox})

    assert inb.Held.keys.pk.parse(everyones) is None


@given(steps=st.lists(st.integers(min_value=-3, max_value=5), max_size=40))
def test_ids_have_a_fixed_width_start_with_the_time_and_only_increase(steps: list[int]) -> None:
    clock = SetClock()
    ids = MessageIds(Ids(clock))
    minted = []
    for step in steps:
        clock.move(seconds=step / 1000)
        minted.append(ids.mint())

    assert minted == sorted(set(minted))
    for message_id in minted:
        assert len(message_id) == LENGTH
        assert message_id == message_id.lower()
    fresh = ids.mint_after(None)
    assert all(message_id < fresh for message_id in minted)


def test_id_is_greater_than_the_one_it_must_follow() -> None:
    clock = SetClock()
    ids = MessageIds(Ids(clock))
    there = MessageIds(Ids(SetClock(clock.now_ms() + 50_000))).mint()

    assert ids.mint_after(there) > there
    assert ids.mint_after("zyzzzzzz-of-another-writer") > "zyzzzzzz-of-another-writer"
    assert ids.mint() > first_after(clock.now_ms())
    assert ids.mint_after(there)[: len(first_after(0))] >= first_after(clock.now_ms())
