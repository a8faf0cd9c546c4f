"""Expenses: exact amounts, and decisions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from records.environment import ADMIN, BUYER, DAY, OTHER_SELLER, SELLER, STRANGER, THREAD, Environment
from sobremesa.core.errors import Invalid, NotFound, StaleVersion
from sobremesa.domains.records.checks import MAX_AMOUNT
from sobremesa.domains.records.errors import ExpenseDecided, NotYoursToVoid, OwnExpense
from sobremesa.domains.records.views import Expense
from sobremesa.work.idempotency import KeyReused


async def approve(env: Environment, expense: Expense, by: Any = BUYER, version: int = 1) -> Expense:
    return await env.records.decide_expense(by, THREAD, expense.expense_id, decision="approve", version=version)


async def test_expense_is_returned_as_it_was_submitted(env: Environment) -> None:
    created = await env.spend(1999, receipt_file_id="01JFILE")

    page = await env.records.list_expenses(BUYER, THREAD)

    assert page.items == [created]
    assert (created.amount, created.currency, created.incurred_on, created.state) == (1999, "EUR", DAY, "submitted")


async def test_money_is_exact_to_the_last_minor_unit(env: Environment) -> None:
    for amount in (MAX_AMOUNT, MAX_AMOUNT - 1, 1, 10, 20):
        await env.spend(amount)
    await env.spend(7, currency="JPY")

    totals = (await env.records.list_expenses(BUYER, THREAD, limit=1)).totals

    assert [(total.currency, total.state, total.amount, total.count) for total in totals] == [
        ("EUR", "submitted", 2 * MAX_AMOUNT + 30, 5),
        ("JPY", "submitted", 7, 1),
    ]
    assert all(type(total.amount) is int for total in totals)


async def test_an_amount_is_positive_and_has_a_limit_and_a_currency_three_capital_letters(env: Environment) -> None:
    for amount in (0, -5, MAX_AMOUNT + 1):
        with pytest.raises(Invalid):
            await env.spend(amount)
    for currency in ("eur", "EURO", "E1R", "ÄÄÄ", ""):
        with pytest.raises(Invalid):
            await env.spend(currency=currency)

    assert (await env.records.list_expenses(BUYER, THREAD)).items == []


async def test_only_the_other_side_or_an_admin_decides_an_expense(env: Environment) -> None:
    first, second = await env.spend(), await env.spend()

    for own in (SELLER, OTHER_SELLER):
        with pytest.raises(OwnExpense):
            await approve(env, first, own)
    approved = await approve(env, first, BUYER)
    rejected = await env.records.decide_expense(ADMIN, THREAD, second.expense_id, decision="reject", version=1)
    admins = await env.spend(by=ADMIN)

    assert (approved.state, approved.decided_by, approved.version) == ("approved", "buyer-1", 2)
    assert (rejected.state, rejected.decided_by) == ("rejected", "admin-1")
    with pytest.raises(OwnExpense):
        await approve(env, admins, ADMIN)


async def test_one_of_two_concurrent_decisions_wins(env: Environment) -> None:
    for _ in range(5):
        created = await env.spend()

        outcomes = await asyncio.gather(
            approve(env, created, BUYER),
            env.records.decide_expense(ADMIN, THREAD, created.expense_id, decision="reject", version=1),
            return_exceptions=True,
        )

        won = [outcome for outcome in outcomes if isinstance(outcome, Expense)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, ExpenseDecided)]
        assert (len(won), len(lost)) == (1, 1)
        assert lost[0].data["current"] == won[0]


async def test_decision_on_a_stale_version_is_refused(env: Environment) -> None:
    created = await env.spend()

    with pytest.raises(StaleVersion) as refused:
        await approve(env, created, version=2)

    assert refused.value.data["current"] == created


async def test_submitter_voids_an_expense_until_it_is_decided(env: Environment) -> None:
    mine, decided = await env.spend(), await env.spend()
    await approve(env, decided)

    with pytest.raises(NotYoursToVoid):
        await env.records.void_expense(OTHER_SELLER, THREAD, mine.expense_id)
    await env.records.void_expense(SELLER, THREAD, mine.expense_id)

    for gone in (mine, decided):
        with pytest.raises(ExpenseDecided):
            await env.records.void_expense(SELLER, THREAD, gone.expense_id)
    with pytest.raises(ExpenseDecided):
        await approve(env, mine)


async def test_concurrent_void_and_approval_have_one_outcome(env: Environment) -> None:
    for _ in range(5):
        created = await env.spend()

        outcomes = await asyncio.gather(
            approve(env, created),
            env.records.void_expense(SELLER, THREAD, created.expense_id),
            return_exceptions=True,
        )

        assert sum(isinstance(outcome, ExpenseDecided) for outcome in outcomes) == 1


async def test_twenty_concurrent_expenses_increment_the_version_twenty_times(env: Environment) -> None:
    await asyncio.gather(*(env.spend(number + 1, by=(BUYER, SELLER)[number % 2]) for number in range(20)))

    assert await env.source_version("expenses") == 20
    page = await env.records.list_expenses(BUYER, THREAD)
    assert sorted(expense.amount for expense in page.items) == list(range(1, 21))


async def test_a_repeated_submission_is_one_expense(env: Environment) -> None:
    same = await asyncio.gather(*(env.spend(key="again") for _ in range(5)))

    assert len({expense.expense_id for expense in same}) == 1
    assert await env.source_version("expenses") == 1
    with pytest.raises(KeyReused):
        await env.spend(1251, key="again")


async def test_other_users_and_threads_find_nothing(env: Environment) -> None:
    created = await env.spend()

    for actor, thread in ((STRANGER, THREAD), (BUYER, "another-thread")):
        with pytest.raises(NotFound):
            await env.records.decide_expense(actor, thread, created.expense_id, decision="approve", version=1)
        with pytest.raises(NotFound):
            await env.records.void_expense(actor, thread, created.expense_id)
    with pytest.raises(NotFound):
        await env.records.list_expenses(STRANGER, THREAD)
    assert await env.source_version("expenses") == 1


async def test_pages_of_expenses_carry_the_totals_of_all(env: Environment) -> None:
    created = [(await env.spend(100 + number)).expense_id for number in range(5)]

    first = await env.records.list_expenses(BUYER, THREAD, limit=3)
    second = await env.records.list_expenses(BUYER, THREAD, limit=3, cursor=first.next)

    assert [expense.expense_id for expense in (*first.items, *second.items)] == created[::-1]
    assert second.next is None
    assert first.totals == second.totals
    assert first.totals[0].amount == 510
