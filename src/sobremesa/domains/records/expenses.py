"""SQL statements for expenses. Amounts are integers in minor units."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.schema import expenses
from sobremesa.domains.records.views import Expense, ExpenseState, Role, Total

_expense = expenses.c


async def add(connection: AsyncConnection, expense: Expense, role: Role) -> None:
    """Insert an expense, with the role of its submitter."""
    values = {name: getattr(expense, name) for name in expense.__struct_fields__ if name != "expense_id"}
    await connection.execute(insert(expenses).values(id=expense.expense_id, created_role=role, **values))


async def decide(
    connection: AsyncConnection,
    thread_id: str,
    expense_id: str,
    *,
    seen: int,
    state: ExpenseState,
    user_id: str,
    role: Role,
    now: Instant,
) -> bool:
    """Approve or reject an expense; False unless it is open, at version `seen`, and of the other side."""
    other_side = [] if role == "admin" else [_expense.created_role != role]
    decided = await connection.execute(
        update(expenses)
        .where(
            _expense.id == expense_id,
            _expense.thread_id == thread_id,
            _expense.state == "submitted",
            _expense.version == seen,
            _expense.created_by != user_id,
            *other_side,
        )
        .values(state=state, decided_by=user_id, decided_at=now, version=seen + 1)
    )
    return decided.rowcount > 0


async def void(connection: AsyncConnection, thread_id: str, expense_id: str, *, user_id: str) -> bool:
    """Void an expense; False unless it is open and the user's own."""
    ended = await connection.execute(
        update(expenses)
        .where(
            _expense.id == expense_id,
            _expense.thread_id == thread_id,
            _expense.state == "submitted",
            _expense.created_by == user_id,
        )
        .values(state="void", version=_expense.version + 1)
    )
    return ended.rowcount > 0


async def find(connection: AsyncConnection, thread_id: str, expense_id: str) -> tuple[Expense, Role] | None:
    """Return an expense of the thread and the role of its submitter, or None."""
    found = await connection.execute(select(expenses).where(_expense.id == expense_id, _expense.thread_id == thread_id))
    row = found.first()
    return None if row is None else (_view(row), row.created_role)


async def newest(
    connection: AsyncConnection, thread_id: str, *, limit: int, before: str | None = None
) -> list[Expense]:
    """List expenses of a thread, newest first."""
    question = select(expenses).where(_expense.thread_id == thread_id).order_by(_expense.id.desc()).limit(limit)
    rows = await connection.execute(question if before is None else question.where(_expense.id < before))
    return [_view(row) for row in rows]


async def totals(connection: AsyncConnection, thread_id: str) -> list[Total]:
    """Return the totals of a thread's expenses, by currency and state."""
    rows = await connection.execute(
        select(_expense.currency, _expense.state, func.sum(_expense.amount), func.count())
        .where(_expense.thread_id == thread_id)
        .group_by(_expense.currency, _expense.state)
        .order_by(_expense.currency, _expense.state)
    )
    return [Total(currency, state, int(amount), count) for currency, state, amount, count in rows]


def _view(row: Row[Any]) -> Expense:
    return Expense(
        expense_id=row.id,
        thread_id=row.thread_id,
        title=row.title,
        amount=row.amount,
        currency=row.currency,
        category=row.category,
        receipt_file_id=row.receipt_file_id,
        incurred_on=row.incurred_on,
        state=row.state,
        version=row.version,
        created_by=row.created_by,
        created_at=row.created_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
    )
