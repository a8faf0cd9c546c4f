"""The routes of documents, amendments and expenses."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.domains.records.checks import MAX_AMOUNT
from sobremesa.domains.records.errors import (
    AlreadySigned,
    DocumentVoid,
    ExpenseDecided,
    NotYoursToVoid,
    OnlyPartiesSign,
    OwnExpense,
    StaleVersion,
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
    from sobremesa.domains.records.opening import Archive

MAX_TEXT_CHARACTERS = 100_000
MAX_DOCUMENT_BYTES = 1_000_000
# Something to read, and no null character, which PostgreSQL does not keep. No character can be taken by two parts of
# it, or a long text that breaks the rule at its end would take the square of its length.
SAYS_SOMETHING = r"^\s*[^\s\u0000][^\u0000]*$"
NO_NULL = r"^[^\u0000]*$"

Title = Annotated[
    str, msgspec.Meta(min_length=1, max_length=200, pattern=SAYS_SOMETHING, examples=["Licence for the brochure"])
]
Text = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=MAX_TEXT_CHARACTERS,
        pattern=SAYS_SOMETHING,
        examples=["The pictures may be printed in the brochure of 2027."],
    ),
]
Note = Annotated[str, msgspec.Meta(max_length=1000, pattern=NO_NULL, examples=["The second page is new"])]
File = Annotated[FileId, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.:-]+$")]
Seen = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description="The version that you saw.", examples=[1])]
Amount = Annotated[int, msgspec.Meta(ge=1, le=MAX_AMOUNT, description="In minor units: cents.", examples=[129_00])]
Currency = Annotated[str, msgspec.Meta(min_length=3, max_length=3, pattern=r"^[A-Z]{3}$", examples=["EUR"])]
Category = Annotated[str, msgspec.Meta(min_length=1, max_length=50, pattern=SAYS_SOMETHING, examples=["travel"])]


class NewDocument(Input):
    """A document to make; its first version is a text or a file."""

    title: Title
    kind: DocumentKind
    body: Text | None = None
    file_id: File | None = None
    note: Note | None = None


class NewVersion(Input):
    """A version to put after the one that you saw: a text or a file."""

    version: Seen
    body: Text | None = None
    file_id: File | None = None
    note: Note | None = None


class NewSignature(Input):
    """Which version you sign."""

    version: Seen


class DocumentQuery(Input):
    """Which version's text to show; the current one, unless it says."""

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
    """What the other side says, about the version that it saw."""

    decision: Decision
    version: Seen


def routes(archive: Archive) -> Routes:
    """The routes of a thread's documents, amendments and expenses."""
    api = Routes("Records")

    @api.post("/threads/{thread_id}/documents", status=201, errors=[KeyReused], max_body=MAX_DOCUMENT_BYTES)
    async def create_document(
        actor: Actor, thread_id: ThreadId, body: NewDocument, idempotency_key: IdempotencyKey | None
    ) -> DocumentInFull:
        """Make a document: a draft, with its first version."""
        records = await archive.records()
        return await records.create_document(
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
        """The documents of the thread, newest first."""
        records = await archive.records()
        page = await records.list_documents(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed(page.items, page.cursor)

    @api.get("/threads/{thread_id}/documents/{document_id}", cacheable=True)
    async def get_document(
        actor: Actor, thread_id: ThreadId, document_id: DocumentId, query: DocumentQuery
    ) -> DocumentInFull:
        """A document with all its versions and who signed them; the text of one version, by default the current."""
        records = await archive.records()
        return await records.get_document(actor, thread_id, document_id, version=query.version)

    @api.post(
        "/threads/{thread_id}/documents/{document_id}/versions",
        status=201,
        errors=[StaleVersion, DocumentVoid, TooManyVersions],
        max_body=MAX_DOCUMENT_BYTES,
    )
    async def add_version(
        actor: Actor, thread_id: ThreadId, document_id: DocumentId, body: NewVersion
    ) -> DocumentInFull:
        """Put a new version after the one that you saw. The document is a draft again; old signatures stay."""
        records = await archive.records()
        return await records.add_version(
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
        """Sign the current version, once. It is signed when buyer and seller have."""
        records = await archive.records()
        return await records.sign(actor, thread_id, document_id, version=body.version)

    @api.delete("/threads/{thread_id}/documents/{document_id}", errors=[DocumentVoid, NotYoursToVoid])
    async def void_document(actor: Actor, thread_id: ThreadId, document_id: DocumentId) -> None:
        """Make a document void: a draft by who made it, a signed one by an admin. It stays readable."""
        records = await archive.records()
        await records.void_document(actor, thread_id, document_id)

    @api.get("/threads/{thread_id}/amendments", cacheable=True)
    async def list_amendments(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[Amendment]:
        """The amendments that were accepted in the thread, newest first."""
        records = await archive.records()
        page = await records.list_amendments(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed(page.items, page.cursor)

    @api.post("/threads/{thread_id}/expenses", status=201, errors=[KeyReused])
    async def add_expense(
        actor: Actor, thread_id: ThreadId, body: NewExpense, idempotency_key: IdempotencyKey | None
    ) -> Expense:
        """Submit an expense, in minor units of its currency."""
        records = await archive.records()
        return await records.add_expense(
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
        """The expenses of the thread, newest first; `totals` are of all of them, by currency and state."""
        records = await archive.records()
        return await records.list_expenses(actor, thread_id, limit=query.limit, cursor=query.cursor)

    @api.post("/threads/{thread_id}/expenses/{expense_id}/decision", errors=[StaleVersion, ExpenseDecided, OwnExpense])
    async def decide_expense(actor: Actor, thread_id: ThreadId, expense_id: ExpenseId, body: NewDecision) -> Expense:
        """Approve or reject an expense of the other side. Of two at once one wins, and the other gets the outcome."""
        records = await archive.records()
        return await records.decide_expense(actor, thread_id, expense_id, decision=body.decision, version=body.version)

    @api.delete("/threads/{thread_id}/expenses/{expense_id}", errors=[ExpenseDecided, NotYoursToVoid])
    async def void_expense(actor: Actor, thread_id: ThreadId, expense_id: ExpenseId) -> None:
        """Take one's own expense back, while nobody has decided about it."""
        records = await archive.records()
        await records.void_expense(actor, thread_id, expense_id)

    return api
