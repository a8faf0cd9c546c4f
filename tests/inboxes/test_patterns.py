"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from communities.environment import PASSWORD, register
from inboxes.shop import KEY, NEWS, SHOP, Shop, reader
from pattern_tests import Asked, PatternTests, writes_of
from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes import entities as inb
from sobremesa.domains.inboxes import publish_entities as pub
from sobremesa.domains.inboxes import publishing
from sobremesa.domains.inboxes.editing import Edit
from sobremesa.domains.inboxes.entities import Category, InboxKey
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.table import Entity, Registry, Update, set_to
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(inb, pub)
FAR = 4_102_444_800
M = [InboxMessageId(f"m{number}") for number in range(4)]
T, RIVAL = Tenant("shop"), Tenant("shopU")
NEW, ALERT = InboxKey("news"), InboxKey("alerts")
A, B = UserId("ana"), UserId("ben")
C, D = Category("c"), Category("d")
OWN: dict[str, Any] = {"tenant": T, "user_id": A, "inbox": NEW}
ALL: dict[str, Any] = {"tenant": T, "inbox": NEW}
PARTITIONS: tuple[dict[str, Any], ...] = (
    OWN,
    {**OWN, "user_id": B},
    {**OWN, "inbox": ALERT},
    {**OWN, "tenant": RIVAL},
)
PUBLIC_PARTITIONS: tuple[dict[str, Any], ...] = (ALL, {**ALL, "inbox": ALERT}, {**ALL, "tenant": RIVAL})


class Dataset(NamedTuple):
    """Rows of every kind in several partitions, so that a wrong query finds too much."""

    settings: list[inb.TenantSettings]
    configs: list[inb.InboxConfig]
    held: list[inb.Held]
    public: list[inb.PublicMessage]
    totals: list[inb.UserStats]
    categories: list[inb.CategoryStats]
    public_totals: list[inb.PublicStats]
    public_categories: list[inb.PublicCategoryStats]
    preferences: list[inb.Preference]
    snoozes: list[inb.Snooze]
    counted: list[inb.Counted]
    public_counted: list[inb.PublicCounted]
    publishes: list[pub.Publish]
    chunks: list[pub.Chunk]
    segments: list[pub.Segment]
    parts: list[pub.SegmentPart]
    earlier: list[Entity]
    claims: list[pub.HostClaim]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


def create_dataset() -> Dataset:
    return Dataset(
        settings=[inb.TenantSettings(tenant=tenant, ttl_text="1d") for tenant in (T, RIVAL)],
        configs=[inb.InboxConfig(tenant=tenant, inbox=inbox) for tenant, inbox in ((T, ALERT), (T, NEW), (RIVAL, NEW))],
        held=[inb.Held(**partition, message_id=message_id) for partition in PARTITIONS for message_id in M[:3]],
        public=[
            inb.PublicMessage(**partition, message_id=message_id) for partition in PUBLIC_PARTITIONS for message_id in M
        ],
        totals=[inb.UserStats(**partition, published=1) for partition in PARTITIONS],
        categories=[
            inb.CategoryStats(**partition, category=category) for partition in PARTITIONS for category in (C, D)
        ],
        public_totals=[inb.PublicStats(**partition, published=1) for partition in PUBLIC_PARTITIONS],
        public_categories=[
            inb.PublicCategoryStats(**partition, category=category)
            for partition in PUBLIC_PARTITIONS
            for category in (C, D)
        ],
        preferences=[inb.Preference(**partition, category=category) for partition in PARTITIONS for category in (C, D)],
        snoozes=[
            inb.Snooze(**partition, message_id=message_id, until=FAR)
            for partition in PARTITIONS
            for message_id in M[:2]
        ],
        counted=[inb.Counted(**partition, event_id="e", expiredat=FAR) for partition in PARTITIONS],
        public_counted=[inb.PublicCounted(**partition, event_id="e", expiredat=FAR) for partition in PUBLIC_PARTITIONS],
        publishes=[
            pub.Publish(tenant=tenant, message_id=message_id, inbox=NEW, state="done")
            for tenant in (T, RIVAL)
            for message_id in M[:2]
        ],
        chunks=[
            pub.Chunk(tenant=T, message_id=message_id, n=n, uids=[A], kept_until=FAR)
            for message_id in M[:2]
            for n in (0, 1, 2)
        ],
        segments=[
            pub.Segment(tenant=tenant, segment=pub.SegmentName(name), version="v2", users=1, updated_at=EPOCH)
            for tenant, name in ((T, "fans"), (T, "fans-2"), (RIVAL, "fans"))
        ],
        parts=[
            pub.SegmentPart(tenant=tenant, segment=pub.SegmentName("fans"), version=version, n=n, uids=[A])
            for tenant in (T, RIVAL)
            for version in ("v1", "v2")
            for n in (0, 1)
        ],
        earlier=[
            pub.EarlierPublish(tenant=T, message_id=M[1], inbox=NEW, state="done"),
            pub.EarlierHostClaim(tenant=T, inbox=ALERT, host_hash="h", message_id=M[1], body_hash="b"),
        ],
        claims=[
            pub.HostClaim(tenant=T, inbox=inbox, host_hash="h", message_id=M[0], body_hash="b")
            for inbox in (NEW, ALERT)
        ],
    )


