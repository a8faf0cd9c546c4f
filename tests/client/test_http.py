"""The client over HTTP, against a real server."""

from __future__ import annotations

import asyncio

import pytest

from api.calling import PASSWORD
from api.running import Server
from client.proxy import LOST_ANSWER, Fate, LossyProxy
from client.timing import Hurried, ManualTime
from sobremesa.client import ApiError, Client, OutcomeUnknown, Room, SignedOut, Unreachable

SOON = Fate(reaches_server=False, status=429, headers={"Retry-After": "3"})


async def signed_up(client: Client, name: str) -> None:
    await client.register(f"{name}@example.com", name, PASSWORD)


async def test_two_users_exchange_messages(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        await signed_up(ana, f"ana{fresh}")
        await signed_up(ben, f"ben{fresh}")
        place = await ana.create_server("The long table")
        general = await ana.create_channel(place.server_id, "general")
        joined = await ben.join((await ana.invite(place.server_id, max_uses=1)).code)

        question = await ana.send(general.room, f"Coffee, @ben{fresh}?")
        answer = await ben.send(question.room, "Yes!", reply_to=question.message_id)
        await ben.react(question, "☕")
        left = await ana.mark_read(general.room, answer.message_id)
        history = [message async for message in ben.messages(general.room)]
        found = await ana.find_user(f"BEN{fresh}")

        assert (joined.kind, joined.server_id) == ("server", place.server_id)
        assert [message.message_id for message in history] == [answer.message_id, question.message_id]
        assert history[1].mentions == [ben.user.user_id]
        assert [(reaction.emoji, reaction.count) for reaction in history[1].reactions] == [("☕", 1)]
        assert left.count == 0
        assert found is not None
        assert found.user_id == ben.user.user_id
        assert [server.name async for server in ben.servers()] == ["The long table"]
        assert [channel.name async for channel in ben.channels(place.server_id)] == ["general"]


async def test_each_pair_has_one_direct_conversation(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        await signed_up(ana, f"ana{fresh}")
        await signed_up(ben, f"ben{fresh}")

        first = await ana.direct(ben.user.user_id)
        again = await ben.direct(ana.user.user_id)
        group = await ana.group([ben.user.user_id], name="Two of us")

        assert first.convo_id == again.convo_id
        assert first.other is not None
        assert first.other.user_id == ben.user.user_id
        assert {convo.convo_id async for convo in ben.conversations()} == {first.convo_id, group.convo_id}


async def test_history_is_paged_in_both_directions(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana:
        await signed_up(ana, fresh)
        room = (await ana.create_channel((await ana.create_server("A table")).server_id, "long")).room
        sent = [await ana.send(room, f"line {number}") for number in range(205)]
        ids = [message.message_id for message in sent]

        assert [message.message_id async for message in ana.messages(room)] == ids[::-1]
        assert [message.message_id async for message in ana.messages(room, after=ids[0])] == ids[1:]
        assert [message.message_id async for message in ana.messages(room, before=ids[3])] == ids[2::-1]


async def test_edited_and_deleted_messages_are_marked(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana:
        await signed_up(ana, fresh)
        room = (await ana.create_channel((await ana.create_server("A table")).server_id, "slips")).room
        first, second = await ana.send(room, "frist"), await ana.send(room, "oops")

        await ana.edit(first, "first")
        await ana.delete(second)

        shown = [(message.content, message.edited, message.deleted) async for message in ana.messages(room)]
        assert shown == [("", False, True), ("first", True, False)]


async def test_api_error_has_status_code_and_data(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana:
        await signed_up(ana, fresh)

        with pytest.raises(ApiError) as refused:
            await ana.send(Room("channel", "01JGSYB3ZZ0000000000000000"), "Hello?")
        with pytest.raises(ApiError) as invalid:
            await ana.request("POST", "/servers", {"name": 7})

    assert (refused.value.status, refused.value.code) == (404, "not_found")
    assert (invalid.value.status, invalid.value.code) == (422, "invalid")
    assert invalid.value.data["errors"]


async def test_token_is_refreshed_before_it_expires_once_for_all_requests(proxy: LossyProxy, fresh: str) -> None:
    manual_time = ManualTime()
    async with Client(proxy.url, pace=manual_time.pace) as ana:
        await signed_up(ana, fresh)
        first = ana.refresh_token
        await ana.me()
        assert proxy.times("/auth/refresh") == 0

        manual_time.turn(10 * 60)
        await asyncio.gather(*(ana.me() for _ in range(20)))

        assert proxy.times("/auth/refresh") == 1
        assert ana.refresh_token not in (None, first)


async def test_refused_token_is_refreshed_once_for_all_requests(proxy: LossyProxy, fresh: str) -> None:
    async with Client(proxy.url) as ana:
        await signed_up(ana, fresh)
        kept = ana.refresh_token

    async with Client(proxy.url, token="no token at all", refresh_token=kept) as again:
        users = await asyncio.gather(*(again.me() for _ in range(20)))

    assert {person.username for person in users} == {fresh}
    assert proxy.times("/auth/refresh") == 1


async def test_stored_refresh_token_opens_the_session_again(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana:
        await signed_up(ana, fresh)
        kept = ana.refresh_token

    async with Client(server.url, refresh_token=kept) as again:
        assert (await again.me()).username == fresh


async def test_ended_session_raises_signed_out(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana:
        await signed_up(ana, fresh)
        kept = ana.refresh_token
        await ana.logout()
        with pytest.raises(ApiError) as anonymous:
            await ana.me()

    async with Client(server.url, refresh_token=kept) as again:
        with pytest.raises(SignedOut):
            await again.me()
    assert anonymous.value.status == 401


async def test_send_with_a_lost_response_creates_one_message(proxy: LossyProxy, fresh: str) -> None:
    async with Client(proxy.url, pace=Hurried().pace) as ana:
        await signed_up(ana, fresh)
        room = (await ana.create_channel((await ana.create_server("A table")).server_id, "once")).room

        proxy.next("/messages", LOST_ANSWER, LOST_ANSWER)
        sent = await ana.send(room, "Once.")

        assert sent.replayed
        assert [message.message_id async for message in ana.messages(room)] == [sent.message_id]


async def test_create_with_a_lost_response_creates_one_server(proxy: LossyProxy, fresh: str) -> None:
    async with Client(proxy.url, pace=Hurried().pace) as ana:
        await signed_up(ana, fresh)

        proxy.next("/servers", LOST_ANSWER)
        created = await ana.create_server("A table")

        assert [server.server_id async for server in ana.servers()] == [created.server_id]


async def test_unsafe_request_is_not_repeated(proxy: LossyProxy, fresh: str) -> None:
    async with Client(proxy.url, pace=Hurried().pace) as ana:
        await signed_up(ana, fresh)

        proxy.next("/servers", LOST_ANSWER)
        with pytest.raises(OutcomeUnknown):
            await ana.request("POST", "/servers", {"name": "A table"})

        assert proxy.times("/servers") == 1


async def test_client_waits_a_little_longer_than_retry_after(proxy: LossyProxy, fresh: str) -> None:
    hurried = Hurried(chance=0.5)
    async with Client(proxy.url, pace=hurried.pace) as ana:
        await signed_up(ana, fresh)

        proxy.next("/servers", SOON, SOON)
        await ana.request("POST", "/servers", {"name": "A table"})

    assert hurried.slept == [3 * 1.125, 3 * 1.125]


async def test_attempts_are_bounded(proxy: LossyProxy, fresh: str) -> None:
    hurried = Hurried(chance=1.0)
    async with Client(proxy.url, pace=hurried.pace, max_attempts=4) as ana:
        await signed_up(ana, fresh)

        proxy.next("/users/me", *[Fate(reaches_server=False, status=503)] * 4)
        with pytest.raises(ApiError) as busy:
            await ana.me()
        # More than the client's attempts: aiohttp itself tries again on a connection that it had kept.
        proxy.next("/users/me", *[Fate(reaches_server=False)] * 8)
        with pytest.raises(Unreachable):
            await ana.me()

    assert busy.value.status == 503
    assert hurried.slept == [1.0, 2.0, 4.0] * 2


async def test_long_retry_after_is_raised(proxy: LossyProxy, fresh: str) -> None:
    hurried = Hurried()
    async with Client(proxy.url, pace=hurried.pace) as ana:
        await signed_up(ana, fresh)

        proxy.next("/users/me", Fate(reaches_server=False, status=429, headers={"Retry-After": "3600"}))
        with pytest.raises(ApiError) as refused:
            await ana.me()

    assert refused.value.retry_after == 3600
    assert hurried.slept == []
