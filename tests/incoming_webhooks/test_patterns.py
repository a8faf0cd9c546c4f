"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from communities.environment import Community
from incoming_webhooks.test_posting import new_hook
from pattern_tests import Asked, PatternTests, require_writes
from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.clock import instant
from sobremesa.core.ids import RoomId
from sobremesa.domains.incoming_webhooks import entities as hooks
from sobremesa.domains.incoming_webhooks.entities import HookId
from sobremesa.table import Entity, Registry
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(hooks)
NOW = instant(1_763_000_000_000)
C, D = RoomId("c"), RoomId("d")


class Dataset(NamedTuple):
    """Rows of two rooms, so that a wrong query finds too much."""

    hooks: list[hooks.IncomingHook]

    def rows(self) -> list[Entity]:
        return [*self.hooks]


READS: dict[str, Callable[[Dataset], Asked]] = {
    "HOOK.1": lambda s: (hooks.hooks_of(room_id=C), s.hooks[:2]),
    "HOOK.2": lambda s: (hooks.hook_by_id(room_id=C, hook_id="h2"), [s.hooks[1]]),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS

    def create_dataset(self) -> Dataset:
        return Dataset(
            [
                hooks.IncomingHook(
                    room_id=room_id, hook_id=HookId(hook_id), room_kind="channel", user_id=UserId(hook_id), name="CI",
                    tenant=DEFAULT_TENANT, hash="x", created_by="olga", created_at=NOW,
                )
                for room_id, hook_id in ((C, "h1"), (C, "h2"), (D, "h3"))
            ]
        )  # fmt: skip


async def test_every_declared_write_happens_and_none_goes_without_a_name(community: Community) -> None:
    app = community.app
    unnamed = app.table.meter.totals().get(UNNAMED)
    created = await new_hook(community)
    await app.incoming_webhooks.delete(community.owner, "channel", community.channel_id, created.hook.hook_id)
    await new_hook(community)
    await app.communities.delete_channel(community.owner, community.channel_id)
    await app.jobs.run_pending(app.handlers)

    met = app.table.meter.totals()
    require_writes(REGISTRY, met)
    assert met.get(UNNAMED) == unnamed, "every write has a pattern"
