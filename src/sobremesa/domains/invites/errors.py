"""Refusals of invites."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class AlreadyMember(Clash):
    code = "already_member"
    says = "You are already a member."


class InviteUsedUp(Clash):
    code = "invite_used_up"
    says = "This invite has no uses left."
