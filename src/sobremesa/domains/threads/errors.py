"""The refusals of threads."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class ThreadNotOpen(Clash):
    code = "thread_not_open"
    default_detail = "This thread is not open: nothing can be added to it."


class Blocked(Forbidden):
    code = "blocked"
    default_detail = "You have been blocked."


class ListingNeeded(Invalid):
    code = "listing_needed"
    default_detail = "An inquiry requires a `listingId`."


class BuyerIsSeller(Invalid):
    code = "with_oneself"
    default_detail = "The seller must be another user than the buyer."


class NotInFuture(Invalid):
    code = "not_in_future"
    default_detail = "This time is not in the future, or too far in the future."


class LockedByAnother(Forbidden):
    code = "locked_by_another"
    default_detail = "Only the user who locked this thread, or an admin, may reopen it."


class AlreadyParticipant(Clash):
    code = "already_participant"
    default_detail = "This user is already a participant."


class TooManyParticipants(Clash):
    code = "too_many_participants"
    default_detail = "This thread has the maximum number of participants."


class OwnSideOnly(Forbidden):
    code = "own_side_only"
    default_detail = "You may add users on your own side only; an admin may add others."


class PartyStays(Clash):
    code = "party_stays"
    default_detail = "The buyer and the seller cannot be removed."


class UnknownCardType(Invalid):
    code = "unknown_card_type"
    default_detail = "There is no such card type."


class CardChanged(Clash):
    code = "card_changed"
    default_detail = "The card has changed since you saw it: see `current`."


class CardFinished(Clash):
    code = "card_finished"
    default_detail = "This card is in a final state: see `current`."


class NoSuchTransition(Clash):
    code = "no_such_move"
    default_detail = "The card has no such transition from its state: see `current`."


class SystemTab(Forbidden):
    code = "system_tab"
    default_detail = "Only the system may write this tab."