def held_public(rows: Sequence[inb.PublicMessage]) -> list[inb.HeldPublic]:
    return [inb.HeldPublic(tenant=row.tenant, inbox=row.inbox, message_id=row.message_id) for row in rows]


READS: dict[str, Callable[[Dataset], Asked]] = {
    "S4.1": lambda s: (inb.messages_to(**OWN), s.held[2::-1]),
    "S4.2": lambda s: (inb.public_messages(**ALL), s.public[3::-1]),
    "S4.3": lambda s: (inb.counts_of(**OWN), [s.totals[0], *s.categories[:2]]),
    "S4.4": lambda s: (inb.category_count_of(**OWN, category=D), [s.categories[1]]),
    "S4.5": lambda s: (inb.public_counts(**ALL), [s.public_totals[0], *s.public_categories[:2]]),
    "S4.6": lambda s: (inb.tenant_settings(tenant=RIVAL), [s.settings[1]]),
    "S4.7": lambda s: (inb.inbox_config(tenant=T, inbox=NEW), [s.configs[1]]),
    "INB.1": lambda s: (inb.inboxes_of(tenant=T), s.configs[:2]),
    "INB.2": lambda s: (inb.held_message(**OWN, message_id=M[1]), [s.held[1]]),
    "INB.3": lambda s: (inb.public_message(**ALL, message_id=M[1]), [s.public[1]]),
    "INB.4": lambda s: (inb.count_of(**OWN), [s.totals[0]]),
    "INB.5": lambda s: (inb.held_public(**ALL), held_public(s.public[:4])),
    "INB.7": lambda s: (pub.publish_by_id(tenant=T, message_id=M[1]), [s.publishes[1]]),
    "INB.8": lambda s: (pub.chunk_of(tenant=T, message_id=M[1], n=2), [s.chunks[5]]),
    "INB.9": lambda s: (pub.chunks_of(tenant=T, message_id=M[1]), s.chunks[3:]),
    "INB.10": lambda s: (pub.host_claim(tenant=T, inbox=ALERT, host_hash="h"), [s.claims[1]]),
    "INB.17": lambda s: (pub.earlier_publish_by_id(tenant=T, message_id=M[1]), [s.earlier[0]]),
    "INB.18": lambda s: (pub.earlier_host_claim(tenant=T, inbox=ALERT, host_hash="h"), [s.earlier[1]]),
    "INB.14": lambda s: (pub.segment_by_name(tenant=T, segment="fans"), [s.segments[0]]),
    "INB.19": lambda s: (pub.segments_of(tenant=T), sorted(s.segments[:2], key=lambda row: row.segment)),
    "INB.15": lambda s: (pub.users_in(tenant=T, segment="fans", version="v2"), s.parts[2:4]),
    "INB.16": lambda s: (pub.parts_of(tenant=T, segment="fans"), s.parts[:4]),
    "INB.11": lambda s: (inb.preferences_of(**OWN), s.preferences[:2]),
    "INB.12": lambda s: (inb.snoozes_of(**OWN), s.snoozes[:2]),
    "INB.13": lambda s: (
        inb.everything_of(**OWN),
        [
            s.totals[0],
            *s.categories[:2],
            *s.held[:3],
            *s.preferences[:2],
            s.counted[0],
            *s.snoozes[:2],
        ],
    ),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS
    whole = ("INB.13", "INB.19")

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens_in_one_story_and_none_goes_without_a_name(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = shop.app
    dora = await register(app, "dora")
    await app.table.write(Update(user_by_id(user_id=dora.user_id), set_to(tenant=SHOP, digest_shard=None)))
    dora = reader(dora.user_id)
    await shop.require_accounts([dora.user_id, *(f"user-{number}" for number in range(41))])
    unnamed = app.table.meter.totals()[UNNAMED].calls
    await shop.inboxes.set_tenant(KEY, SHOP, title="The shop", ttl="1d")
    await shop.inboxes.set_inbox(KEY, SHOP, NEWS, title="News", description=None, ttl={})
    own = await shop.send(dora, category="c")
    await shop.send(category="c", ttl="10s", host_system_id="h")
    await shop.publish_to([f"user-{number}" for number in range(40)])
    await shop.inboxes.set_segment(KEY, SHOP, pub.SegmentName("fans"), [dora.user_id])
    monkeypatch.setattr(publishing, "MAX_AT_ONCE", 40)
    await shop.publish_to([f"user-{number}" for number in range(41)])  # by a job
    await app.jobs.run_pending(app.handlers)
    await shop.count(dora)
    for message_id in (own, await shop.send(category="c")):
        await shop.inboxes.update(KEY, SHOP, NEWS, message_id, Edit(title="Corrected"))
    await shop.inboxes.recall(
        KEY, SHOP, NEWS, (await shop.publish_to([f"user-{number}" for number in range(3)])).message_id
    )
    await shop.inboxes.recall(KEY, SHOP, NEWS, await shop.send(category="c"))
    await shop.read(dora, own)
    await shop.mute(dora, "c")
    shop.clock.move(seconds=10)
    await shop.consume(*await shop.removed_by_the_store())
    await shop.count(dora)
    assert app.table.meter.totals()[UNNAMED].calls == unnamed
    await app.accounts.delete_me(dora, password=PASSWORD)
    await app.jobs.run_pending(app.handlers)

    met = app.table.meter.totals()
    writes = writes_of(REGISTRY)
    assert writes - set(met) == set()
    assert [row for row in await shop.rows() if row.get("uid") == dora.user_id] == []


async def test_export_contains_the_inbox_data_of_the_user(shop: Shop) -> None:
    dora = await register(shop.app, "dora")
    await shop.app.table.write(Update(user_by_id(user_id=dora.user_id), set_to(tenant=SHOP, digest_shard=None)))
    dora = reader(dora.user_id)
    own, snoozed = await shop.send(dora, category="c"), await shop.send()
    await shop.read(dora, own)
    await shop.snooze(dora, snoozed, seconds=60)
    await shop.mute(dora, "c")

    lines = [line async for line in shop.inboxes.cleanup.export(dora.user_id)]

    assert [(line["kind"], line.get("messageId")) for line in lines] == [
        ("inboxReceipt", snoozed),
        ("inboxMessage", own),
        ("inboxPreference", None),
        ("inboxSnooze", snoozed),
    ]
