"""How far a follower of the change log has come, and who is following now."""

from __future__ import annotations

from sobremesa.table import Entity, Keys, Lookup, WritePattern


class Progress(Entity):
    """Up to where everything was done; and until when one process has the work for itself."""

    keys = Keys(pk="SYSTEM", sk="FOLLOW#{name}")

    name: str
    position: str | None = None
    holder: str | None = None
    leased_until_ms: int = 0


progress_of = Lookup("FOL.1", "How far has this follower come?", Progress, consistent=True)
keep_progress = WritePattern("FOL.2", "Write down how far a follower has come, and hold on to the work", Progress)
