"""Documents, amendments and expenses, as clients and tabs see them."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal, NewType, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.http.endpoints import Output

ThreadId = NewType("ThreadId", str)
DocumentId = NewType("DocumentId", str)
AmendmentId = NewType("AmendmentId", str)
ExpenseId = NewType("ExpenseId", str)
FileId = NewType("FileId", str)

Tab: TypeAlias = Literal["docs", "expenses"]
Role: TypeAlias = Literal["buyer", "seller", "admin"]
DocumentKind: TypeAlias = Literal["contract", "release", "license", "other"]
DocumentState: TypeAlias = Literal["draft", "signed", "void"]
ExpenseState: TypeAlias = Literal["submitted", "approved", "rejected", "void"]
Decision: TypeAlias = Literal["approve", "reject"]


class Signature(Output):
    """A signature, and the role of the user who signed."""

    user_id: UserId
    role: Role
    signed_at: Instant


class Document(Output):
    """A document with the signatures of its current version; `sha256` is the hash of that version's content."""

    document_id: DocumentId
    thread_id: ThreadId
    title: str
    kind: DocumentKind
    state: DocumentState
    current_version: int
    file_id: FileId | None
    sha256: str | None
    signatures: list[Signature]
    created_by: UserId
    created_at: Instant
    updated_at: Instant


class Version(Output):
    """One version of a document, which never changes. Only the requested version comes with its text."""

    version: int
    file_id: FileId | None
    sha256: str | None
    note: str | None
    created_by: UserId
    created_at: Instant
    signatures: list[Signature]


class DocumentInFull(Document):
    """A document with all its versions; `body` is the text of `shownVersion`, unless that is a file."""

    versions: list[Version]
    shown_version: int
    body: str | None


class Amendment(Output):
    """A change of an agreement: an accepted amendment card."""

    amendment_id: AmendmentId
    thread_id: ThreadId
    document_id: DocumentId | None
    card_message_id: MessageId
    summary: str
    payload: dict[str, Any]
    accepted_by: UserId
    accepted_at: Instant


class Expense(Output):
    """An expense. `amount` is in the currency's minor units (cents)."""

    expense_id: ExpenseId
    thread_id: ThreadId
    title: str
    amount: int
    currency: str
    category: str
    receipt_file_id: FileId | None
    incurred_on: date
    state: ExpenseState
    version: int
    created_by: UserId
    created_at: Instant
    decided_by: UserId | None
    decided_at: Instant | None


class Total(Output):
    """The sum of a thread's expenses in one currency and state, in minor units."""

    currency: str
    state: ExpenseState
    amount: int
    count: int


class ExpensePage(Output):
    """One page of expenses, and the totals of all of them."""

    items: list[Expense]
    next: str | None
    totals: list[Total]
