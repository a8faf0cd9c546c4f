"""Files in messages, through the library on both engines: attaching, fetching and deleting them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from attachments import samples
from attachments.test_uploads import kept_in
from communities.conftest import Ahead
from communities.environment import Community, actor_of, create_community
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.attachments.entities import FileId, file_by_id
from sobremesa.domains.attachments.errors import AttachmentInUse, AttachmentMissing, UrlExpired
from sobremesa.domains.attachments.service import MAX_PER_MESSAGE
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.attachments.views import AttachmentView
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.sending import Draft
from threads.environment import strike_deal

PNG = samples.picture("PNG", (40, 30))
DAY = 24 * 3600


@pytest.fixture
async def community(app: Sobremesa) -> Community:
    return await create_community(app)


async def uploaded(
    app: Sobremesa, who: Actor, content: bytes = samples.TEXT, *, public: bool = False
) -> AttachmentView:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    return await app.attachments.receive(who, UploadedFile("notes.txt", "", pieces()), public=public)


async def attach(app: Sobremesa, who: Actor, file_id: str, room_id: RoomId) -> MessageId:
    """Send a file to a channel."""
    return (await app.communities.send(who, room_id, Draft("", attachments=[file_id]))).message_id


def token_of(url: str | None) -> str:
    assert url is not None
    return url.partition("?token=")[2]


async def test_message_stores_what_it_shows_of_a_file(app: Sobremesa, community: Community) -> None:
    text, picture = await uploaded(app, community.member), await uploaded(app, community.member, PNG)

    assert await app.attachments.attachable(community.member, [picture.file_id, text.file_id]) == [
        {
            **{"kind": "preview", "fileId": picture.file_id, "name": "notes.txt", "mime": "image/png"},
            **{"size": len(PNG), "w": 40, "h": 30},
        },
        {
            **{"kind": "manifest", "fileId": text.file_id, "name": "notes.txt", "mime": "text/plain"},
            "size": len(samples.TEXT),
        },
    ]
    assert await app.attachments.attachable(community.member, []) == []


async def test_only_own_unattached_files_can_be_attached(app: Sobremesa, community: Community, clock: Ahead) -> None:
    free, used, face = (
        await uploaded(app, community.member),
        await uploaded(app, community.member),
        await uploaded(app, community.member, PNG, public=True),
    )
    theirs = await uploaded(app, community.owner)
    await attach(app, community.member, used.file_id, community.channel_id)

    many = [(await uploaded(app, community.member)).file_id for _ in range(MAX_PER_MESSAGE + 1)]
    wrong: list[list[str]] = [
        [used.file_id],
        [face.file_id],
        [free.file_id, theirs.file_id],
        [free.file_id, free.file_id],
        ["01JGSYB3ZZ0000000000000000"],
        ["#"],
        [""],
        [*many],
    ]
    for file_ids in wrong:
        with pytest.raises(AttachmentMissing):
            await app.attachments.attachable(community.member, file_ids)
    for who, file_id in (
        (community.member, used),
        (community.member, face),
        (community.owner, free),
        (community.member, theirs),
    ):
        with pytest.raises(AttachmentMissing):
            await attach(app, who, file_id.file_id, community.channel_id)

    assert len(await app.attachments.attachable(community.member, many[:MAX_PER_MESSAGE])) == MAX_PER_MESSAGE
    clock.move(seconds=DAY + 1)
    with pytest.raises(AttachmentMissing):
        await app.attachments.attachable(community.member, [free.file_id])
    with pytest.raises(AttachmentMissing):
        await attach(app, community.member, free.file_id, community.channel_id)


async def test_only_one_of_two_concurrent_messages_gets_the_file(app: Sobremesa, community: Community) -> None:
    file = await uploaded(app, community.member)
    tries = [attach(app, community.member, file.file_id, community.channel_id) for _ in range(8)]

    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AttachmentMissing) for outcome in outcomes) == 7


async def test_readers_of_a_room_may_fetch_its_files(app: Sobremesa, community: Community) -> None:
    file = await uploaded(app, community.member, PNG)
    with pytest.raises(NotFound):
        await app.attachments.get(community.owner, file.file_id)

    await attach(app, community.member, file.file_id, community.channel_id)

    seen = await app.attachments.get(community.owner, file.file_id)
    opened = await app.attachments.open(file.file_id, "preview", token_of(seen.preview_url))
    assert opened.headers.mime == "image/webp"
    with pytest.raises(NotFound):
        await app.attachments.get(community.stranger, file.file_id)


async def test_removed_member_cannot_use_an_earlier_url(app: Sobremesa, community: Community) -> None:
    file = await uploaded(app, community.owner, PNG)
    await attach(app, community.owner, file.file_id, community.channel_id)
    seen = await app.attachments.get(community.member, file.file_id)
    assert await app.attachments.open(file.file_id, "content", token_of(seen.url))

    await app.communities.members.remove(community.owner, community.server_id, community.member.user_id)

    for what, url in (("content", seen.url), ("preview", seen.preview_url)):
        with pytest.raises(NotFound):
            await app.attachments.open(file.file_id, what, token_of(url))  # type: ignore[arg-type]


async def test_file_of_an_unknown_kind_of_room_is_not_found(app: Sobremesa, community: Community) -> None:
    file = await uploaded(app, community.owner)
    attic = app.attachments.attaching(
        file.file_id, room_kind="attic", room_id=community.channel_id, message_id="m", owner_id=community.owner.user_id
    )
    await app.table.write(attic, token=None)
    with pytest.raises(NotFound):
        await app.attachments.get(community.member, file.file_id)


async def test_repeated_nonce_returns_the_message_with_its_files(app: Sobremesa, community: Community) -> None:
    file = await uploaded(app, community.member)
    draft = Draft("look", nonce="n", attachments=[file.file_id])
    send = app.communities.send

    first = await send(community.member, community.channel_id, draft)
    again = await send(community.member, community.channel_id, draft)
    at_once = await asyncio.gather(*(send(community.member, community.channel_id, draft) for _ in range(5)))

    assert {one.message_id for one in (again, *at_once)} == {first.message_id}
    assert first.type == "asset"
    assert [kept["fileId"] for kept in again.attachments] == [file.file_id]
    with pytest.raises(NonceReused):
        await send(community.member, community.channel_id, draft._replace(attachments=[]))


async def test_files_are_deleted_with_their_channel(app: Sobremesa, community: Community, files: Path) -> None:
    file = await uploaded(app, community.member, PNG)
    await attach(app, community.member, file.file_id, community.channel_id)

    await app.communities.delete_channel(community.owner, community.channel_id)
    await app.jobs.run_pending(app.handlers)

    assert await app.table.get(file_by_id(file_id=file.file_id)) is None
    assert kept_in(files) == set()


async def test_url_is_valid_for_five_minutes(app: Sobremesa, clock: Ahead) -> None:
    ana = actor_of("ana")
    file = await uploaded(app, ana)

    clock.move(seconds=298)
    assert await app.attachments.open(file.file_id, "content", token_of(file.url))
    clock.move(seconds=3)
    with pytest.raises(UrlExpired):
        await app.attachments.open(file.file_id, "content", token_of(file.url))
    fresh = await app.attachments.get(ana, file.file_id)
    assert await app.attachments.open(file.file_id, "content", token_of(fresh.url))


async def test_unattached_file_expires_after_a_day_and_is_swept(
    app: Sobremesa, community: Community, files: Path, clock: Ahead
) -> None:
    lost, kept = await uploaded(app, community.owner, PNG), await uploaded(app, community.owner, PNG)
    face = await uploaded(app, community.owner, PNG, public=True)
    await attach(app, community.owner, kept.file_id, community.channel_id)

    clock.move(seconds=DAY + 1)
    with pytest.raises(NotFound):
        await app.attachments.get(community.owner, lost.file_id)
    assert (await app.attachments.get(community.owner, kept.file_id)).name == "notes.txt"
    assert (await app.attachments.get(community.stranger, face.file_id)).mime == "image/webp"
    assert await app.attachments.sweep() == 0, "it may still be about to be written"

    clock.move(seconds=3600)
    assert await app.attachments.sweep() == 2
    assert await app.attachments.sweep() == 0
    assert {key.partition(".")[0] for key in kept_in(files)} == {kept.file_id, face.file_id}


async def test_partial_file_of_a_dead_process_is_swept(app: Sobremesa, files: Path, clock: Ahead) -> None:
    path = await app.attachments.store.spool("01JGSYB3ZZ0000000000000000.half")
    path.write_bytes(b"half")
    (path.parent / "foreign.txt").write_bytes(b"not ours")

    assert await app.attachments.sweep() == 1
    assert kept_in(files) == {"foreign.txt"}


async def test_deleting_a_message_deletes_its_files(app: Sobremesa, community: Community, files: Path) -> None:
    file, other = await uploaded(app, community.owner, PNG), await uploaded(app, community.owner)
    message_id = await attach(app, community.owner, file.file_id, community.channel_id)

    await app.communities.delete_message(community.owner, community.channel_id, message_id)

    assert await app.table.get(file_by_id(file_id=file.file_id)) is None
    assert {key.partition(".")[0] for key in kept_in(files)} == {other.file_id}


async def test_file_of_a_record_survives_its_message(app: Sobremesa, files: Path) -> None:
    deal = await strike_deal(app)
    file = await uploaded(app, deal.seller)
    sent = await deal.send(deal.seller, "The terms", attachments=[file.file_id])
    records = app.records
    await records.create_document(deal.buyer, deal.thread_id, title="Terms", kind="contract", file_id=file.file_id)

    await app.threads.delete_message(deal.seller, deal.thread_id, sent.message_id)

    assert (await app.attachments.get(deal.buyer, file.file_id)).size == len(samples.TEXT)
    assert len(kept_in(files)) == 1


async def test_concurrent_record_and_deletion_never_lose_a_records_file(
    app: Sobremesa, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = await strike_deal(app)
    file = await uploaded(app, deal.seller)
    sent = await deal.send(deal.seller, "The terms", attachments=[file.file_id])
    records = app.records
    write, kept = app.table.write, list[bool]()

    async def keeping(*operations: Any, **options: Any) -> Any:
        if not kept:
            kept.append(True)
            await records.create_document(
                deal.buyer, deal.thread_id, title="Terms", kind="contract", file_id=file.file_id
            )
        return await write(*operations, **options)

    monkeypatch.setattr(app.table, "write", keeping)
    await app.threads.delete_message(deal.seller, deal.thread_id, sent.message_id)

    assert (await app.threads.get_message(deal.buyer, deal.thread_id, sent.message_id)).deleted
    assert (await app.attachments.get(deal.buyer, file.file_id)).size == len(samples.TEXT)
    assert len(kept_in(files)) == 1


async def test_attached_file_cannot_be_deleted(app: Sobremesa, community: Community) -> None:
    file, free = await uploaded(app, community.member), await uploaded(app, community.member)
    await attach(app, community.member, file.file_id, community.channel_id)

    with pytest.raises(AttachmentInUse):
        await app.attachments.remove(community.member, file.file_id)
    for who in (community.owner, community.stranger):
        with pytest.raises(NotFound):
            await app.attachments.remove(who, free.file_id)
    await app.attachments.remove(community.member, free.file_id)
    with pytest.raises(NotFound):
        await app.attachments.remove(community.member, FileId("01JGSYB3ZZ0000000000000000"))


async def test_row_has_all_attributes_and_a_random_storage_key(app: Sobremesa) -> None:
    ana = actor_of("ana")
    file = await uploaded(app, ana, PNG)
    row = await app.table.get(file_by_id(file_id=file.file_id))

    assert row is not None
    assert (row.owner_id, row.state, row.kind, row.mime) == (ana.user_id, "ready", "preview", "image/png")
    assert (row.width, row.height, row.public, row.room_id, row.message_id) == (40, 30, False, None, None)
    assert row.sha256 is not None
    assert len(row.sha256) == 64
    assert "notes" not in row.storage_key + str(row.preview_key)
    item = row.to_item(app.table.layout)
    assert (item["pk"], item["sk"]) == (f"FILE#{file.file_id}", "META")
    assert isinstance(item["ttl"], int)


async def test_every_refusal_of_a_message_is_documented(app: Sobremesa) -> None:
    documented = {
        endpoint.path.split("/")[-3]: {error.code for error in endpoint.errors}
        for endpoint in app.endpoints()
        if endpoint.method == "POST" and endpoint.path.endswith("/{room_id}/messages")
    }

    assert all("attachment_missing" in codes for codes in documented.values())
    assert "blocked" in documented["conversations"]
    assert {"blocked", "thread_not_open"} <= documented["threads"]
    assert len(documented) == 3
