"""The rows of imports, and their access patterns."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import AuditEntry
from sobremesa.table import Entity, Keys, Lookup, WritePattern

ReferenceKind: TypeAlias = Literal["server", "channel", "conversation"]


class ImportReference(Entity):
    """The server or room that an import created for a key of the source, so that it is created once."""

    keys = Keys(pk="t#{tenant}IMPORT#{key_hash}", sk="IMPORT")

    tenant: Tenant
    key_hash: str
    source_key: str
    kind: ReferenceKind
    target_id: str
    created_at: Instant


reference_of = Lookup("IMP.1", "What did an import create for this key?", ImportReference, consistent=True)
create_reference = WritePattern("IMP.2", "Keep what an import created for a key", ImportReference)
record_import = WritePattern("IMP.3", "Record an import in the audit log", AuditEntry)
