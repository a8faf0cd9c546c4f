"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from imports.environment import Environment, run_import
from pattern_tests import writes_of
from sobremesa.core.actor import Tenant
from sobremesa.core.clock import instant
from sobremesa.domains.imports import entities as imp
from sobremesa.table import Put, Registry

REGISTRY = Registry.of(imp)
NOW = instant(1_763_000_000_000)


async def test_a_reference_is_found_by_its_tenant_and_key(env: Environment) -> None:
    table = env.app.table
    here, other, elsewhere = [
        imp.ImportReference(
            tenant=Tenant(tenant), key_hash=key, source_key=key, kind="server", target_id="s", created_at=NOW
        )
        for tenant, key in (("t", "a"), ("t", "b"), ("u", "a"))
    ]
    await table.write_many(map(Put, [here, other, elsewhere]))

    assert set(REGISTRY.patterns) == {"IMP.1", "IMP.2", "IMP.3"}
    assert await table.get(imp.reference_of(tenant=Tenant("t"), key_hash="a")) == here
    assert await table.get(imp.reference_of(tenant=Tenant("u"), key_hash="b")) is None


async def test_every_declared_write_happens(env: Environment) -> None:
    line = {"type": "conversation", "key": "k", "members": [env.ana.user_id, env.ben.user_id]}
    await run_import(env.app, [line])

    assert writes_of(REGISTRY) - set(env.app.table.meter.totals()) == set()
