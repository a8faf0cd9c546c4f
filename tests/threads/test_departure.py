"""A deleted account is removed from every thread at once, and its name from its messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.actor import DELETED_NAME, Actor
from sobremesa.core.errors import NotFound, Unauthenticated, UnknownUsers
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.entities import clean_up
from sobremesa.domains.threads.participants import JOINED, LEFT
from sobremesa.domains.threads.service import NewThread
from sobremesa.table import WritePattern
from sobremesa.table.values import Item
from threads.conftest import Ahead
from threads.environment import Deal, strike_deal

NAME, PASSWORD = "zebedee", "correct horse"


class DepartingUser(NamedTuple):
    """A user who is the buyer of one thread, helps in another, and has left a third."""

    zeb: Actor
    own: Deal
    helped: Deal
    left: Deal
    offer_id: MessageId

    async def rows(self, text: str) -> list[Item]:
        return [item async for item in self.own.app.table.scan(consistent=True) if text in str(item)]

    async def names_shown(self) -> set[str]:
        """Return every name on the messages of this user."""
        shown = set()
        for deal in (self.own, self.helped, self.left):
            page = await deal.app.threads.page(deal.seller, deal.thread_id, limit=100)
            shown |= {message.username for message in page.messages if message.author_id == self.zeb.user_id}
        users, _ = await self.own.app.threads.participants.list_participants(
            self.own.seller, self.own.thread_id, limit=10
        )
        profiles = await self.own.app.accounts.profiles([participant.user_id for participant in users])
        return shown | {profile.username for profile in profiles.values() if profile.user_id == self.zeb.user_id}


@pytest.fixture
async def departing(app: Sobremesa) -> DepartingUser:
    signed_in = await app.accounts.register(email=f"{NAME}@example.com", username=NAME, password=PASSWORD)
    zeb = Actor.of_user(signed_in.user.user_id, NAME)
    deals = [await strike_deal(app) for _ in range(3)]
    own, helped, left = deals
    # Their own thread: created like the others, with them as the buyer.
    created = await app.threads.create(zeb, NewThread("project", own.seller.user_id))
    own = own._replace(thread_id=created.listed.thread.room_id, buyer=zeb)
    for deal in (helped, left):
        await app.threads.participants.add(deal.buyer, deal.thread_id, zeb.user_id, "buyer")
    for deal in (own, helped, left):
        await deal.send(zeb, f"hello from {deal.thread_id}")
        await deal.send(deal.seller, "hello you")
    await app.threads.participants.remove(zeb, left.thread_id, zeb.user_id)
    offer = {"amount": 100, "currency": "EUR"}
    card = await app.threads.cards.create(zeb, own.thread_id, type="offer", payload=offer)
    await app.threads.react(zeb, own.thread_id, card.message_id, "👍")
    return DepartingUser(zeb, own, helped, left, card.message_id)


async def assert_nothing_personal_is_left(departing: DepartingUser) -> None:
    assert await departing.rows(NAME) == []
    theirs = [
        item for item in await departing.rows(departing.zeb.user_id) if item["pk"] == f"USER#{departing.zeb.user_id}"
    ]
    assert [item["sk"] for item in theirs] == ["PROFILE"]
    seats = [
        item for item in await departing.rows(departing.zeb.user_id) if item["sk"] == f"PART#{departing.zeb.user_id}"
    ]
    assert seats == []
    for deal in (departing.own, departing.helped, departing.left):
        assert departing.zeb.user_id not in (await deal.thread()).participants


async def test_name_is_masked_at_once_and_removed_by_the_job(departing: DepartingUser) -> None:
    app = departing.own.app
    assert await departing.names_shown() == {NAME}

    await app.accounts.delete_me(departing.zeb, password=PASSWORD)
    assert await departing.names_shown() == {DELETED_NAME}
    assert await app.jobs.run_pending(app.handlers) == 1

    assert await departing.names_shown() == {DELETED_NAME}
    await assert_nothing_personal_is_left(departing)
    for deal in (departing.own, departing.helped):
        with pytest.raises(NotFound):
            await deal.send(departing.zeb, "boo")
    # Messages and offers stay with the other side.
    seller = departing.own.seller
    page = await app.threads.page(seller, departing.own.thread_id, limit=10)
    assert [message.content for message in reversed(page.messages)][1:] == ["hello you", "offer: open"]
    assert (
        await app.threads.cards.get(seller, departing.own.thread_id, departing.offer_id)
    ).created_by == departing.zeb.user_id
    await departing.own.send(seller, "anybody?")


def dying(call: Callable[..., Awaitable[Any]], steps: int) -> Callable[..., Awaitable[Any]]:
    """Wrap a call so that it fails after a number of cleanup steps."""
    left = [steps]

    async def removing(*operations: Any, pattern: WritePattern | None = None, **options: Any) -> Any:
        if pattern is clean_up:
            left[0] -= 1
            if left[0] < 0:
                raise RuntimeError("the process dies here")
        return await call(*operations, pattern=pattern, **options)

    return removing


async def test_interrupted_account_deletion_is_finished_later(
    departing: DepartingUser, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = departing.own.app
    await app.accounts.delete_me(departing.zeb, password=PASSWORD)

    for writes, bulks in ((0, 9), (1, 9), (3, 9), (99, 0)):
        with monkeypatch.context() as patched:
            patched.setattr(app.table, "write", dying(app.table.write, writes))
            patched.setattr(app.table, "write_many", dying(app.table.write_many, bulks))
            assert await app.jobs.run_pending(app.handlers) == 0
        assert await departing.names_shown() <= {DELETED_NAME}
        clock.move(seconds=400)

    assert await app.jobs.run_pending(app.handlers) == 1
    await assert_nothing_personal_is_left(departing)


async def test_export_has_all_data_of_the_user_and_none_of_others(departing: DepartingUser) -> None:
    lines = [line async for line in departing.own.app.accounts.export(departing.zeb)]

    by_kind: dict[str, list[Any]] = {}
    for line in lines:
        by_kind.setdefault(line["kind"], []).append(line)
    assert {line["threadId"]: line["roleContext"] for line in by_kind["threadParticipant"]} == {
        departing.own.thread_id: "buyer",
        departing.helped.thread_id: "buyer",
    }
    assert [line["threadId"] for line in by_kind["formerThreadParticipant"]] == [departing.left.thread_id]
    contents = {line["content"] for line in by_kind["message"]} - {JOINED, LEFT}
    assert contents == {
        "offer: open",
        *(f"hello from {deal.thread_id}" for deal in (departing.own, departing.helped, departing.left)),
    }
    assert [(line["type"], line["payload"]["amount"]) for line in by_kind["card"]] == [("offer", 100)]
    assert [line["emoji"] for line in by_kind["reaction"]] == ["👍"]
    assert "hello you" not in str(lines)


async def test_deleted_user_can_neither_be_contacted_nor_create_threads(departing: DepartingUser) -> None:
    app = departing.own.app
    await app.accounts.delete_me(departing.zeb, password=PASSWORD)

    wanted = NewThread("project", departing.own.seller.user_id)
    with pytest.raises(UnknownUsers):
        await app.threads.create(departing.own.seller, wanted._replace(seller_user_id=departing.zeb.user_id))
    with pytest.raises(Unauthenticated):
        await app.threads.create(departing.zeb, wanted)
    with pytest.raises(UnknownUsers):
        await app.threads.participants.add(
            departing.left.buyer, departing.left.thread_id, departing.zeb.user_id, "buyer"
        )
