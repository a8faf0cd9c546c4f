"""The refusals and failures of records."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden


class StaleVersion(Clash):
    """`current` is the current state."""

    code = "stale_version"
    says = "There is a newer version than the one you saw: review it first."


class DocumentVoid(Clash):
    code = "document_void"
    says = "This document is void."


class AlreadySigned(Clash):
    code = "already_signed"
    says = "You have signed this version already."


class TooManyVersions(Clash):
    code = "too_many_versions"
    says = "This document has the maximum number of versions."


class ExpenseDecided(Clash):
    """`current` is the current state."""

    code = "expense_decided"
    says = "This expense is no longer open."


class OnlyPartiesSign(Forbidden):
    code = "only_parties_sign"
    says = "Only the buyer and the seller may sign a document."


class NotYoursToVoid(Forbidden):
    code = "not_yours_to_void"
    says = "Only its creator may void a draft or an expense, and only an admin a signed document."


class OwnExpense(Forbidden):
    code = "own_expense"
    says = "Only the other side, or an admin who did not submit it, may decide an expense."


class RecordsUnavailable(Busy):
    """The relational store is not available. A write that fails with this may have been committed."""

    says = "The records are not available at the moment: try again."


class RecordsTooNew(RecordsUnavailable):
    """The relational store was written by a newer version of this software; retrying does not help."""
