"""The stored schemas of custom data."""

from __future__ import annotations

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant
from sobremesa.core.custom_data import DataKind
from sobremesa.table import Entity, Keys, Lookup, WritePattern


class DataSchema(Entity):
    """The JSON schema of a tenant for the custom data of one kind."""

    keys = Keys(pk="t#{tenant}DATASCHEMAS", sk="SCHEMA#{kind}")

    tenant: Tenant
    kind: DataKind
    text: str
    """The schema as JSON text: its numbers and empty names need not be values of the table."""
    updated_at: Instant
    updated_by: str
    """The key that set it."""


schema_of = Lookup("DAT.1", "Which schema has custom data of this kind in this tenant?", DataSchema, consistent=True)
set_schema = WritePattern("DAT.2", "Set the schema of custom data of one kind", DataSchema)
remove_schema = WritePattern("DAT.3", "Remove the schema of custom data of one kind", DataSchema)
