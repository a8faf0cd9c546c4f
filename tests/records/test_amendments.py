"""Amendments: one per accepted card."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from records.environment import BUYER, SELLER, STRANGER, THREAD, Environment
from sobremesa.core.clock import Instant
from sobremesa.core.errors import NotFound
from sobremesa.domains.records.views import Amendment

ACCEPTED_AT = Instant("2026-11-16T09:30:00.123Z")


async def amend(env: Environment, card: str = "01JCARD", **given: Any) -> Amendment:
    asked: dict[str, Any] = {"summary": "A day more", "payload": {"days": 3, "parts": ["a", None]}} | given
    return await env.records.record_amendment(
        THREAD, card_message_id=card, accepted_by="buyer-1", accepted_at=ACCEPTED_AT, **asked
    )


async def test_amendment_is_stored_as_it_was_accepted(env: Environment) -> None:
    created = await amend(env)

    page = await env.records.list_amendments(SELLER, THREAD)

    assert page.items == [created]
    assert (created.payload, created.accepted_at) == ({"days": 3, "parts": ["a", None]}, ACCEPTED_AT)


async def test_repeated_card_creates_no_second_amendment(env: Environment) -> None:
    amendments = await asyncio.gather(*(amend(env, summary=f"amendment {number}") for number in range(6)))

    assert len({amendment.amendment_id for amendment in amendments}) == 1
    assert await env.source_version("docs") == 1
    await amend(env, "01JOTHER")
    assert await env.source_version("docs") == 2


async def test_amendment_refers_only_to_a_document_of_its_thread(env: Environment) -> None:
    mine = await env.records.create_document(BUYER, THREAD, title="Terms", kind="contract", body="So be it.")
    other = await env.records.create_document(BUYER, "another", title="Terms", kind="contract", body="So be it.")

    about = await amend(env, "01J1", document_id=mine.document_id)
    elsewhere = await amend(env, "01J2", document_id=other.document_id)
    nothing = await amend(env, "01J3", document_id="01JNOTHING")

    assert (about.document_id, elsewhere.document_id, nothing.document_id) == (mine.document_id, None, None)


async def test_amendment_stores_any_card_payload(env: Environment) -> None:
    created = await amend(env, payload={"text": "null \0 here", "much": 10**30, "part": Decimal("0.5"), "": {}})

    assert created.payload["text"] == "null \0 here"
    assert created.payload["much"] == 10**30
    assert created.payload["part"] == 0.5


async def test_amendments_are_paged_for_parties_alone(env: Environment) -> None:
    cards = [(await amend(env, f"01J{number}")).card_message_id for number in range(4)]

    first = await env.records.list_amendments(BUYER, THREAD, limit=3)
    second = await env.records.list_amendments(BUYER, THREAD, limit=3, cursor=first.cursor)

    assert [amendment.card_message_id for amendment in (*first.items, *second.items)] == cards[::-1]
    assert second.cursor is None
    with pytest.raises(NotFound):
        await env.records.list_amendments(STRANGER, THREAD)
