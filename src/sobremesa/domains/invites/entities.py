"""What every invite stores. Each domain subclasses it and adds its keys and what the invite leads to."""

from __future__ import annotations

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.table import Entity


class InviteRow(Entity):
    """A code that lets people in, so often and for so long."""

    expires = "ttl"

    code: InviteCode
    created_by: UserId | None = None
    expires_at: Instant | None = None
    max_uses: int | None = None
    uses: int = 0
    """Rows of other writers may have no number here, or NULL: both mean that nobody has used it."""
    revoked: bool = False
    created_at: Instant = EPOCH
    ttl: int | None = None
    creator_joined_at: Instant | None = None
    """Since when its creator was a member. It tells which membership the invite ends with, whatever clocks say: an
    invite that is written just before a removal may have been created later by the clock than the removal."""
