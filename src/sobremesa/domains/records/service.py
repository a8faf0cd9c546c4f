"""The methods of records. Every change is one transaction: its rules, its history, its tab's next version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, Instant
from sobremesa.core.errors import Invalid, NotFound, StaleVersion
from sobremesa.core.ids import Ids, MessageId
from sobremesa.domains.records import amendments, documents, expenses
from sobremesa.domains.records.checks import check_money, check_texts, role_of
from sobremesa.domains.records.database import Transactions, Work
from sobremesa.domains.records.documents import MAX_VERSIONS, Content
from sobremesa.domains.records.errors import (
    AlreadySigned,
    DocumentVoid,
    ExpenseDecided,
    NotYoursToVoid,
    OnlyPartiesSign,
    OwnExpense,
    TooManyVersions,
)
from sobremesa.domains.records.history import add_entry as add_history
from sobremesa.domains.records.idempotency import IdempotentCreate
from sobremesa.domains.records.pages import Page, Pages
from sobremesa.domains.records.panels import touch
from sobremesa.domains.records.protocols import Files, Parties
from sobremesa.domains.records.views import (
    Amendment,
    AmendmentId,
    Decision,
    Document,
    DocumentId,
    DocumentInFull,
    DocumentKind,
    Expense,
    ExpenseId,
    ExpensePage,
    ExpenseState,
    FileId,
    Role,
    ThreadId,
)

T = TypeVar("T")

OUTCOMES: Mapping[Decision, ExpenseState] = {"approve": "approved", "reject": "rejected"}


class Records:
    """Documents, amendments and expenses of threads."""

    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        ids: Ids,
        *,
        parties: Parties,
        files: Files | None = None,
        nudge: Callable[[], None] = lambda: None,
        secret: bytes = b"",
    ) -> None:
        """`nudge` is called after each commit. Without `files`, file ids are not checked."""
        self._database = database
        self._clock = clock
        self._ids = ids
        self._parties = parties
        self._files = files
        self._nudge = nudge
        self._pages = Pages(secret)

    async def create_document(
        self,
        actor: Actor,
        thread_id: str,
        *,
        title: str,
        kind: DocumentKind,
        body: str | None = None,
        file_id: str | None = None,
        note: str | None = None,
        key: str | None = None,
    ) -> DocumentInFull:
        """Create a draft with its first version, which is a text or a file."""
        await self._role(actor, thread_id)
        content = await self._content(actor, thread_id, body, file_id, note)
        check_texts(title=title)
        document_id = self._ids.mint()
        user_id, now = actor.user_id, self._clock.now()
        idempotent = IdempotentCreate.of(self._clock, user_id, key, "document", thread_id, title, kind, content)

        async def create(connection: AsyncConnection) -> DocumentInFull:
            before = await idempotent.claim(connection, document_id)
            if before is None:
                await documents.add(
                    connection,
                    document_id,
                    thread_id,
                    title=title,
                    kind=kind,
                    content=content,
                    user_id=user_id,
                    now=now,
                )
                await add_history(connection, thread_id, document_id, "document.create", user_id, now, version=1)
                await touch(connection, thread_id, "docs", now)
            return _require(await documents.find_in_full(connection, thread_id, before or document_id))

        return await self._change(create)

    async def get_document(
        self, actor: Actor, thread_id: str, document_id: str, *, version: int | None = None
    ) -> DocumentInFull:
        """Return a document with all its versions, and the text of one, by default the current."""
        await self._role(actor, thread_id)
        return _require(
            await self._database.read(lambda reader: documents.find_in_full(reader, thread_id, document_id, version))
        )

    async def list_documents(
        self, actor: Actor, thread_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Document]:
        """List the documents of a thread, newest first."""
        await self._role(actor, thread_id)
        question = f"documents {thread_id}"
        before = self._pages.position(cursor, question)
        found = await self._database.read(
            lambda reader: documents.newest(reader, thread_id, limit=limit + 1, before=before)
        )
        return self._pages.page(found, limit, question, lambda document: document.document_id)

    async def add_version(
        self,
        actor: Actor,
        thread_id: str,
        document_id: str,
        *,
        version: int,
        body: str | None = None,
        file_id: str | None = None,
        note: str | None = None,
    ) -> DocumentInFull:
        """Add a version after `version`. The document becomes a draft again; earlier signatures are kept."""
        await self._role(actor, thread_id)
        content = await self._content(actor, thread_id, body, file_id, note)
        user_id, now = actor.user_id, self._clock.now()

        async def add(connection: AsyncConnection) -> DocumentInFull:
            await touch(connection, thread_id, "docs", now)
            if not await documents.revise(
                connection, thread_id, document_id, seen=version, content=content, user_id=user_id, now=now
            ):
                document = await self._require_current(connection, thread_id, document_id, version)
                raise TooManyVersions(current=document, limit=MAX_VERSIONS)
            await add_history(connection, thread_id, document_id, "document.revise", user_id, now, version=version + 1)
            return _require(await documents.find_in_full(connection, thread_id, document_id))

        return await self._change(add)

    async def sign(self, actor: Actor, thread_id: str, document_id: str, *, version: int) -> DocumentInFull:
        """Sign the current version, once. The document is signed when buyer and seller have signed it."""
        role = await self._role(actor, thread_id)
        if role == "admin":
            raise OnlyPartiesSign
        user_id, now = actor.user_id, self._clock.now()

        async def add(connection: AsyncConnection) -> DocumentInFull:
            await touch(connection, thread_id, "docs", now)
            if not await documents.sign(
                connection, thread_id, document_id, version=version, user_id=user_id, role=role, now=now
            ):
                raise AlreadySigned(current=await self._require_current(connection, thread_id, document_id, version))
            await add_history(
                connection, thread_id, document_id, "document.sign", user_id, now, version=version, role=role
            )
            return _require(await documents.find_in_full(connection, thread_id, document_id))

        return await self._change(add)

    async def void_document(self, actor: Actor, thread_id: str, document_id: str) -> None:
        """Void a document: its creator a draft, an admin a signed one. It stays readable."""
        role = await self._role(actor, thread_id)
        user_id, now = actor.user_id, self._clock.now()

        async def end(connection: AsyncConnection) -> None:
            await touch(connection, thread_id, "docs", now)
            if not await documents.void(
                connection, thread_id, document_id, user_id=user_id, is_admin=role == "admin", now=now
            ):
                document = _require(await documents.find(connection, thread_id, document_id))
                raise DocumentVoid(current=document) if document.state == "void" else NotYoursToVoid
            await add_history(connection, thread_id, document_id, "document.void", user_id, now)

        await self._change(end)

    async def record_amendment(
        self,
        thread_id: str,
        *,
        card_message_id: str,
        summary: str,
        payload: Mapping[str, Any],
        accepted_by: str,
        accepted_at: Instant,
        document_id: str | None = None,
    ) -> Amendment:
        """Store the amendment of an accepted card, once per card however often this is called."""
        amendment = Amendment(
            amendment_id=AmendmentId(self._ids.mint()),
            thread_id=ThreadId(thread_id),
            document_id=None if document_id is None else DocumentId(document_id),
            card_message_id=MessageId(card_message_id),
            summary=summary.replace("\0", ""),
            payload=dict(payload),
            accepted_by=UserId(accepted_by),
            accepted_at=accepted_at,
        )
        now = self._clock.now()

        async def keep(connection: AsyncConnection) -> Amendment:
            if await amendments.add(connection, amendment):
                await add_history(
                    connection,
                    thread_id,
                    amendment.amendment_id,
                    "amendment.accept",
                    accepted_by,
                    now,
                    card=card_message_id,
                )
                await touch(connection, thread_id, "docs", now)
            return await amendments.get_by_card(connection, card_message_id)

        return await self._change(keep)

    async def list_amendments(
        self, actor: Actor, thread_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Amendment]:
        """List the amendments of a thread, newest first."""
        await self._role(actor, thread_id)
        question = f"amendments {thread_id}"
        before = self._pages.position(cursor, question)
        found = await self._database.read(
            lambda reader: amendments.newest(reader, thread_id, limit=limit + 1, before=before)
        )
        return self._pages.page(found, limit, question, lambda amendment: amendment.amendment_id)

    async def add_expense(
        self,
        actor: Actor,
        thread_id: str,
        *,
        title: str,
        amount: int,
        currency: str,
        category: str,
        incurred_on: date,
        receipt_file_id: str | None = None,
        key: str | None = None,
    ) -> Expense:
        """Submit an expense, in minor units of its currency."""
        role = await self._role(actor, thread_id)
        check_texts(title=title, category=category)
        check_money(amount, currency)
        if receipt_file_id is not None and self._files is not None:
            await self._files.keep(actor, receipt_file_id, thread_id)
        expense = Expense(
            expense_id=ExpenseId(self._ids.mint()),
            thread_id=ThreadId(thread_id),
            title=title,
            amount=amount,
            currency=currency,
            category=category,
            receipt_file_id=None if receipt_file_id is None else FileId(receipt_file_id),
            incurred_on=incurred_on,
            state="submitted",
            version=1,
            created_by=actor.user_id,
            created_at=self._clock.now(),
            decided_by=None,
            decided_at=None,
        )
        asked = (thread_id, title, amount, currency, category, receipt_file_id, incurred_on)
        idempotent = IdempotentCreate.of(self._clock, actor.user_id, key, "expense", *asked)

        return await self._change(partial(_submit, expense=expense, role=role, idempotent=idempotent))

    async def list_expenses(
        self, actor: Actor, thread_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> ExpensePage:
        """List the expenses of a thread, newest first, with the totals of all of them."""
        await self._role(actor, thread_id)
        question = f"expenses {thread_id}"
        before = self._pages.position(cursor, question)

        async def load(connection: AsyncConnection) -> ExpensePage:
            found = await expenses.newest(connection, thread_id, limit=limit + 1, before=before)
            page = self._pages.page(found, limit, question, lambda expense: expense.expense_id)
            return ExpensePage(page.items, page.cursor, await expenses.totals(connection, thread_id))

        return await self._database.read(load)

    async def decide_expense(
        self, actor: Actor, thread_id: str, expense_id: str, *, decision: Decision, version: int
    ) -> Expense:
        """Approve or reject an expense, as the other side or an admin, never its submitter. The first decision wins."""
        role = await self._role(actor, thread_id)
        user_id, now, state = actor.user_id, self._clock.now(), OUTCOMES[decision]

        async def decide(connection: AsyncConnection) -> Expense:
            await touch(connection, thread_id, "expenses", now)
            done = await expenses.decide(
                connection, thread_id, expense_id, seen=version, state=state, user_id=user_id, role=role, now=now
            )
            expense, side = _require(await expenses.find(connection, thread_id, expense_id))
            if done:
                await add_history(connection, thread_id, expense_id, f"expense.{decision}", user_id, now)
                return expense
            if expense.created_by == user_id or (role != "admin" and side == role):
                raise OwnExpense
            raise (StaleVersion if expense.state == "submitted" else ExpenseDecided)(current=expense)

        return await self._change(decide)

    async def void_expense(self, actor: Actor, thread_id: str, expense_id: str) -> None:
        """Void the actor's own expense, while it is not decided."""
        await self._role(actor, thread_id)
        user_id, now = actor.user_id, self._clock.now()

        async def end(connection: AsyncConnection) -> None:
            await touch(connection, thread_id, "expenses", now)
            if not await expenses.void(connection, thread_id, expense_id, user_id=user_id):
                expense, _ = _require(await expenses.find(connection, thread_id, expense_id))
                raise NotYoursToVoid if expense.created_by != user_id else ExpenseDecided(current=expense)
            await add_history(connection, thread_id, expense_id, "expense.void", user_id, now)

        await self._change(end)

    async def _change(self, work: Work[T]) -> T:
        done = await self._database.write(work)
        self._nudge()
        return done

    async def _role(self, actor: Actor, thread_id: str) -> Role:
        return role_of(await self._parties.require_party(actor, thread_id))

    async def _content(
        self, actor: Actor, thread_id: str, body: str | None, file_id: str | None, note: str | None
    ) -> Content:
        """Return the content of a version; Invalid unless it is either a text or a file."""
        if (body is None) == (file_id is None):
            raise Invalid("A version is either a text or a file: send `body` or `fileId`, not both.")
        check_texts(body=body, note=note)
        if body is not None:
            return Content(body, None, hashlib.sha256(body.encode()).hexdigest(), note)
        sha256 = None if self._files is None or file_id is None else await self._files.keep(actor, file_id, thread_id)
        return Content(None, file_id, sha256, note)

    async def _require_current(
        self, connection: AsyncConnection, thread_id: str, document_id: str, version: int
    ) -> Document:
        """Return the document, unless it is void or at another version, which would explain a refused write."""
        document = _require(await documents.find(connection, thread_id, document_id))
        if document.state == "void":
            raise DocumentVoid(current=document)
        if document.current_version != version:
            raise StaleVersion(current=document)
        return document


def _require(found: T | None) -> T:
    if found is None:
        raise NotFound
    return found


async def _submit(
    connection: AsyncConnection, *, expense: Expense, role: Role, idempotent: IdempotentCreate
) -> Expense:
    thread_id, expense_id, now = expense.thread_id, expense.expense_id, expense.created_at
    before = await idempotent.claim(connection, expense_id)
    if before is not None:
        return _require(await expenses.find(connection, thread_id, before))[0]
    await expenses.add(connection, expense, role)
    await add_history(connection, thread_id, expense_id, "expense.submit", expense.created_by, now)
    await touch(connection, thread_id, "expenses", now)
    return expense
