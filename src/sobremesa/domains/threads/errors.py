"""What threads refuse."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class ThreadNotOpen(Clash):
    code = "thread_not_open"
    says = "This thread is not open: nothing can be added to it."


class Blocked(Forbidden):
    code = "blocked"
    says = "They do not want to hear from you."


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "Somebody changed this at the same moment: look again."


class ListingNeeded(Invalid):
    code = "listing_needed"
    says = "An inquiry is about a listing: name it."


class BuyerIsSeller(Invalid):
    code = "with_oneself"
    says = "A thread is between two people."


class NotInFuture(Invalid):
    code = "not_in_future"
    says = "This moment is not in the future, or too far in it."


class LockedByAnother(Forbidden):
    code = "somebody_elses_lock"
    says = "Only who locked it, or an admin, opens it again."


class AlreadyParticipant(Clash):
    code = "already_participant"
    says = "They are in this thread already."


class TooManyParticipants(Clash):
    code = "too_many_participants"
    says = "This thread has as many participants as a thread may have."


class OwnSideOnly(Forbidden):
    code = "own_side_only"
    says = "One takes people in on one's own side; anybody else is for an admin to take in."


class PartyStays(Clash):
    code = "party_stays"
    says = "A thread keeps its buyer and its seller."


class UnknownCardType(Invalid):
    code = "unknown_card_type"
    says = "There is no such type of card."


class CardChanged(Clash):
    code = "card_changed"
    says = "The card has changed since you saw it: look at `current`."


class CardFinished(Clash):
    code = "card_finished"
    says = "This card is finished: look at `current`."


class NoSuchTransition(Clash):
    code = "no_such_move"
    says = "The card does not go there from its state: look at `current`."


class StaleVersion(Clash):
    code = "stale_version"
    says = "This tab has a snapshot that is as new, or newer: look at `current`."


class SystemTab(Forbidden):
    code = "system_tab"
    says = "This tab shows what is kept elsewhere: only the system writes it."
