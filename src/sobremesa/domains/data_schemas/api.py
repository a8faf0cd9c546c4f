"""Routes of the schemas of custom data, for a product's backend."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.custom_data import DataKind
from sobremesa.domains.data_schemas.errors import BadDataSchema
from sobremesa.domains.data_schemas.service import DataSchemas
from sobremesa.domains.data_schemas.views import DataSchemaView, schema_view
from sobremesa.http.endpoints import Input, Routes


class NewDataSchema(Input):
    """A JSON schema for the custom data of one kind."""

    schema: dict[str, Any]


def routes(schemas: DataSchemas) -> Routes:
    """Return the routes of the schemas of custom data."""
    api = Routes("Data", "JSON schemas of a tenant for custom `data`, by server key.")
    at = "/tenants/{tenant}/data-schemas/{kind}"

    @api.put(at, scope="rooms:write", errors=[BadDataSchema])
    async def set_schema(actor: Actor, tenant: Tenant, kind: DataKind, body: NewDataSchema) -> DataSchemaView:
        """Set the JSON schema that new custom `data` of a kind must match. Every node applies it within a second.

        References lead to `#/$defs/NAME` of the same schema, and form no circle.
        """
        return schema_view(await schemas.set(actor, tenant, kind, body.schema))

    @api.get(at, scope="rooms:write")
    async def get_schema(actor: Actor, tenant: Tenant, kind: DataKind) -> DataSchemaView:
        """Get the JSON schema of a kind of custom data."""
        return schema_view(await schemas.get(actor, tenant, kind))

    @api.delete(at, scope="rooms:write")
    async def remove_schema(actor: Actor, tenant: Tenant, kind: DataKind) -> None:
        """Remove the JSON schema of a kind: any data within the bounds is accepted again."""
        await schemas.remove(actor, tenant, kind)

    return api
