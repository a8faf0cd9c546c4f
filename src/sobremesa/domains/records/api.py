"""The routes of documents, amendments and expenses."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import StaleVersion
from sobremesa.domains.records.checks import MAX_AMOUNT
from sobremesa.domains.records.errors import (
    AlreadySigned,
    DocumentVoid,
    ExpenseDecided,
    NotYoursToVoid,
    OnlyPartiesSign,
    OwnExpense,
    TooManyVersions,
)
from sobremesa.domains.records.views import (
    Amendment,
    Decision,
    Document,
    DocumentId,
    DocumentInFull,
    DocumentKind,
    Expense,
    ExpenseId,
    ExpensePage,
    FileId,
    ThreadId,
)
from sobremesa.http.endpoints import IdempotencyKey, Input, Listed, PageQuery, Routes
from sobremesa.work.idempotency import KeyReused

if TYPE_CHECKING:
    from sobremesa.domains.records.opening import RecordsStore

MAX_TEXT_CHARACTERS = 100_000
MAX_DOCUMENT_BYTES = 1_000_000
# Not blank, and no null character, which PostgreSQL does not store. No character may match two parts of the pattern:
# a long text that fails at its end would take quadratic time.
NOT_BLANK = r"^\s*[^\s\u0000][^\u0000]*$"
NO_NULL = r"^[^\u0000]*$"

Title = Annotated[
    str, msgspec.Meta(min_length=1, max_length=200, pattern=NOT_BLANK, examples=["License for the brochure"])
]
Text = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=MAX_TEXT_CHARACTERS,
        pattern=NOT_BLANK,
        examples=["The pictures may be printed in the brochure of 2027."],
    ),
]
Note = Annotated[str, msgspec.Meta(max_length=1000, pattern=NO_NULL, examples=["The second page is new"])]
File = Annotated[FileId, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.:-]+$")]
Seen = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description="The version that you saw.", examples=[1])]
Amount = Annotated[int, msgspec.Meta(ge=1, le=MAX_AMOUNT, description="In minor units: cents.", examples=[129_00])]
Currency = Annotated[str, msgspec.Meta(min_length=3, max_length=3, pattern=r"^[A-Z]{3}$", examples=["EUR"])]
Category = Annotated[str, msgspec.Meta(min_length=1, max_length=50, pattern=NOT_BLANK, examples=["travel"])]


class NewDocument(Input):
    """A document to create; its first version is a text or a file."""

    title: Title
    kind: DocumentKind
    body: Text | None = None
    file_id: File | None = None
    note: Note | None = None


class NewVersion(Input):
    """A version to add after the one that you saw: a text or a file."""

    version: Seen
    body: Text | None = None
    file_id: File | None = None
    note: Note | None = None


class NewSignature(Input):
    """The version to sign."""

    version: Seen


class DocumentQuery(Input):
    """The version whose text to return; by default the current one."""

    version: Seen | None = None


class NewExpense(Input):
    """An expense to submit."""

    title: Title
    amount: Amount
    currency: Currency
    category: Category
    incurred_on: Annotated[date, msgspec.Meta(examples=["2026-11-16"])]
    receipt_file_id: File | None = None


class NewDecision(Input):
    """A decision about an expense, and the version that you saw."""

    decision: Decision
    version: Seen


def routes(store: RecordsStore) -> Routes:
    """Return the routes of a thread's documents, amendments and expenses."""
    api = Routes("Records", "Documents, amendments and expenses of a thread.")

    @api.post("/threads/{thread_id}/documents", status=201, errors=[KeyReused], max_body=MAX_DOCUMENT_BYTES)
    async def create_document(
        actor: Actor, thread_id: ThreadId, body: NewDocument, idempotency_key: IdempotencyKey | None
    ) -> DocumentInFull:
        """Create a document: a draft, with its first version."""
        return await store.records.create_document(
            actor,
            thread_id,
            title=body.title,
            kind=body.kind,
            body=body.body,
            file_id=body.file_id,
            note=body.note,
            key=idempotency_key,
        )

    @api.get("/threads/{thread_id}/documents", cacheable=True)
    async def list_documents(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[Document]:
        """List the documents of a thread, newest first."""
        page = await store.records.list_documents(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed(page.items, page.cursor)

    @api.get("/threads/{thread_id}/documents/{document_id}", cacheable=True)
    async def get_document(
        actor: Actor, thread_id: ThreadId, document_id: DocumentId, query: DocumentQuery
    ) -> DocumentInFull:
        """Return a document with all its versions and signatures, and the text of one, by default the current."""
        return await store.records.get_document(actor, thread_id, document_id, version=query.version)

    @api.post(
        "/threads/{thread_id}/documents/{document_id}/versions",
        status=201,
        errors=[StaleVersion, DocumentVoid, TooManyVersions],
        max_body=MAX_DOCUMENT_BYTES,
    )
    async def add_version(
        actor: Actor, thread_id: ThreadId, document_id: DocumentId, body: NewVersion
    ) -> DocumentInFull:
        """Add a version after the one that you saw. The document becomes a draft again; earlier signatures are kept."""
        return await store.records.add_version(
            actor,
            thread_id,
            document_id,
            version=body.version,
            body=body.body,
            file_id=body.file_id,
            note=body.note,
        )

    @api.post(
        "/threads/{thread_id}/documents/{document_id}/signatures",
        status=201,
        errors=[StaleVersion, DocumentVoid, AlreadySigned, OnlyPartiesSign],
    )
    async def sign_document(
        actor: Actor, thread_id: ThreadId, document_id: DocumentId, body: NewSignature
    ) -> DocumentInFull:
        """Sign the current version, once. The document is signed when buyer and seller have signed it."""
        return await store.records.sign(actor, thread_id, document_id, version=body.version)

    @api.delete("/threads/{thread_id}/documents/{document_id}", errors=[DocumentVoid, NotYoursToVoid])
    async def void_document(actor: Actor, thread_id: ThreadId, document_id: DocumentId) -> None:
        """Void a document: its creator a draft, an admin a signed one. It stays readable."""
        await store.records.void_document(actor, thread_id, document_id)

    @api.get("/threads/{thread_id}/amendments", cacheable=True)
    async def list_amendments(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[Amendment]:
        """List the accepted amendments of a thread, newest first."""
        page = await store.records.list_amendments(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed(page.items, page.cursor)

    @api.post("/threads/{thread_id}/expenses", status=201, errors=[KeyReused])
    async def add_expense(
        actor: Actor, thread_id: ThreadId, body: NewExpense, idempotency_key: IdempotencyKey | None
    ) -> Expense:
        """Submit an expense, in minor units of its currency."""
        return await store.records.add_expense(
            actor,
            thread_id,
            title=body.title,
            amount=body.amount,
            currency=body.currency,
            category=body.category,
            incurred_on=body.incurred_on,
            receipt_file_id=body.receipt_file_id,
            key=idempotency_key,
        )

    @api.get("/threads/{thread_id}/expenses", cacheable=True)
    async def list_expenses(actor: Actor, thread_id: ThreadId, query: PageQuery) -> ExpensePage:
        """List the expenses of a thread, newest first; `totals` sums all of them, by currency and state."""
        return await store.records.list_expenses(actor, thread_id, limit=query.limit, cursor=query.cursor)

    @api.post("/threads/{thread_id}/expenses/{expense_id}/decision", errors=[StaleVersion, ExpenseDecided, OwnExpense])
    async def decide_expense(actor: Actor, thread_id: ThreadId, expense_id: ExpenseId, body: NewDecision) -> Expense:
        """Approve or reject an expense of the other side. Only the first decision counts."""
        return await store.records.decide_expense(
            actor, thread_id, expense_id, decision=body.decision, version=body.version
        )

    @api.delete("/threads/{thread_id}/expenses/{expense_id}", errors=[ExpenseDecided, NotYoursToVoid])
    async def void_expense(actor: Actor, thread_id: ThreadId, expense_id: ExpenseId) -> None:
        """Withdraw your own expense, while it is not decided."""
        await store.records.void_expense(actor, thread_id, expense_id)

    return api
