"""The base entity of invites. Each domain subclasses it and adds its keys and the target of the invite."""

from __future__ import annotations

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.table import Entity


class InviteRow(Entity):
    """An invite, with an optional number of uses and lifetime."""

    expires = "ttl"

    code: InviteCode
    created_by: UserId | None = None
    expires_at: Instant | None = None
    max_uses: int | None = None
    uses: int = 0
    """Rows of other writers may have no number here, or NULL: both mean that it was never used."""
    revoked: bool = False
    created_at: Instant = EPOCH
    ttl: int | None = None
    shares: int | None = None
    """Into how many rows its uses are divided, so that many users can join at the same time."""
    creator_joined_at: Instant | None = None
    """When its creator joined, which identifies the membership that the invite ends with. Clocks of nodes differ: an
    invite written just before a removal may have a later time than the removal."""
