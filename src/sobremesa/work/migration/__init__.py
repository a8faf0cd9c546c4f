"""Migration: from rows of an old shape to rows of a new one, with proof, while the table is being used.

A use of it is a `Recipe`: which old rows there are, and what becomes of each kind of them: a copy in a new shape
(`Copy`), or rows and keys that go with it (`Companions`). `Migrations` takes it through its phases:

    planned -> copying -> copied -> cutting -> cut_over      rollback leads back

The state is a row of the table. Every change of phase has the phase before it as its condition, and one process at a
time has the work, by a lease; whoever is killed leaves it where it was last written down, and doing a piece twice is
the same as once. What is written to old rows meanwhile is followed in the change log, from the moment of the plan on.
`Phases` tells readers where it stands: until the cut-over they look for a new row first and for the old one then.
"""

from sobremesa.work.migration.copies import Copied, print_of
from sobremesa.work.migration.entities import Migration, Phase
from sobremesa.work.migration.moves import Companions, Copy, Move, Recipe, Step
from sobremesa.work.migration.passes import Progress, Watch
from sobremesa.work.migration.phases import Phases
from sobremesa.work.migration.service import Migrations, Report, unwatched

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
    "print_of",
    "unwatched",
]
