"""Accepted amendment cards become records in the relational store, and files of records are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import commands
from attachments.test_in_messages import uploaded
from communities.conftest import Ahead
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import Instant
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId
from sobremesa.core.settings import Settings
from sobremesa.domains.records.errors import RecordsUnavailable
from sobremesa.domains.records.views import Amendment
from sobremesa.domains.threads.entities import Card, Tab, ThreadMessage, tab_by_name
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from threads.environment import PLATFORM, Deal, strike_deal

DAY = 24 * 3600


async def propose(deal: Deal, title: str) -> Card:
    payload = {"title": title, "text": "And on paper."}
    return await deal.app.threads.cards.create(deal.seller, deal.thread_id, type="amendment", payload=payload)


async def decide(deal: Deal, card: Card, to: str) -> None:
    await deal.app.threads.cards.move(deal.buyer, deal.thread_id, card.message_id, to=to, version=1)


async def amendments(deal: Deal, who: Actor | None = None) -> list[Amendment]:
    records = deal.app.records
    return (await records.list_amendments(who or deal.buyer, deal.thread_id, limit=50)).items


async def docs_of(deal: Deal) -> str:
    """Return the docs tab, after all pending outbox rows were replayed."""
    await (await deal.app.records_store.outbox()).replay()
    return str((await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "docs")).content)


async def test_accepted_amendment_is_stored_once_and_listed(deal: Deal) -> None:
    print_too, never = await propose(deal, "Also in print"), await propose(deal, "Also on the moon")
    await decide(deal, print_too, "accepted")
    await decide(deal, never, "declined")

    for _ in range(2):
        await deal.app.change_consumer.catch_up()

    [kept] = await amendments(deal)
    assert (kept.summary, kept.card_message_id) == ("Also in print", print_too.message_id)
    assert kept.accepted_by == deal.buyer.user_id
    shown = await docs_of(deal)
    assert "Also in print" in shown
    assert "moon" not in shown
    with pytest.raises(NotFound):
        await amendments(deal, deal.stranger)


async def test_amendment_is_retried_until_records_are_available(store: str, clock: Ahead, tmp_path: Path) -> None:
    nowhere = Settings(rate_limits="off", records="postgresql://nobody:x@127.0.0.1:9/none")
    async with Sobremesa.open(store, settings=nowhere, clock=clock, background=False) as app:
        deal = await strike_deal(app)
        await decide(deal, await propose(deal, "Also in print"), "accepted")
        with pytest.raises(RecordsUnavailable):
            await app.change_consumer.catch_up()

    clock.move(seconds=60)  # its lease is over
    there = Settings(rate_limits="off", records=f"sqlite:///{tmp_path / 'records.db'}")
    async with Sobremesa.open(store, settings=there, clock=clock, background=False) as app:
        deal = deal._replace(app=app)
        await app.change_consumer.catch_up()
        assert [kept.summary for kept in await amendments(deal)] == ["Also in print"]


async def test_file_of_a_record_survives_its_message_and_never_expires(deal: Deal, clock: Ahead) -> None:
    app, thread_id = deal.app, deal.thread_id
    sent, alone, loose = [await uploaded(app, deal.seller) for _ in range(3)]
    message = await app.threads.send(deal.seller, thread_id, Draft("the contract", attachments=[sent.file_id]))
    records = app.records
    for file in (sent, alone):
        created = await records.create_document(
            deal.seller, thread_id, title="License", kind="license", file_id=file.file_id
        )
        assert created.sha256 is not None

    await app.threads.delete_message(deal.seller, thread_id, message.message_id)
    clock.move(seconds=2 * DAY)

    for file in (sent, alone):
        assert (await app.attachments.get(deal.buyer, file.file_id)).file_id == file.file_id
        with pytest.raises(NotFound):
            await app.attachments.get(deal.stranger, file.file_id)
    with pytest.raises(NotFound):
        await app.attachments.get(deal.seller, loose.file_id)


async def test_record_refuses_files_of_other_users_and_threads(deal: Deal) -> None:
    app = deal.app
    other = await strike_deal(app)
    theirs = await uploaded(app, other.seller)
    await app.threads.send(other.seller, other.thread_id, Draft("", attachments=[theirs.file_id]))
    mine_elsewhere = await uploaded(app, deal.seller)
    await app.threads.participants.add(other.admin, other.thread_id, deal.seller.user_id, "seller")
    await app.threads.send(deal.seller, other.thread_id, Draft("", attachments=[mine_elsewhere.file_id]))

    records = app.records
    for file in (theirs, mine_elsewhere):
        with pytest.raises(NotFound):
            await records.create_document(
                deal.seller, deal.thread_id, title="License", kind="license", file_id=file.file_id
            )


async def test_withheld_file_is_not_revealed_by_a_record(deal: Deal) -> None:
    app = deal.app
    file = await uploaded(app, deal.seller)
    sent = await app.threads.send(deal.seller, deal.thread_id, Draft("look", attachments=[file.file_id]))
    await app.threads.report(deal.buyer, deal.thread_id, sent.message_id, "I would rather not")
    [case], _ = await app.moderation.list_cases(PLATFORM, limit=5)
    await app.moderation.decide(PLATFORM, case.case_id, "block")

    records = app.records
    with pytest.raises(NotFound):
        await records.create_document(
            deal.seller, deal.thread_id, title="License", kind="license", file_id=file.file_id
        )
    with pytest.raises(NotFound):
        await app.attachments.get(deal.buyer, file.file_id)


async def test_file_of_another_writer_never_shows_its_storage_key(deal: Deal) -> None:
    kept = {
        "kind": "preview",
        "s3Key": "secret/place.jpg",
        "manifestRef": "secret",
        "mime": "image/jpeg",
        "w": 4,
        "h": 3,
    }
    foreign = ThreadMessage(
        room_id=deal.thread_id,
        message_id=MessageId("msg_1"),
        iso=Instant("2025-11-05T14:12:07.123Z"),
        author_id=deal.seller.user_id,
        attachments=[kept],
    )
    await deal.app.table.write(Put(foreign))

    page = await deal.app.threads.page(deal.buyer, deal.thread_id, limit=50)

    shown = [file for message in page.messages for file in message.attachments]
    assert shown == [{"kind": "preview", "mime": "image/jpeg", "w": 4, "h": 3}]


async def test_command_rebuilds_a_damaged_tab(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    async with Sobremesa.open(store, background=False) as app:
        deal = await strike_deal(app)
        records = app.records
        await records.create_document(deal.buyer, deal.thread_id, title="License", kind="license", body="One year.")
        await docs_of(deal)
        whole = await app.table.get(tab_by_name(room_id=deal.thread_id, tab="docs"))
        assert whole is not None
        damaged = Tab(
            room_id=deal.thread_id,
            tab="docs",
            content="damaged",
            source_version=whole.source_version,
            updated_at=whole.updated_at,
        )
        await app.table.write(Put(damaged))

        done = await commands.run_async(commands.SOBREMESA, "records", "rebuild", "--store", store)
        assert done.returncode == 0, done.stderr

        assert "License" in str((await app.threads.tabs.get(deal.seller, deal.thread_id, "docs")).content)
