"""Check custom data by the schemas of its tenant, and change those schemas."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple, NoReturn

import jsonschema_rs
import msgspec

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.custom_data import BadData, DataKind, require_bounded
from sobremesa.core.errors import NotFound
from sobremesa.domains.data_schemas.entities import DataSchema, remove_schema, schema_of, set_schema
from sobremesa.domains.data_schemas.errors import BadDataSchema
from sobremesa.domains.data_schemas.limits import MAX_SCHEMA_BYTES, require_cheap
from sobremesa.table import Delete, Put, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import ConditionFailed

CACHED_SECONDS = 1.0
"""For how long a node uses a schema without reading it again."""
CACHE_SIZE = 1000
MAX_ERRORS = 10
"""How many violations a refusal lists."""


class _Known(NamedTuple):
    """A compiled schema, or that there is none, and when it was read."""

    text: str | None
    validator: jsonschema_rs.Validator | None
    at: float


class DataSchemas:
    """The schemas of custom data, by tenant and kind."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._known: Cache[tuple[Tenant, DataKind], _Known] = Cache(CACHE_SIZE)

    async def check(self, tenant: Tenant, kind: DataKind, data: Mapping[str, Any] | None) -> None:
        """Raise BadData unless the data is within the bounds, and matches the schema of its kind in the tenant."""
        if data is None:
            return
        require_bounded(data)
        validator = await self._validator(tenant, kind)
        broken = [] if validator is None else list(validator.iter_errors(data))
        if broken:
            raise BadData(
                "The custom data does not match the schema.",
                errors=[
                    {"in": "body", "pointer": _pointer(error.instance_path), "detail": error.message[:500]}
                    for error in broken[:MAX_ERRORS]
                ],
            )

    async def get(self, actor: Actor, tenant: Tenant, kind: DataKind) -> DataSchema:
        """Return the schema of a kind of custom data."""
        _require_key(actor, tenant)
        found = await self._table.get(schema_of(tenant=tenant, kind=kind))
        if found is None:
            raise NotFound
        return found

    async def set(self, actor: Actor, tenant: Tenant, kind: DataKind, schema: dict[str, Any]) -> DataSchema:
        """Set the schema of a kind. Data that is stored already is not checked again."""
        _require_key(actor, tenant)
        text = msgspec.json.encode(schema).decode()
        if len(text.encode()) > MAX_SCHEMA_BYTES:
            raise BadDataSchema(f"The schema has more than {MAX_SCHEMA_BYTES} bytes.")
        require_cheap(schema)
        validator = await asyncio.to_thread(_compiled, schema)

        row = DataSchema(tenant=tenant, kind=kind, text=text, updated_at=self._clock.now(), updated_by=actor.name)
        await self._table.write(Put(row), pattern=set_schema)
        self._known.keep((tenant, kind), _Known(text, validator, monotonic()))
        return row

    async def remove(self, actor: Actor, tenant: Tenant, kind: DataKind) -> None:
        """Remove the schema of a kind: any data within the bounds is accepted."""
        _require_key(actor, tenant)
        try:
            await self._table.write(Delete(schema_of(tenant=tenant, kind=kind)), pattern=remove_schema)
        except ConditionFailed:
            raise NotFound from None
        self._known.keep((tenant, kind), _Known(None, None, monotonic()))

    async def _validator(self, tenant: Tenant, kind: DataKind) -> jsonschema_rs.Validator | None:
        known = self._known.find((tenant, kind))
        if known is not None and monotonic() - known.at <= CACHED_SECONDS:
            return known.validator
        row = await self._table.get(schema_of(tenant=tenant, kind=kind))
        text = None if row is None else row.text
        if known is None or known.text != text:
            validator = None if text is None else await asyncio.to_thread(_compiled, msgspec.json.decode(text))
        else:
            validator = known.validator
        self._known.keep((tenant, kind), _Known(text, validator, monotonic()))
        return validator


def _require_key(actor: Actor, tenant: Tenant) -> None:
    """Raise NotFound in another tenant, and Forbidden without the scope."""
    actor.require_tenant(tenant)
    actor.require_scope("rooms:write")


def _compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    try:
        # Patterns run in linear time, and references are never fetched.
        return jsonschema_rs.validator_for(schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions())
    except (ValueError, TypeError) as error:
        raise BadDataSchema(str(error).partition("\n")[0][:500]) from None


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside the schema")


def _pointer(path: list[str | int]) -> str:
    return "#/data" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
