"""The refusals of threads."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class ThreadNotOpen(Clash):
    code = "thread_not_open"
    says = "This thread is not open: nothing can be added to it."


class Blocked(Forbidden):
    code = "blocked"
    says = "You have been blocked."


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "This was changed at the same time: fetch it again."


class ListingNeeded(Invalid):
    code = "listing_needed"
    says = "An inquiry requires a `listingId`."


class BuyerIsSeller(Invalid):
    code = "with_oneself"
    says = "The seller must be another user than the buyer."


class NotInFuture(Invalid):
    code = "not_in_future"
    says = "This time is not in the future, or too far in the future."


class LockedByAnother(Forbidden):
    code = "somebody_elses_lock"
    says = "Only the user who locked this thread, or an admin, may reopen it."


class AlreadyParticipant(Clash):
    code = "already_participant"
    says = "This user is already a participant."


class TooManyParticipants(Clash):
    code = "too_many_participants"
    says = "This thread has the maximum number of participants."


class OwnSideOnly(Forbidden):
    code = "own_side_only"
    says = "You may add users on your own side only; an admin may add others."


class PartyStays(Clash):
    code = "party_stays"
    says = "The buyer and the seller cannot be removed."


class UnknownCardType(Invalid):
    code = "unknown_card_type"
    says = "There is no such card type."


class CardChanged(Clash):
    code = "card_changed"
    says = "The card has changed since you saw it: see `current`."


class CardFinished(Clash):
    code = "card_finished"
    says = "This card is in a final state: see `current`."


class NoSuchTransition(Clash):
    code = "no_such_move"
    says = "The card has no such transition from its state: see `current`."


class StaleVersion(Clash):
    code = "stale_version"
    says = "This tab has a snapshot that is as new or newer: see `current`."


class SystemTab(Forbidden):
    code = "system_tab"
    says = "Only the system may write this tab."
