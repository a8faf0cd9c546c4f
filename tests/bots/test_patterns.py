"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bots.test_bots import ACME, BACKEND, new_bot
from communities.environment import Community
from pattern_tests import Asked, PatternTests, require_writes
from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import instant
from sobremesa.domains.bots import entities as bots
from sobremesa.domains.communities.entities import ServerId
from sobremesa.table import Entity, Registry
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(bots)
NOW = instant(1_763_000_000_000)
A, B = UserId("ana"), UserId("ben")
S, T = ServerId("s"), ServerId("t")
OTHER = Tenant("other")


class Dataset(NamedTuple):
    """Two or more rows of every kind, so that a wrong query finds too much."""

    servers: list[bots.ServerBot]
    tenants: list[bots.TenantBot]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


READS: dict[str, Callable[[Dataset], Asked]] = {
    "BOT.1": lambda s: (bots.bots_of_server(server_id=S), s.servers[:2]),
    "BOT.2": lambda s: (bots.server_bot(server_id=S, user_id=B), [s.servers[1]]),
    "BOT.3": lambda s: (bots.bots_of_tenant(tenant=ACME), s.tenants[:2]),
    "BOT.4": lambda s: (bots.tenant_bot(tenant=ACME, user_id=B), [s.tenants[1]]),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS

    def create_dataset(self) -> Dataset:
        of: dict[str, Any] = {"created_by": "olga", "created_at": NOW}
        return Dataset(
            [bots.ServerBot(server_id=at, user_id=who, **of) for at, who in ((S, A), (S, B), (T, A))],
            [bots.TenantBot(tenant=at, user_id=who, **of) for at, who in ((ACME, A), (ACME, B), (OTHER, A))],
        )


async def test_every_declared_write_happens_and_none_goes_without_a_name(community: Community) -> None:
    app = community.app
    unnamed = app.table.meter.totals().get(UNNAMED)
    bot = await app.accounts.authenticate((await new_bot(community)).token)
    await app.bots.create_in_tenant(BACKEND, ACME, username="another")
    await app.bots.revoke_in_server(community.owner, community.server_id, bot.user_id)
    await app.bots.delete_in_server(community.owner, community.server_id, bot.user_id)

    met = app.table.meter.totals()
    require_writes(REGISTRY, met)
    assert met.get(UNNAMED) == unnamed, "every write has a pattern"
