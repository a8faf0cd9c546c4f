"""The progress of a consumer of the change log, and the lease on it."""

from __future__ import annotations

from sobremesa.table import Entity, Keys, Lookup, WritePattern


class Progress(Entity):
    """The position up to which all changes are processed, and the lease of one process."""

    keys = Keys(pk="SYSTEM", sk="FOLLOW#{name}")

    name: str
    position: str | None = None
    holder: str | None = None
    leased_until_ms: int = 0


progress_of = Lookup("FOL.1", "How far has this change consumer read?", Progress, consistent=True)
keep_progress = WritePattern("FOL.2", "Save the progress of a change consumer and renew its lease", Progress)
