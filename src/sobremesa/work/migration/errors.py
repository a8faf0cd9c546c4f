"""The errors of migrations."""

from __future__ import annotations

from sobremesa.core.errors import Clash, NotFound


class NotPlanned(NotFound):
    code = "migration_not_planned"
    default_detail = "This migration is not planned yet."


class WrongPhase(Clash):
    """`phase` in the data is the current phase."""

    code = "migration_phase"
    default_detail = "The migration is in another phase."


class MigrationRunning(Clash):
    code = "migration_held"
    default_detail = "Another process is running this migration. Wait until it is done, or stop it."


class NotProven(Clash):
    """`mismatches` in the data are the first differences."""

    code = "migration_not_proven"
    default_detail = "The new rows differ from the old ones. Nothing was cut over."
