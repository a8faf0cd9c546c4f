"""Refusals of invites."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class InviteUsedUp(Clash):
    code = "invite_used_up"
    default_detail = "This invite has no uses left."
