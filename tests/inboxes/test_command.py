"""The command `sobremesa reconcile`."""

from __future__ import annotations

import asyncio
import os

import pytest

import commands
from commands import SOBREMESA
from inboxes.shop import ANA, BEN, NEWS, SHOP, Shop
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.table import Update, add


def reconcile(*arguments: str, store: str) -> str:
    done = commands.run(SOBREMESA, "reconcile", *arguments, "--store", store)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    return done.stdout


@pytest.fixture
async def wrong(shop: Shop) -> Shop:
    """A tenant in which one of Ana's counts is wrong."""
    await shop.send(ANA, BEN, category="offers")
    await shop.send()
    for who in (ANA, BEN):
        await shop.count(who)
    key = UserStats.key(tenant=SHOP, inbox=NEWS, user_id=ANA.user_id)
    await shop.app.table.write(Update(key, add(published=4)))
    return shop


async def test_drift_is_reported_and_repaired(wrong: Shop, store: str) -> None:
    report = "shop/news ana *: published 5, should be 1\n{} partitions counted, 1 {}.\n"

    assert reconcile("--dry-run", store=store) == report.format(5, "to repair"), "with two users"
    assert reconcile("--tenant", "rival", store=store) == "0 partitions counted, 0 repaired.\n"
    assert reconcile("--tenant", "shop", store=store) == report.format(3, "repaired")
    assert reconcile(store=store) == "5 partitions counted, 0 repaired.\n"
    stats = await wrong.app.table.get(UserStats.key(tenant=SHOP, inbox=NEWS, user_id=ANA.user_id), consistent=True)
    assert stats is not None
    assert stats.published == 1


def reconcile_on_a_terminal(store: str) -> str:
    """Return the output on a terminal."""
    return commands.run_on_a_terminal(
        SOBREMESA, "reconcile", "--store", store, environment=os.environ | {"TERM": "xterm"}
    )


async def test_progress_is_shown_on_a_terminal(wrong: Shop, store: str) -> None:
    output = await asyncio.to_thread(reconcile_on_a_terminal, store)

    assert "\x1b[" in output
    assert "5 partitions counted, 1 wrong" in output
    assert output.rstrip().endswith("5 partitions counted, 1 repaired.")
