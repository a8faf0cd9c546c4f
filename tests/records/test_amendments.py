"""Amendments: one per accepted card."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from records.world import BUYER, SELLER, STRANGER, THREAD, World
from sobremesa.core.clock import Instant
from sobremesa.core.errors import NotFound
from sobremesa.domains.records.views import Amendment

ACCEPTED_AT = Instant("2026-11-16T09:30:00.123Z")


async def amend(world: World, card: str = "01JCARD", **given: Any) -> Amendment:
    asked: dict[str, Any] = {"summary": "A day more", "payload": {"days": 3, "parts": ["a", None]}} | given
    return await world.records.record_amendment(
        THREAD, card_message_id=card, accepted_by="buyer-1", accepted_at=ACCEPTED_AT, **asked
    )


async def test_amendment_is_stored_as_it_was_accepted(world: World) -> None:
    created = await amend(world)

    page = await world.records.list_amendments(SELLER, THREAD)

    assert page.items == [created]
    assert (created.payload, created.accepted_at) == ({"days": 3, "parts": ["a", None]}, ACCEPTED_AT)


async def test_repeated_card_creates_no_second_amendment(world: World) -> None:
    amendments = await asyncio.gather(*(amend(world, summary=f"amendment {number}") for number in range(6)))

    assert len({amendment.amendment_id for amendment in amendments}) == 1
    assert await world.source_version("docs") == 1
    await amend(world, "01JOTHER")
    assert await world.source_version("docs") == 2


async def test_amendment_refers_only_to_a_document_of_its_thread(world: World) -> None:
    mine = await world.records.create_document(BUYER, THREAD, title="Terms", kind="contract", body="So be it.")
    other = await world.records.create_document(BUYER, "another", title="Terms", kind="contract", body="So be it.")

    about = await amend(world, "01J1", document_id=mine.document_id)
    elsewhere = await amend(world, "01J2", document_id=other.document_id)
    nothing = await amend(world, "01J3", document_id="01JNOTHING")

    assert (about.document_id, elsewhere.document_id, nothing.document_id) == (mine.document_id, None, None)


async def test_amendment_stores_any_card_payload(world: World) -> None:
    created = await amend(world, payload={"text": "null \0 here", "much": 10**30, "part": Decimal("0.5"), "": {}})

    assert created.payload["text"] == "null \0 here"
    assert created.payload["much"] == 10**30
    assert created.payload["part"] == 0.5


async def test_amendments_are_paged_for_parties_alone(world: World) -> None:
    cards = [(await amend(world, f"01J{number}")).card_message_id for number in range(4)]

    first = await world.records.list_amendments(BUYER, THREAD, limit=3)
    second = await world.records.list_amendments(BUYER, THREAD, limit=3, cursor=first.cursor)

    assert [amendment.card_message_id for amendment in (*first.items, *second.items)] == cards[::-1]
    assert second.cursor is None
    with pytest.raises(NotFound):
        await world.records.list_amendments(STRANGER, THREAD)
