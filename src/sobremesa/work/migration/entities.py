"""Migrations: how far each has come."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Lookup, WritePattern

Phase: TypeAlias = Literal["planned", "copying", "copied", "cutting", "cut_over", "undoing", "rolled_back"]

DUAL: frozenset[Phase] = frozenset({"planned", "copying", "copied", "cutting"})
"""The phases in which readers look for the new row first and for the old one then."""


class Migration(Entity):
    """The state of one migration, and who is at it."""

    keys = Keys(pk="MIGRATION#{name}", sk="STATE")

    name: str
    phase: Phase
    options: dict[str, str] = {}
    planned_at: Instant
    changed_at: Instant
    old_rows: int = 0
    """How many old rows there were when it was planned."""
    position: str
    """The change log was followed up to here."""
    scanned_pk: str | None = None
    scanned_sk: str | None = None
    """The table was looked through up to this key."""
    is_scanned: bool = False
    """Was it looked through to its end?"""
    looked_at: int = 0
    """How many old rows this pass has come by."""
    written: int = 0
    """How many rows were written since it was planned."""
    holder: str | None = None
    leased_until_ms: int = 0


migration_of = Lookup("MIG.1", "How far has this migration come?", Migration, consistent=True)

plan_migration = WritePattern("MIG.2", "Plan a migration", Migration)
change_phase = WritePattern("MIG.3", "Take a migration, from one phase to the next", Migration)
keep_progress = WritePattern("MIG.4", "Write down how far a migration has come", Migration)
move_rows = WritePattern("MIG.5", "Write what a migration makes")
