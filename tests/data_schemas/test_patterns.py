"""Every declared access pattern of schemas of custom data is used."""

from __future__ import annotations

from cheap import CHEAP
from pattern_tests import OPENING
from sobremesa.app import REGISTRY as EVERYTHING
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import EPOCH
from sobremesa.core.custom_data import DataKind
from sobremesa.core.settings import Settings
from sobremesa.domains.data_schemas import entities
from sobremesa.domains.data_schemas.entities import DataSchema, schema_of
from sobremesa.table import Create, Registry
from sobremesa.table.capacity import UNNAMED

REGISTRY = Registry.of(entities)


async def test_schema_is_found_by_tenant_and_kind_and_no_other(app: Sobremesa) -> None:
    kinds: tuple[tuple[str, DataKind], ...] = (("a", "user"), ("a", "server"), ("b", "user"))
    rows = [
        DataSchema(tenant=Tenant(tenant), kind=kind, text="{}", updated_at=EPOCH, updated_by="x")
        for tenant, kind in kinds
    ]
    await app.table.write(rows=list(map(Create, rows)))
    assert await app.table.get(schema_of(tenant="a", kind="server")) == rows[1]
    assert await app.table.get(schema_of(tenant="b", kind="server")) is None


async def test_every_declared_pattern_is_used_and_all_requests_are_named() -> None:
    async with Sobremesa.open("sqlite://", settings=Settings(**CHEAP), background=False) as app:
        key = Actor(tenant=Tenant("a"), key_id=KeyId("k"), scopes=frozenset({"rooms:write"}))
        await app.data_schemas.set(key, Tenant("a"), "user", {})
        await app.data_schemas.get(key, Tenant("a"), "user")
        await app.data_schemas.remove(key, Tenant("a"), "user")
        met = set(app.table.meter.totals())
    assert met - OPENING == set(REGISTRY.patterns)
    assert UNNAMED not in met
    assert set(REGISTRY.patterns) <= set(EVERYTHING.patterns)
