"""Refusals of conversations."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class BlockedByRecipient(Forbidden):
    code = "blocked"
    default_detail = "This user has blocked you."


class InvalidParticipants(Invalid):
    code = "wrong_company"
    default_detail = "A direct conversation has exactly one other participant and no name."


class DirectIsFixed(Clash):
    code = "direct_conversation"
    default_detail = "A direct conversation has two fixed participants and no name."


class LastAdmin(Clash):
    code = "last_admin"
    default_detail = "A group needs an admin: give another participant the role first."


class TooManyParticipants(Clash):
    code = "too_many_people"
    default_detail = "This group has the maximum number of participants."
