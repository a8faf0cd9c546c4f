"""What a migration refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, NotFound


class NotPlanned(NotFound):
    code = "migration_not_planned"
    says = "This migration is not planned yet."


class WrongPhase(Clash):
    """`phase` in the data is where it stands."""

    code = "migration_phase"
    says = "The migration is in another phase."


class MigrationRunning(Clash):
    code = "migration_held"
    says = "Another process is at this migration: wait until it is done, or stop it."


class NotProven(Clash):
    """`complaints` in the data are the first things that are wrong."""

    code = "migration_not_proven"
    says = "The new rows are not the same as the old ones: nothing was cut over."
