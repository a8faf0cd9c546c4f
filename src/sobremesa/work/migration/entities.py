"""The stored state of migrations."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Lookup, WritePattern

Phase: TypeAlias = Literal["planned", "copying", "copied", "cutting", "cut_over", "undoing", "rolled_back"]

DUAL: frozenset[Phase] = frozenset({"planned", "copying", "copied", "cutting"})
"""The phases in which readers look for the new row first, then for the old one."""


class Migration(Entity):
    """The state of one migration, and the lease on it."""

    keys = Keys(pk="MIGRATION#{name}", sk="STATE")

    name: str
    phase: Phase
    options: dict[str, str] = {}
    planned_at: Instant
    changed_at: Instant
    old_rows: int = 0
    """The number of old rows when it was planned."""
    position: str
    """The change log was read up to here."""
    scanned_pk: str | None = None
    scanned_sk: str | None = None
    """The table was scanned up to this key."""
    is_scanned: bool = False
    """Whether the scan reached the end."""
    looked_at: int = 0
    """The number of old rows that this pass has processed."""
    written: int = 0
    """The number of rows written since it was planned."""
    holder: str | None = None
    leased_until_ms: int = 0


migration_of = Lookup("MIG.1", "What is the state of this migration?", Migration, consistent=True)

plan_migration = WritePattern("MIG.2", "Plan a migration", Migration)
change_phase = WritePattern("MIG.3", "Acquire the lease of a migration and change its phase", Migration)
keep_progress = WritePattern("MIG.4", "Save the progress of a migration", Migration)
move_rows = WritePattern("MIG.5", "Write the rows of a migration")
