"""What a conversation refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class BlockedByRecipient(Forbidden):
    code = "blocked"
    says = "They do not want to hear from you."


class UnknownUsers(Invalid):
    code = "unknown_people"
    says = "Some of these people do not exist."


class InvalidParticipants(Invalid):
    code = "wrong_company"
    says = "A direct conversation is with one other person, and has no name."


class DirectIsFixed(Clash):
    code = "direct_conversation"
    says = "A direct conversation is between two people: nobody joins or leaves, and it has no name of its own."


class AlreadyParticipant(Clash):
    code = "already_member"
    says = "They are in this conversation already."


class LastAdmin(Clash):
    code = "last_admin"
    says = "A group is never without an admin: give somebody else the role first."


class TooManyParticipants(Clash):
    code = "too_many_people"
    says = "This group has as many people as a group may have."


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "Somebody changed this at the same moment: look again."
