"""Migration from rows of an old shape to rows of a new one, verified, while the table is in use.

A `Recipe` describes one migration: which old rows there are, and what is written for each kind: a copy in a new shape
(`Copy`), or the rows and keys that belong to it (`Companions`). `Migrations` runs the phases:

    planned -> copying -> copied -> cutting -> cut_over      rollback goes back

The state is a row of the table. Every change of phase is conditional on the phase before it, and a lease lets one
process at a time run. A process that is killed leaves the state that it saved last, and every step is idempotent.
Changes of old rows are read from the change log, from the time of the plan on. `Phases` returns the phase to readers:
until the cut-over they look for the new row first, then for the old one.
"""

from sobremesa.work.migration.copies import Copied, fingerprint_of
from sobremesa.work.migration.entities import Migration, Phase
from sobremesa.work.migration.moves import Companions, Copy, Move, Recipe, Step
from sobremesa.work.migration.passes import Progress, Watch
from sobremesa.work.migration.phases import Phases
from sobremesa.work.migration.service import Migrations, Report, no_watch

__all__ = [
    "Companions",
    "Copied",
    "Copy",
    "Migration",
    "Migrations",
    "Move",
    "Phase",
    "Phases",
    "Progress",
    "Recipe",
    "Report",
    "Step",
    "Watch",
    "fingerprint_of",
    "no_watch",
]
