"""Documents: versions, signatures, and voiding."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from records.environment import ADMIN, BUYER, OTHER_SELLER, SELLER, STRANGER, THREAD, Environment, open_environment
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Forbidden, Invalid, NotFound, StaleVersion
from sobremesa.domains.records import documents
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.checks import role_of
from sobremesa.domains.records.errors import (
    AlreadySigned,
    DocumentVoid,
    NotYoursToVoid,
    OnlyPartiesSign,
    TooManyVersions,
)
from sobremesa.domains.records.views import DocumentInFull
from sobremesa.table import Table
from sobremesa.table.errors import BadCursor
from sobremesa.work.idempotency import KeyReused


async def draft(env: Environment, title: str = "License", **given: Any) -> DocumentInFull:
    asked = {"kind": "license", "body": "One year, Europe."} | given
    return await env.records.create_document(SELLER, THREAD, title=title, **asked)


async def test_document_keeps_every_version_with_its_hash(env: Environment) -> None:
    created = await draft(env, note="first")
    again = await env.records.add_version(
        BUYER, THREAD, created.document_id, version=1, body="Two years.", note="longer"
    )

    assert (created.state, created.current_version, created.body) == ("draft", 1, "One year, Europe.")
    assert again.current_version == 2
    assert [version.note for version in again.versions] == ["first", "longer"]
    assert again.sha256 == hashlib.sha256(b"Two years.").hexdigest()
    old = await env.records.get_document(SELLER, THREAD, created.document_id, version=1)
    assert (old.shown_version, old.body) == (1, "One year, Europe.")


async def test_version_is_either_a_text_or_a_file(env: Environment) -> None:
    created = await draft(env, body=None, file_id="01JFILE")

    assert (created.file_id, created.body, created.sha256) == ("01JFILE", None, None)
    for content in ({}, {"body": "text", "file_id": "01JFILE"}):
        with pytest.raises(Invalid, match="a text or a file"):
            await env.records.add_version(SELLER, THREAD, created.document_id, version=1, **content)


async def test_stale_version_is_refused_with_the_current_document(env: Environment) -> None:
    created = await draft(env)
    await env.records.add_version(BUYER, THREAD, created.document_id, version=1, body="Two years.")

    with pytest.raises(StaleVersion) as refused:
        await env.records.add_version(SELLER, THREAD, created.document_id, version=1, body="Three years.")

    assert refused.value.data["current"].current_version == 2


async def test_one_of_many_concurrent_versions_is_added(env: Environment) -> None:
    created = await draft(env)

    outcomes = await asyncio.gather(
        *(
            env.records.add_version(SELLER, THREAD, created.document_id, version=1, body=f"proposal {number}")
            for number in range(8)
        ),
        return_exceptions=True,
    )

    added = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    assert len(added) == 1
    assert sum(isinstance(outcome, StaleVersion) for outcome in outcomes) == 7
    found = await env.records.get_document(SELLER, THREAD, created.document_id)
    assert (found.current_version, found.body) == (2, added[0].body)
    assert await env.source_version("docs") == 2


async def test_a_document_is_signed_when_buyer_and_seller_have_signed_its_current_version(env: Environment) -> None:
    created = await draft(env)

    once = await env.records.sign(SELLER, THREAD, created.document_id, version=1)
    twice = await env.records.sign(OTHER_SELLER, THREAD, created.document_id, version=1)
    both = await env.records.sign(BUYER, THREAD, created.document_id, version=1)

    assert (once.state, twice.state, both.state) == ("draft", "draft", "signed")
    assert [(signed.user_id, signed.role) for signed in both.signatures] == [
        ("seller-1", "seller"),
        ("seller-2", "seller"),
        ("buyer-1", "buyer"),
    ]


async def test_concurrent_signatures_of_buyer_and_seller_sign_the_document(env: Environment) -> None:
    for _ in range(5):
        created = await draft(env)

        await asyncio.gather(
            *(env.records.sign(party, THREAD, created.document_id, version=1) for party in (BUYER, SELLER))
        )

        assert (await env.records.get_document(BUYER, THREAD, created.document_id)).state == "signed"


async def test_party_signs_a_version_once_and_an_admin_never(env: Environment) -> None:
    created = await draft(env)

    outcomes = await asyncio.gather(
        *(env.records.sign(BUYER, THREAD, created.document_id, version=1) for _ in range(4)), return_exceptions=True
    )

    assert sum(isinstance(outcome, AlreadySigned) for outcome in outcomes) == 3
    with pytest.raises(OnlyPartiesSign):
        await env.records.sign(ADMIN, THREAD, created.document_id, version=1)
    with pytest.raises(StaleVersion):
        await env.records.sign(SELLER, THREAD, created.document_id, version=2)
    assert await env.source_version("docs") == 2


async def test_a_new_version_makes_a_signed_document_a_draft_and_keeps_the_old_signatures(env: Environment) -> None:
    created = await draft(env)
    for party in (BUYER, SELLER):
        await env.records.sign(party, THREAD, created.document_id, version=1)

    changed = await env.records.add_version(BUYER, THREAD, created.document_id, version=1, body="Two years.")

    assert (changed.state, changed.signatures) == ("draft", [])
    assert [len(version.signatures) for version in changed.versions] == [2, 0]
    for party in (SELLER, BUYER):
        changed = await env.records.sign(party, THREAD, created.document_id, version=2)
    assert changed.state == "signed"


async def test_signature_never_applies_to_a_concurrent_version(env: Environment) -> None:
    for _ in range(5):
        created = await draft(env)
        await env.records.sign(SELLER, THREAD, created.document_id, version=1)

        signed, added = await asyncio.gather(
            env.records.sign(BUYER, THREAD, created.document_id, version=1),
            env.records.add_version(SELLER, THREAD, created.document_id, version=1, body="Other words."),
            return_exceptions=True,
        )

        found = await env.records.get_document(BUYER, THREAD, created.document_id)
        assert not isinstance(added, BaseException)
        assert (found.state, found.signatures) == ("draft", [])
        assert isinstance(signed, (DocumentInFull, StaleVersion))


async def test_creator_voids_a_draft_and_an_admin_a_signed_document(env: Environment) -> None:
    mine, signed = await draft(env), await draft(env)
    for party in (BUYER, SELLER):
        await env.records.sign(party, THREAD, signed.document_id, version=1)

    with pytest.raises(NotYoursToVoid):
        await env.records.void_document(BUYER, THREAD, mine.document_id)
    with pytest.raises(NotYoursToVoid):
        await env.records.void_document(SELLER, THREAD, signed.document_id)
    await env.records.void_document(SELLER, THREAD, mine.document_id)
    await env.records.void_document(ADMIN, THREAD, signed.document_id)

    for document in (mine, signed):
        found = await env.records.get_document(BUYER, THREAD, document.document_id)
        assert (found.state, found.body) == ("void", "One year, Europe.")
        with pytest.raises(DocumentVoid):
            await env.records.sign(BUYER, THREAD, document.document_id, version=1)
        with pytest.raises(DocumentVoid):
            await env.records.add_version(BUYER, THREAD, document.document_id, version=1, body="Still")
        with pytest.raises(DocumentVoid):
            await env.records.void_document(ADMIN, THREAD, document.document_id)


async def test_other_users_and_threads_find_nothing(env: Environment) -> None:
    created = await draft(env)

    for actor, thread in ((STRANGER, THREAD), (BUYER, "another-thread")):
        for verb in (
            env.records.get_document(actor, thread, created.document_id),
            env.records.add_version(actor, thread, created.document_id, version=1, body="Mine."),
            env.records.sign(actor, thread, created.document_id, version=1),
            env.records.void_document(actor, thread, created.document_id),
        ):
            with pytest.raises(NotFound):
                await verb
    with pytest.raises(NotFound):
        await env.records.list_documents(STRANGER, THREAD)
    assert await env.source_version("docs") == 1
    assert await env.source_version("docs", "another-thread") == 0


async def test_repeated_create_returns_the_first_document_and_another_body_is_refused(env: Environment) -> None:
    same = await asyncio.gather(*(draft(env, key="again") for _ in range(5)))

    assert len({document.document_id for document in same}) == 1
    assert await env.source_version("docs") == 1
    with pytest.raises(KeyReused):
        await draft(env, key="again", body="Something else.")
    with pytest.raises(KeyReused):
        await env.records.create_document(
            SELLER, "another-thread", title="License", kind="license", body="One year, Europe.", key="again"
        )
    theirs = await env.records.create_document(
        BUYER, THREAD, title="License", kind="license", body="One year, Europe.", key="again"
    )
    assert theirs.document_id != same[0].document_id


async def test_pages_go_from_the_newest_to_the_oldest_without_a_gap(env: Environment) -> None:
    created = [(await draft(env, f"number {number}")).document_id for number in range(5)]

    seen: list[str] = []
    cursor = None
    while True:
        page = await env.records.list_documents(BUYER, THREAD, limit=2, cursor=cursor)
        seen += [document.document_id for document in page.items]
        cursor = page.cursor
        if cursor is None:
            break
        await draft(env, "in between")

    assert seen == created[::-1]
    first = await env.records.list_documents(BUYER, THREAD, limit=2)
    with pytest.raises(BadCursor):
        await env.records.list_documents(BUYER, "another-thread", cursor=first.cursor)
    with pytest.raises(BadCursor):
        await env.records.list_amendments(BUYER, THREAD, cursor=first.cursor)


async def test_text_that_postgresql_cannot_store_is_refused(env: Environment) -> None:
    with pytest.raises(Invalid, match="null character"):
        await draft(env, body="a\0b")
    with pytest.raises(Invalid, match="null character"):
        await draft(env, title="a\0b")


async def test_number_of_versions_is_limited(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_VERSIONS", 2)
    created = await draft(env)
    await env.records.add_version(SELLER, THREAD, created.document_id, version=1, body="Two years.")

    with pytest.raises(TooManyVersions) as refused:
        await env.records.add_version(SELLER, THREAD, created.document_id, version=2, body="Three years.")

    assert refused.value.data["current"].current_version == 2


class Drawer:
    """One file, which belongs to the seller."""

    async def keep(self, actor: Actor, file_id: str, thread_id: str) -> str:
        if (actor, file_id) != (SELLER, "01JFILE"):
            raise NotFound
        return hashlib.sha256(b"a page").hexdigest()


async def test_file_version_has_its_hash_and_must_be_the_users_own(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table, files=Drawer()) as env:
        created = await draft(env, body=None, file_id="01JFILE")
        spent = await env.spend(receipt_file_id="01JFILE")

        assert created.sha256 == hashlib.sha256(b"a page").hexdigest()
        assert spent.receipt_file_id == "01JFILE"
        with pytest.raises(NotFound):
            await env.records.add_version(BUYER, THREAD, created.document_id, version=1, file_id="01JFILE")
        with pytest.raises(NotFound):
            await env.spend(receipt_file_id="01JOTHER")


async def test_idempotency_key_expires_after_two_days(address: RecordsAddress, table: Table) -> None:
    clock = SetClock()
    async with open_environment(address, table, clock=clock) as env:
        first = await draft(env, key="again")
        clock.move(seconds=47 * 3600)
        assert (await draft(env, key="again")).document_id == first.document_id
        clock.move(seconds=2 * 3600)

        assert (await draft(env, key="again", body="Something else.")).document_id != first.document_id


def test_unknown_role_is_forbidden() -> None:
    with pytest.raises(Forbidden):
        role_of("viewer")
