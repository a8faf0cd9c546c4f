"""Schemas of custom data as clients see them."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant
from sobremesa.core.custom_data import DataKind
from sobremesa.domains.data_schemas.entities import DataSchema
from sobremesa.http.endpoints import Output


class DataSchemaView(Output):
    """The JSON schema of a kind of custom data."""

    tenant: Tenant
    kind: DataKind
    schema: dict[str, Any]
    updated_at: Instant


def schema_view(row: DataSchema) -> DataSchemaView:
    return DataSchemaView(row.tenant, row.kind, msgspec.json.decode(row.text), row.updated_at)
