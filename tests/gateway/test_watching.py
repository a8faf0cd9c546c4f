"""Watching channels, and what users receive of channels that they do not watch in a crowded server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from api.conftest import ENGINES, store_of
from api.thread_chapters import until as eventually
from gateway.conftest import SharedChannel, shared_channel
from gateway.connection import Closed
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.errors import NotFound, TooMany
from sobremesa.core.ids import MessageId, RoomId, first_of, time_of
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities import entities as com
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.rooms.sending import Draft

MAX_CHANNELS = 3


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


@pytest.fixture
async def served(store: str) -> AsyncIterator[ServedApp]:
    """A server is crowded as soon as two members are connected."""
    async with serve_app(store, lazy_delivery_above=1, max_watched_channels=MAX_CHANNELS) as served:
        yield served


@pytest.fixture
async def shared(served: ServedApp) -> SharedChannel:
    return await shared_channel(served)


def active(activity: dict[str, Any], room_id: str) -> dict[str, Any]:
    """Return what an activity says about a channel."""
    [found] = [each for each in activity["channels"] if each["channelId"] == room_id]
    return dict(found)


async def rows_of(served: ServedApp, room_id: RoomId) -> list[com.Connection]:
    return [row async for row in served.app.table.every(com.connections_in(room_id=room_id))]


async def put(served: ServedApp, who: SignedIn, path: str, body: Any) -> tuple[int, Any]:
    async with served.http.put(
        f"/v1{path}", json=body, headers={"Authorization": f"Bearer {who.access_token}"}
    ) as answer:
        return answer.status, await answer.json()


async def viewers(served: ServedApp, who: SignedIn, room_id: str) -> list[str]:
    return [each["userId"] for each in (await served.get(who, f"/channels/{room_id}/viewers"))["items"]]


async def until(served: ServedApp, room_id: RoomId, count: int) -> list[com.Connection]:
    """Return the connections of a channel once there are so many."""

    async def look() -> tuple[list[com.Connection]] | None:
        found = await rows_of(served, room_id)
        return (found,) if len(found) == count else None

    found = await eventually(look, 60)
    return [] if found is None else found[0]


# Delivery


async def test_only_watchers_of_a_channel_receive_its_messages(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as ana, served.connect(shared.bea) as bea:
        await ana.identify()
        await bea.identify()
        await bea.watch(shared.channel_id)

        first = await served.send(shared.carl, shared.channel_id, "first")

        assert (await bea.wait_for("message.created"))["messageId"] == first
        frame = await ana.event("channel.activity", "message.created")
        assert frame["t"] == "channel.activity"
        assert frame["s"]
        assert frame["d"] == {
            "serverId": shared.server_id,
            "channels": [
                {
                    "channelId": shared.channel_id,
                    "after": first_of(time_of(first)),
                    "until": first,
                    "changed": False,
                }
            ],
        }


async def test_watching_returns_the_last_message_of_the_channel(served: ServedApp, shared: SharedChannel) -> None:
    other = await served.channel(shared.ana, shared.server_id, "other")
    last = await served.send(shared.carl, shared.channel_id, "last")
    async with served.connect(shared.bea) as bea:
        await bea.identify()

        assert await bea.watch(shared.channel_id, other) == [
            {"channelId": shared.channel_id, "serverId": shared.server_id, "lastMessageId": last},
            {"channelId": other, "serverId": shared.server_id, "lastMessageId": None},
        ]


async def test_a_channel_that_the_user_does_not_see_is_not_watched(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.dora) as dora, served.connect(shared.bea) as bea:
        await dora.identify()
        await bea.identify()

        assert await dora.watch(shared.channel_id, "01K0000000000000000000NONE", "#") == []
        assert await rows_of(served, shared.channel_id) == []

        await bea.watch(shared.channel_id)
        await served.send(shared.ana, shared.channel_id, "not for Dora")
        await bea.wait_for("message.created")
        assert await dora.is_quiet()


async def test_author_and_users_whom_a_message_concerns_receive_it(served: ServedApp, shared: SharedChannel) -> None:
    communities = served.app.communities
    asked = await served.send(shared.bea, shared.channel_id, "a question")
    async with (
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
        served.connect(shared.carl) as carl,
    ):
        for socket in (ana, bea, carl):
            await socket.identify()

        reply = Draft("an answer", reply_to=MessageId(asked))
        answered = (await communities.send(shared.carl.actor, shared.channel_id, reply)).message_id
        assert (await bea.wait_for("message.created", messageId=answered))["content"] == "an answer"
        assert (await carl.wait_for("message.created", messageId=answered))["content"] == "an answer"

        mentioning = await served.send(shared.carl, shared.channel_id, "@ana, look")
        while (received := await ana.wait_for("message.created"))["messageId"] != mentioning:
            assert received["messageId"] == asked  # on DynamoDB it may be published late, but the reply is not
        assert (await carl.wait_for("message.created", messageId=mentioning))["content"] == "@ana, look"

        await communities.delete_message(shared.carl.actor, shared.channel_id, MessageId(mentioning))
        assert (await ana.wait_for("message.deleted"))["messageId"] == mentioning


async def test_changes_of_older_messages_are_reported(served: ServedApp, shared: SharedChannel) -> None:
    communities, room_id = served.app.communities, shared.channel_id
    message_id = MessageId(await served.send(shared.carl, room_id, "text"))
    async with served.connect(shared.ana) as ana, served.connect(shared.bea) as bea:
        await ana.identify()
        await bea.identify()
        await bea.watch(room_id)
        for change in (
            communities.edit(shared.carl.actor, room_id, message_id, "other text"),
            communities.react(shared.carl.actor, room_id, message_id, "👍"),
            communities.pin(shared.ana.actor, room_id, message_id),
        ):
            await change
            activity = active(await ana.wait_for("channel.activity"), room_id)
            while not activity["changed"]:  # on DynamoDB the message itself may be reported late
                activity = active(await ana.wait_for("channel.activity"), room_id)
            assert activity["until"] is None
        assert (await bea.wait_for("message.updated"))["content"] == "other text"
        await bea.wait_for("reaction.added")
        await bea.wait_for("pin.added")


async def test_typing_is_delivered_to_watchers_only(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as ana, served.connect(shared.bea) as bea:
        await ana.identify()
        await bea.identify()
        await bea.watch(shared.channel_id)

        await served.app.communities.typing(shared.carl.actor, shared.channel_id)

        assert (await bea.wait_for("typing.started"))["userId"] == shared.carl.user.user_id
        assert await ana.is_quiet("typing.started")


async def test_a_private_channel_is_reported_only_to_those_who_see_it(served: ServedApp, shared: SharedChannel) -> None:
    private = await served.channel(shared.ana, shared.server_id, "private")
    access = AccessList([], [shared.bea.user.user_id])
    await served.app.communities.privacy.change(shared.ana.actor, private, access)
    async with (
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
        served.connect(shared.carl) as carl,
    ):
        for socket in (ana, bea, carl):
            await socket.identify()
        assert await carl.watch(private) == []

        secret = await served.send(shared.ana, private, "secret")
        public = await served.send(shared.ana, shared.channel_id, "public")

        seen: set[str] = set()
        while seen != {secret, public}:
            seen |= {each["until"] for each in (await bea.wait_for("channel.activity"))["channels"]}
        activity = await carl.wait_for("channel.activity")
        assert [(each["channelId"], each["until"]) for each in activity["channels"]] == [(shared.channel_id, public)]
        assert await carl.is_quiet("channel.activity", "message.created")


async def test_removed_member_receives_nothing_of_what_they_watched(served: ServedApp, shared: SharedChannel) -> None:
    async with (
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
        served.connect(shared.carl) as carl,
    ):
        for socket in (ana, bea, carl):
            await socket.identify()
            await socket.watch(shared.channel_id)
        await until(served, shared.channel_id, 3)

        await served.app.communities.members.remove(shared.ana.actor, shared.server_id, shared.bea.user.user_id)
        await served.send(shared.carl, shared.channel_id, "without Bea")

        await ana.wait_for("message.created")
        assert await bea.is_quiet("message.created", "channel.activity")
        assert shared.bea.user.user_id not in await viewers(served, shared.ana, shared.channel_id)
        left = await until(served, shared.channel_id, 2)
        assert {row.user_id for row in left} == {shared.ana.user.user_id, shared.carl.user.user_id}


async def test_channel_that_becomes_private_is_no_longer_watched(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as ana, served.connect(shared.carl) as carl:
        await ana.identify()
        await carl.identify()
        private = await served.channel(shared.ana, shared.server_id, "private")
        nobody, everyone = AccessList([], []), AccessList([], [shared.carl.user.user_id])
        await served.app.communities.privacy.change(shared.ana.actor, private, everyone)
        await carl.wait_for("channel.updated", channelId=private, private=True)
        assert [each["channelId"] for each in await carl.watch(private)] == [private]

        await served.app.communities.privacy.change(shared.ana.actor, private, nobody)
        await served.send(shared.ana, private, "not for Carl")

        await carl.wait_for("channel.deleted", channelId=private)
        assert await carl.is_quiet("message.created", "channel.activity")
        await until(served, private, 0)


async def test_nothing_is_lost_while_a_server_becomes_crowded_and_empty(
    served: ServedApp, shared: SharedChannel
) -> None:
    """Every message reaches a client as an event, or is in a range that it can fetch."""
    rooms = [shared.channel_id, await served.channel(shared.ana, shared.server_id, "other")]
    sent: list[str] = []
    has_finished = asyncio.Event()

    async def sends(who: SignedIn, room_id: RoomId) -> None:
        sent.extend([await served.send(who, room_id, f"{number}") for number in range(40)])

    async def comes_and_goes() -> None:
        while not has_finished.is_set():
            async with served.connect(shared.carl) as carl:
                await carl.identify()
                await served.app.communities.typing(shared.carl.actor, shared.channel_id)
                await carl.wait_for("message.created", "channel.activity", "typing.started")

    async with served.connect(shared.bea) as bea:
        await bea.identify()
        await bea.watch(rooms[1])
        visits = asyncio.create_task(comes_and_goes())
        await asyncio.gather(*(sends(who, room_id) for who in (shared.ana, shared.carl) for room_id in rooms))
        has_finished.set()
        await served.app.communities.typing(shared.ana.actor, shared.channel_id)
        mark = await served.app.communities.create_channel(shared.ana.actor, shared.server_id, name="mark")

        received: list[str] = []
        ranges: list[tuple[str, str]] = []
        is_marked = False
        while not is_marked or not covers(sent, received, ranges):
            frame = await bea.event()
            if frame["t"] == "message.created":
                received.append(frame["d"]["messageId"])
            elif frame["t"] == "channel.activity":
                ranges += [(each["after"], each["until"]) for each in frame["d"]["channels"] if each["until"]]
            is_marked |= frame["t"] == "channel.created" and frame["d"]["channelId"] == mark.channel.channel_id
        await visits
    watched = [each async for each in messages_in(served, shared.bea, rooms[1])]
    assert set(watched) <= set(received)


def covers(sent: list[str], received: list[str], ranges: list[tuple[str, str]]) -> bool:
    return all(id in received or any(after < id <= until for after, until in ranges) for id in sent)


async def messages_in(served: ServedApp, who: SignedIn, room_id: str) -> AsyncIterator[str]:
    query: dict[str, Any] = {"limit": 100}
    while True:
        page = await served.get(who, f"/channels/{room_id}/messages", **query)
        for message in page["items"]:
            yield message["messageId"]
        if page["next"] is None:
            return
        query["cursor"] = page["next"]


# Resume


async def test_resume_delivers_what_is_watched_and_reports_the_rest(served: ServedApp, shared: SharedChannel) -> None:
    other = await served.channel(shared.ana, shared.server_id, "other")
    async with served.connect(shared.ana) as ana, served.connect(shared.carl) as carl:
        await ana.identify()
        await carl.identify()
        async with served.connect(shared.bea) as before:
            await before.identify()
            await before.watch(shared.channel_id)
        watched = await served.send(shared.carl, shared.channel_id, "watched")
        unwatched = [await served.send(shared.carl, other, f"{number}") for number in range(2)]
        async with served.connect(shared.bea) as after:
            missed = await after.resume(before, channelIds=[shared.channel_id])
            while not any(each["t"] == "channel.activity" for each in missed):
                missed.append(await after.event())  # on DynamoDB it may be published after the resume
            activity = missed[-1] if missed[-1]["t"] == "channel.activity" else missed[-2]

            created = [each["d"]["messageId"] for each in missed if each["t"] == "message.created"]
            assert set(created) == {watched}  # a resume may repeat an event under the same id
            assert active(activity["d"], other)["after"] < unwatched[0]
            while active(activity["d"], other)["until"] != unwatched[1]:
                activity = await after.event("channel.activity")


async def test_activity_is_reported_to_a_client_that_was_cut_before_the_report(
    served: ServedApp, shared: SharedChannel
) -> None:
    """The cursor of a later event is after that of an activity that was not reported yet."""
    other = await served.channel(shared.ana, shared.server_id, "other")
    async with served.connect(shared.ana) as ana, served.connect(shared.carl) as carl:
        await ana.identify()
        await carl.identify()
        async with served.connect(shared.bea) as before:
            await before.identify()
            await before.watch(shared.channel_id)
            # A first report, so that the next one is a second later.
            await served.send(shared.carl, other, "reported")
            await before.wait_for("channel.activity")
            while True:
                unreported = await served.send(shared.carl, other, "not reported")
                seen = await served.send(shared.carl, shared.channel_id, "seen")
                frame = await before.event("message.created", "channel.activity")
                if frame["t"] == "message.created":
                    break
                # The machine took longer than a second, so it was reported: once more.
                await before.wait_for("message.created", messageId=seen)
            assert frame["d"]["messageId"] == seen
        async with served.connect(shared.bea) as after:
            missed = await after.resume(before, channelIds=[shared.channel_id])

        [activity] = [each["d"] for each in missed if each["t"] == "channel.activity"]
        assert active(activity, other)["until"] == unreported
        # The stream of DynamoDB may repeat an event under the same id, which a client drops.
        assert seen not in [each["d"].get("messageId") for each in missed if each.get("id") != frame["id"]]


async def test_identify_may_name_what_is_watched(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as ana, served.connect(shared.bea) as bea:
        await ana.identify()
        await bea.frame()
        await bea.send(2, {"token": shared.bea.access_token, "channelIds": [shared.channel_id, "unknown"]})
        await bea.wait_for("ready")

        message_id = await served.send(shared.carl, shared.channel_id, "at once")

        assert (await bea.wait_for("message.created"))["messageId"] == message_id
        [row] = await until(served, shared.channel_id, 1)
        assert row.user_id == shared.bea.user.user_id


# Rows


async def test_rows_follow_what_a_socket_watches(served: ServedApp, shared: SharedChannel) -> None:
    other = await served.channel(shared.ana, shared.server_id, "other")
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        now = served.app.clock.now_seconds()
        await bea.watch(shared.channel_id, other)

        [row] = await rows_of(served, shared.channel_id)
        assert (row.user_id, row.server_id) == (shared.bea.user.user_id, shared.server_id)
        assert 0 <= row.ttl - now - 24 * 3600 <= 60
        found = [each async for each in served.app.table.every(com.connection_by_id(connection_id=row.connection_id))]
        assert {each.room_id for each in found} == {shared.channel_id, other}
        pointer = await served.app.table.get(com.connection_of(user_id=row.user_id, connection_id=row.connection_id))
        assert pointer is not None
        assert (pointer.channel_id, pointer.server_id) == (shared.channel_id, shared.server_id)
        assert pointer.channel_ids == [shared.channel_id, other]

        await bea.watch(other)
        assert await rows_of(served, shared.channel_id) == []
        [kept] = await rows_of(served, other)
        assert kept.connection_id == row.connection_id

    await until(served, other, 0)


async def test_viewers_are_listed_for_members_only(served: ServedApp, shared: SharedChannel) -> None:
    async with (
        served.connect(shared.bea) as phone,
        served.connect(shared.bea) as laptop,
        served.connect(shared.carl) as carl,
    ):
        for socket in (phone, laptop, carl):
            await socket.identify()
            await socket.watch(shared.channel_id)

        path = f"/channels/{shared.channel_id}/viewers"
        found = await served.get(shared.ana, path)
        assert {each["userId"]: each["username"] for each in found["items"]} == {
            shared.bea.user.user_id: "bea",
            shared.carl.user.user_id: "carl",
        }
        assert found["next"] is None
        paged = await served.get(shared.ana, path, limit=1)
        seen = {each["userId"] for each in paged["items"]}
        while paged["next"] is not None:
            paged = await served.get(shared.ana, path, limit=1, cursor=paged["next"])
            seen |= {each["userId"] for each in paged["items"]}
        assert len(seen) == 2
        assert (await served.get(shared.dora, path))["code"] == "not_found"
        with pytest.raises(NotFound):
            await served.app.watching.list_viewers(shared.dora.actor, shared.channel_id, limit=1, cursor=None)


# Polling


async def test_a_session_that_polls_watches_as_a_socket_does(served: ServedApp, shared: SharedChannel) -> None:
    other = await served.channel(shared.ana, shared.server_id, "other")
    async with served.connect(shared.ana) as ana, served.connect(shared.carl) as carl:
        await ana.identify()
        await carl.identify()
        start = (await served.get(shared.bea, "/events"))["next"]
        status, body = await put(served, shared.bea, "/watching", {"channelIds": [shared.channel_id, "unknown"]})
        assert (status, [each["channelId"] for each in body["channels"]]) == (200, [shared.channel_id])
        assert await viewers(served, shared.ana, shared.channel_id) == [shared.bea.user.user_id]

        watched = await served.send(shared.carl, shared.channel_id, "watched")
        unwatched = await served.send(shared.carl, other, "not watched")

        items: list[dict[str, Any]] = []
        async with asyncio.timeout(60):
            while not {"message.created", "channel.activity"} <= {each["t"] for each in items}:
                polled = await served.get(shared.bea, "/events", after=start, wait=5)
                start, items = polled["next"], items + polled["items"]
        assert {each["d"]["messageId"] for each in items if each["t"] == "message.created"} == {watched}
        ends = {active(each["d"], other)["until"] for each in items if each["t"] == "channel.activity"}
        assert ends == {unwatched}

        await put(served, shared.bea, "/watching", {"channelIds": [other]})
        assert await viewers(served, shared.ana, shared.channel_id) == []
        await put(served, shared.bea, "/watching", {"channelIds": []})
        assert await viewers(served, shared.ana, other) == []
        left = [row async for row in served.app.table.every(com.connections_of(user_id=shared.bea.user.user_id))]
        assert left == []


async def test_a_response_that_is_full_has_all_reports(served: ServedApp, shared: SharedChannel) -> None:
    """The next request continues after them."""
    other = await served.channel(shared.ana, shared.server_id, "other")
    async with served.connect(shared.ana) as ana, served.connect(shared.carl) as carl:
        await ana.identify()
        await carl.identify()
        start = (await served.get(shared.bea, "/events"))["next"]
        await put(served, shared.bea, "/watching", {"channelIds": [shared.channel_id]})
        sent: list[str] = []
        for number in range(3):
            await served.send(shared.carl, other, f"not watched {number}")
            sent.append(await served.send(shared.carl, shared.channel_id, f"watched {number}"))
        last = await served.send(shared.carl, other, "the last")

        received: list[str] = []
        reported = ""
        async with asyncio.timeout(60):
            while received[-1:] != sent[-1:] or reported != last:
                polled = await served.get(shared.bea, "/events", after=start, wait=5, limit=1)
                start = polled["next"]
                for item in polled["items"]:
                    if item["t"] == "message.created" and item["d"]["messageId"] not in received:
                        received.append(item["d"]["messageId"])
                    elif item["t"] == "channel.activity":
                        reported = max([reported, *(each["until"] or "" for each in item["d"]["channels"])])
        assert [each for each in received if each in sent] == sent


# Bounds


@pytest.mark.parametrize("channel_ids", [None, "text", [1], {}, [""], ["x" * 201]])
async def test_a_list_of_another_type_is_refused(served: ServedApp, shared: SharedChannel, channel_ids: Any) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()

        status, problem = await bea.ask_to_watch(channel_ids)

        assert (status, problem["code"]) == (422, "invalid")
        assert await bea.watch(shared.channel_id)  # the socket is still open


async def test_a_connection_watches_a_limited_number_of_channels(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        await bea.watch(shared.channel_id)

        status, problem = await bea.ask_to_watch([f"c{number}" for number in range(MAX_CHANNELS + 1)])

        assert (status, problem["code"], problem["limit"]) == (422, "too_many_channels", MAX_CHANNELS)
        assert len(await rows_of(served, shared.channel_id)) == 1  # as before
        status, problem = await put(served, shared.bea, "/watching", {"channelIds": [f"c{n}" for n in range(9)]})
        assert (status, problem["code"]) == (422, "too_many_channels")


async def test_identify_with_too_many_channels_is_refused(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect() as socket:
        await socket.frame()
        await socket.send(2, {"token": shared.bea.access_token, "channelIds": [f"c{number}" for number in range(9)]})
        assert (await socket.closed()).code == 4002


async def test_watching_before_identify_is_refused(served: ServedApp) -> None:
    async with served.connect() as socket:
        await socket.frame()
        await socket.send(14, {"channelIds": []})
        with pytest.raises(Closed) as closed:
            await socket.frame()
        assert closed.value.code == 4003


async def test_watching_counts_as_a_write(store: str) -> None:
    async with serve_app(store, rate_limits="on") as served:
        bea = await served.create_user("bea")
        async with served.connect(bea) as socket, asyncio.timeout(60):
            await socket.identify()
            status, body = await socket.ask_to_watch([])
            assert (status, body) == (200, {"channels": []})
            while status == 200:  # a write more is allowed each third of a second
                with contextlib.suppress(TooMany):
                    while True:
                        await served.app.limits.consume("write", bea.actor.name)
                status, body = await socket.ask_to_watch([])
            assert (status, body["code"]) == (429, "too_many_requests")
