"""The author of a message receives the nonce of their request with it; no other user does."""

from __future__ import annotations

from typing import Any

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from gateway.test_replay import block
from sobremesa.core.ids import MessageId
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.rooms.sending import Draft

NONCE = 'n-1 "quoted" é'


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def send(
    served: ServedApp, who: SignedIn, shared: SharedChannel, content: str, nonce: str | None = NONCE
) -> MessageId:
    return (await served.app.communities.send(who.actor, shared.channel_id, Draft(content, nonce=nonce))).message_id


async def missed_by(served: ServedApp, who: SignedIn, after: str) -> list[dict[str, Any]]:
    """Return what a user missed of messages, by a long poll."""
    polled = await served.get(who, "/events", after=after, wait=0)
    return [each for each in polled["items"] if each["t"].startswith("message.")]


async def test_author_receives_the_nonce_on_all_devices_and_no_other_user_does(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with (
        served.connect(shared.carl) as phone,
        served.connect(shared.carl) as laptop,
        served.connect(shared.bea) as bea,
        served.connect(shared.ana) as moderator,
    ):
        for connection in (phone, laptop, bea, moderator):
            await connection.identify()
        await send(served, shared.carl, shared, "with a nonce")
        await send(served, shared.carl, shared, "without", nonce=None)

        for own in (phone, laptop):
            assert (await own.wait_for("message.created"))["nonce"] == NONCE
            assert "nonce" not in await own.wait_for("message.created")
        for other in (bea, moderator):
            assert "nonce" not in await other.wait_for("message.created")


@pytest.mark.parametrize("has_subscriber", [True, False])
async def test_author_receives_the_nonce_of_missed_messages(
    served: ServedApp, shared: SharedChannel, has_subscriber: bool
) -> None:
    async with served.connect(shared.carl) as before, served.connect(shared.bea) as bea:
        await before.identify()
        if has_subscriber:
            await bea.identify()
        after = before.s
        sent = await send(served, shared.carl, shared, "at first")
        await served.app.communities.edit(shared.carl.actor, shared.channel_id, sent, "in the end")
        while not {"message.created", "message.updated"} <= {
            each["t"] for each in await missed_by(served, shared.carl, after)
        }:
            pass

    async with served.connect(shared.carl) as again:
        resumed = [each for each in await again.resume(before, after) if each["t"].startswith("message.")]
    for frames in (resumed, await missed_by(served, shared.carl, after)):
        assert [(each["t"], each["d"].get("nonce"), each["d"]["content"]) for each in first_of_each(frames)] == [
            ("message.created", NONCE, "in the end"),
            ("message.updated", None, "in the end"),
        ]
    for frame in await missed_by(served, shared.bea, after):
        assert "nonce" not in frame["d"]


async def test_moderator_receives_withheld_content_without_the_nonce(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.carl) as before:
        await before.identify()
    sent = await send(served, shared.carl, shared, "nasty")
    await block(served, shared, sent)

    async def first_missed(who: SignedIn) -> tuple[str, str | None]:
        while not (missed := await missed_by(served, who, before.s)):
            pass
        return missed[0]["d"]["content"], missed[0]["d"].get("nonce")

    assert await first_missed(shared.carl) == ("nasty", NONCE)
    assert await first_missed(shared.ana) == ("nasty", None)
    assert await first_missed(shared.bea) == ("", None)


def first_of_each(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the frames without repeats, which have the same id."""
    return list({frame["id"]: frame for frame in reversed(frames)}.values())[::-1]
