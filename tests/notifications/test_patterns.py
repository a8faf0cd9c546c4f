"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from typing import NamedTuple

from notifications.environment import DAY, MINUTE, DigestEnvironment
from pattern_tests import PatternTests, require_writes
from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.notifications import entities as rows
from sobremesa.table import Entity, Registry

REGISTRY = Registry.of(rows)
FAR = 4_102_444_800
A, B = UserId("ana"), UserId("ben")


class Dataset(NamedTuple):
    """Rows of every kind in several partitions, so that a wrong query finds too much."""

    settings: list[rows.NotificationSettings]
    states: list[rows.DigestState]
    due: list[rows.DueDigest]
    sweeps: list[rows.DigestSweep]
    walks: list[rows.DigestWalk]

    def rows(self) -> list[Entity]:
        return [row for kind in self for row in kind]


def create_dataset() -> Dataset:
    return Dataset(
        settings=[rows.NotificationSettings(user_id=user_id, digest="hourly") for user_id in (A, B)],
        states=[rows.DigestState(user_id=user_id, due_ms=1) for user_id in (A, B)],
        due=[
            rows.DueDigest(bucket=bucket, shard=shard, due_ms=due_ms, user_id=user_id, ttl=FAR)
            for bucket, shard in ((1, 2), (1, 3), (2, 2), (12, 2))
            for due_ms in (9, 10, 1_000)
            for user_id in (A, B)
        ],
        sweeps=[rows.DigestSweep(shard=shard, bucket=7) for shard in (1, 2)],
        walks=[
            rows.DigestWalk(tenant=tenant, inbox=inbox, message_id=message_id, received_ms=1, ttl=FAR)
            for tenant in (Tenant("acme"), Tenant("shop"))
            for inbox in ("news", "orders")
            for message_id in ("one", "two")
        ],
    )


class TestPatterns(PatternTests):
    registry = REGISTRY
    whole = {"NOT.3"}
    reads = {
        "NOT.1": lambda dataset: (rows.settings_of(user_id=A), dataset.settings[:1]),
        "NOT.2": lambda dataset: (rows.digest_state_of(user_id=A), dataset.states[:1]),
        "NOT.3": lambda dataset: (rows.due_digests(bucket=1, shard=2), dataset.due[:6]),
        "NOT.4": lambda dataset: (rows.sweep_of(shard=1), dataset.sweeps[:1]),
        "NOT.5": lambda dataset: (rows.walk_of(tenant="acme", inbox="news", message_id="two"), [dataset.walks[1]]),
    }

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.app.notifications.change_settings(ana, digest="daily")
    sent = await env.send(ben, room, "one")
    assert len(await env.digests(after=31 * MINUTE)) == 1
    sent = await env.send(ben, room, "two")
    await env.digests()
    await env.app.conversations.mark_read(ana, room, sent.message_id)
    await env.digests(after=2 * DAY)
    await env.app.notifications.delete_user_data(ana.user_id)
    await env.broadcast()
    await env.digests()
    assert [recounted async for recounted in env.app.recounts().run() if recounted.drift]

    require_writes(REGISTRY, env.app.table.meter.totals())
