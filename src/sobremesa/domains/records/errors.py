"""What records refuse, and what goes wrong under them."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden


class StaleVersion(Clash):
    """`current` in the data is how it is now."""

    code = "stale_version"
    says = "There is a newer version than the one you saw: look at it first."


class DocumentVoid(Clash):
    code = "document_void"
    says = "This document is void."


class AlreadySigned(Clash):
    code = "already_signed"
    says = "You have signed this version already."


class TooManyVersions(Clash):
    code = "too_many_versions"
    says = "This document has as many versions as a document may have."


class ExpenseDecided(Clash):
    """`current` in the data is how it is now."""

    code = "expense_decided"
    says = "This expense is no longer open."


class OnlyPartiesSign(Forbidden):
    code = "only_parties_sign"
    says = "Only the buyer and the seller sign a document."


class NotYoursToVoid(Forbidden):
    code = "not_yours_to_void"
    says = "A draft is made void by who made it, a signed document by an admin, an expense by who submitted it."


class OwnExpense(Forbidden):
    code = "own_expense"
    says = "An expense is decided by the other side, or by an admin who did not submit it."


class RecordsUnavailable(Busy):
    """The relational store cannot be reached, or not now. A write that got this may have happened."""

    says = "The records cannot be reached at the moment: try again."


class RecordsTooNew(RecordsUnavailable):
    """The relational store was written by a newer version of this software; asking again does not help."""
