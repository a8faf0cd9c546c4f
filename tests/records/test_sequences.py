"""After any sequence of changes and a replay, every tab matches the records."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengths import RECORD_SEQUENCES
from records.environment import ADMIN, BUYER, SELLER, Environment, open_environment
from servers import Endpoint
from sobremesa.core.clock import Instant
from sobremesa.core.errors import Refusal
from sobremesa.domains.records.address import RecordsAddress, parse_records
from sobremesa.table import Table, open_engine

USERS = (BUYER, SELLER, ADMIN)
VERBS = ("draft", "revise", "sign", "void", "amend", "spend", "approve", "reject", "take back", "replay")

revisions = st.lists(
    st.tuples(st.sampled_from(VERBS), st.sampled_from(USERS), st.integers(0, 3), st.integers(1, 3)), max_size=25
)
_threads = itertools.count()


class RandomChanges:
    """A thread with arbitrary changes, some of which are refused."""

    def __init__(self, env: Environment, thread: str) -> None:
        self.env = env
        self.thread = thread
        self.documents: list[str] = []
        self.expenses: list[str] = []

    async def take(self, verb: str, who: Any, which: int, version: int) -> None:
        records, thread = self.env.records, self.thread
        paper = self.documents[which % len(self.documents)] if self.documents else "none"
        spent = self.expenses[which % len(self.expenses)] if self.expenses else "none"
        match verb:
            case "draft":
                created = await records.create_document(
                    who, thread, title=f"No {which}", kind="other", body="x" * version
                )
                self.documents.append(created.document_id)
            case "revise":
                await records.add_version(who, thread, paper, version=version, file_id=f"file-{which}")
            case "sign":
                await records.sign(who, thread, paper, version=version)
            case "void":
                await records.void_document(who, thread, paper)
            case "amend":
                await records.record_amendment(
                    thread,
                    card_message_id=f"{thread}-card-{which}",
                    summary="As agreed",
                    payload={"which": which},
                    accepted_by=who.user_id,
                    accepted_at=Instant("2026-11-16T09:30:00.000Z"),
                    document_id=paper,
                )
            case "spend":
                self.expenses.append((await self.env.spend(version * 100 + which, by=who, thread=thread)).expense_id)
            case "approve" | "reject":
                await records.decide_expense(who, thread, spent, decision=verb, version=version)
            case "take back":
                await records.void_expense(who, thread, spent)
            case _:
                await self.env.outbox.replay()


async def live(address: RecordsAddress, taken: list[Any]) -> None:
    table = Table(await open_engine("sqlite://", janitor=False))
    try:
        async with open_environment(address, table) as env:
            random_changes = RandomChanges(env, f"thread-{next(_threads)}")
            for step in taken:
                with contextlib.suppress(Refusal):
                    await random_changes.take(*step)
            await env.outbox.replay()

            for tab in ("docs", "expenses"):
                shown = await env.panels.tab(tab, random_changes.thread)
                fresh = await env.outbox.snapshot(random_changes.thread, tab)
                assert (shown and (shown.content, shown.source_version)) == fresh
    finally:
        await table.close()


async def new_database(server: Endpoint, name: str) -> RecordsAddress:
    connection = await asyncpg.connect(server.url)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    return parse_records(server.url.removesuffix("postgres") + name)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_any_sequence_of_changes_ends_with_tabs_that_match_the_records(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if kind == "postgres":
        address = asyncio.run(new_database(request.getfixturevalue("postgres"), "sequences"))
    else:
        address = RecordsAddress(file=str(tmp_path / "records.db"))

    @settings(max_examples=RECORD_SEQUENCES)
    @given(revisions)
    def try_out(taken: list[Any]) -> None:
        asyncio.run(live(address, taken))

    try_out()
