"""Why data is not moved."""

from __future__ import annotations

from sobremesa.core.errors import SobremesaError


class MovingError(SobremesaError):
    """The data cannot be moved as requested."""


class BrokenExport(MovingError):
    """An exported file is truncated, was changed, or is not one."""


class TargetInUse(MovingError):
    """The target has data already."""


class KeysDiffer(MovingError):
    """The target has other keys, with which the data would be of no use."""


class OtherNames(MovingError):
    """The target has other names of attributes than the data."""


class StateMismatch(MovingError):
    """The saved progress belongs to something else."""


class StoresDiffer(MovingError):
    """Two stores do not have the same rows."""


class CopyTooOld(MovingError):
    """A copy was interrupted for longer than the changes are kept."""


class StillInUse(MovingError):
    """Servers use the store."""
