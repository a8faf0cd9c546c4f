"""Refusals of conversations."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class BlockedByRecipient(Forbidden):
    code = "blocked"
    says = "This user has blocked you."


class UnknownUsers(Invalid):
    code = "unknown_people"
    says = "Some of these users do not exist."


class InvalidParticipants(Invalid):
    code = "wrong_company"
    says = "A direct conversation has exactly one other participant and no name."


class DirectIsFixed(Clash):
    code = "direct_conversation"
    says = "A direct conversation has two fixed participants and no name."


class AlreadyParticipant(Clash):
    code = "already_member"
    says = "This user is already in the conversation."


class LastAdmin(Clash):
    code = "last_admin"
    says = "A group needs an admin: give another participant the role first."


class TooManyParticipants(Clash):
    code = "too_many_people"
    says = "This group has the maximum number of participants."


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "This was changed at the same time: fetch it again and retry."
