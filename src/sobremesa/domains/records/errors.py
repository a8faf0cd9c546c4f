"""The refusals and failures of records."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden


class DocumentVoid(Clash):
    code = "document_void"
    default_detail = "This document is void."


class AlreadySigned(Clash):
    code = "already_signed"
    default_detail = "You have signed this version already."


class TooManyVersions(Clash):
    code = "too_many_versions"
    default_detail = "This document has the maximum number of versions."


class ExpenseDecided(Clash):
    """`current` is the current state."""

    code = "expense_decided"
    default_detail = "This expense is no longer open."


class OnlyPartiesSign(Forbidden):
    code = "only_parties_sign"
    default_detail = "Only the buyer and the seller may sign a document."


class NotYoursToVoid(Forbidden):
    code = "not_yours_to_void"
    default_detail = "Only its creator may void a draft or an expense, and only an admin a signed document."


class OwnExpense(Forbidden):
    code = "own_expense"
    default_detail = "Only the other side, or an admin who did not submit it, may decide an expense."


class RecordsUnavailable(Busy):
    """The relational store is not available. A write that fails with this may have been committed."""

    default_detail = "The records are not available at the moment: try again."


class RecordsTooNew(RecordsUnavailable):
    """The relational store was written by a newer version of this software; retrying does not help."""
