"""Expenses: exact amounts, and decisions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from records.world import ADMIN, BUYER, DAY, OTHER_SELLER, SELLER, STRANGER, THREAD, World
from sobremesa.core.errors import Invalid, NotFound, StaleVersion
from sobremesa.domains.records.checks import MAX_AMOUNT
from sobremesa.domains.records.errors import ExpenseDecided, NotYoursToVoid, OwnExpense
from sobremesa.domains.records.views import Expense
from sobremesa.work.idempotency import KeyReused


async def approve(world: World, expense: Expense, by: Any = BUYER, version: int = 1) -> Expense:
    return await world.records.decide_expense(by, THREAD, expense.expense_id, decision="approve", version=version)


async def test_expense_is_returned_as_it_was_submitted(world: World) -> None:
    created = await world.spend(1999, receipt_file_id="01JFILE")

    page = await world.records.list_expenses(BUYER, THREAD)

    assert page.items == [created]
    assert (created.amount, created.currency, created.incurred_on, created.state) == (1999, "EUR", DAY, "submitted")


async def test_money_is_exact_to_the_last_minor_unit(world: World) -> None:
    for amount in (MAX_AMOUNT, MAX_AMOUNT - 1, 1, 10, 20):
        await world.spend(amount)
    await world.spend(7, currency="JPY")

    totals = (await world.records.list_expenses(BUYER, THREAD, limit=1)).totals

    assert [(total.currency, total.state, total.amount, total.count) for total in totals] == [
        ("EUR", "submitted", 2 * MAX_AMOUNT + 30, 5),
        ("JPY", "submitted", 7, 1),
    ]
    assert all(type(total.amount) is int for total in totals)


async def test_an_amount_is_positive_and_has_a_limit_and_a_currency_three_capital_letters(world: World) -> None:
    for amount in (0, -5, MAX_AMOUNT + 1):
        with pytest.raises(Invalid):
            await world.spend(amount)
    for currency in ("eur", "EURO", "E1R", "ÄÄÄ", ""):
        with pytest.raises(Invalid):
            await world.spend(currency=currency)

    assert (await world.records.list_expenses(BUYER, THREAD)).items == []


async def test_only_the_other_side_or_an_admin_decides_an_expense(world: World) -> None:
    first, second = await world.spend(), await world.spend()

    for own in (SELLER, OTHER_SELLER):
        with pytest.raises(OwnExpense):
            await approve(world, first, own)
    approved = await approve(world, first, BUYER)
    rejected = await world.records.decide_expense(ADMIN, THREAD, second.expense_id, decision="reject", version=1)
    admins = await world.spend(by=ADMIN)

    assert (approved.state, approved.decided_by, approved.version) == ("approved", "buyer-1", 2)
    assert (rejected.state, rejected.decided_by) == ("rejected", "admin-1")
    with pytest.raises(OwnExpense):
        await approve(world, admins, ADMIN)


async def test_one_of_two_concurrent_decisions_wins(world: World) -> None:
    for _ in range(5):
        created = await world.spend()

        outcomes = await asyncio.gather(
            approve(world, created, BUYER),
            world.records.decide_expense(ADMIN, THREAD, created.expense_id, decision="reject", version=1),
            return_exceptions=True,
        )

        won = [outcome for outcome in outcomes if isinstance(outcome, Expense)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, ExpenseDecided)]
        assert (len(won), len(lost)) == (1, 1)
        assert lost[0].data["current"] == won[0]


async def test_decision_on_a_stale_version_is_refused(world: World) -> None:
    created = await world.spend()

    with pytest.raises(StaleVersion) as refused:
        await approve(world, created, version=2)

    assert refused.value.data["current"] == created


async def test_submitter_voids_an_expense_until_it_is_decided(world: World) -> None:
    mine, decided = await world.spend(), await world.spend()
    await approve(world, decided)

    with pytest.raises(NotYoursToVoid):
        await world.records.void_expense(OTHER_SELLER, THREAD, mine.expense_id)
    await world.records.void_expense(SELLER, THREAD, mine.expense_id)

    for gone in (mine, decided):
        with pytest.raises(ExpenseDecided):
            await world.records.void_expense(SELLER, THREAD, gone.expense_id)
    with pytest.raises(ExpenseDecided):
        await approve(world, mine)


async def test_concurrent_void_and_approval_have_one_outcome(world: World) -> None:
    for _ in range(5):
        created = await world.spend()

        outcomes = await asyncio.gather(
            approve(world, created),
            world.records.void_expense(SELLER, THREAD, created.expense_id),
            return_exceptions=True,
        )

        assert sum(isinstance(outcome, ExpenseDecided) for outcome in outcomes) == 1


async def test_twenty_concurrent_expenses_increment_the_version_twenty_times(world: World) -> None:
    await asyncio.gather(*(world.spend(number + 1, by=(BUYER, SELLER)[number % 2]) for number in range(20)))

    assert await world.source_version("expenses") == 20
    page = await world.records.list_expenses(BUYER, THREAD)
    assert sorted(expense.amount for expense in page.items) == list(range(1, 21))


async def test_a_repeated_submission_is_one_expense(world: World) -> None:
    same = await asyncio.gather(*(world.spend(key="again") for _ in range(5)))

    assert len({expense.expense_id for expense in same}) == 1
    assert await world.source_version("expenses") == 1
    with pytest.raises(KeyReused):
        await world.spend(1251, key="again")


async def test_other_users_and_threads_find_nothing(world: World) -> None:
    created = await world.spend()

    for actor, thread in ((STRANGER, THREAD), (BUYER, "another-thread")):
        with pytest.raises(NotFound):
            await world.records.decide_expense(actor, thread, created.expense_id, decision="approve", version=1)
        with pytest.raises(NotFound):
            await world.records.void_expense(actor, thread, created.expense_id)
    with pytest.raises(NotFound):
        await world.records.list_expenses(STRANGER, THREAD)
    assert await world.source_version("expenses") == 1


async def test_pages_of_expenses_carry_the_totals_of_all(world: World) -> None:
    created = [(await world.spend(100 + number)).expense_id for number in range(5)]

    first = await world.records.list_expenses(BUYER, THREAD, limit=3)
    second = await world.records.list_expenses(BUYER, THREAD, limit=3, cursor=first.next)

    assert [expense.expense_id for expense in (*first.items, *second.items)] == created[::-1]
    assert second.next is None
    assert first.totals == second.totals
    assert first.totals[0].amount == 510
