"""Events by topic: nodes receive what their subscribers need, whatever comes late, twice or without the relay."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio

from gateway.connection import Connection
from gateway.served_app import serve_app
from live.nodes import Client, Cluster, Community, Node, connected, eventually, nodes
from servers import Endpoint
from servers.sharded import ShardedStream, ShardingProxy
from sobremesa.core.ids import time_of
from sobremesa.live import topic_streams
from sobremesa.live.look_back import CLOCKS_DIFFER_MS
from sobremesa.rooms.sending import Draft


async def edit(community: Community, node: Node, message_id: str, content: str) -> None:
    path = f"/channels/{community.channel_id}/messages/{message_id}"
    await community.call(node, "ana", "PATCH", path, {"content": content})


async def change_topic(community: Community, node: Node, topic: str) -> None:
    await community.call(node, "ana", "PATCH", f"/channels/{community.channel_id}", {"topic": topic})


def delay_apart(stream: ShardedStream, late: str, other: str) -> None:
    """Let the changes of one partition lag behind those of another."""
    while stream.shard_of(late) == stream.shard_of(other):
        stream.split(stream.shard_of(late))
    stream.delay(stream.shard_of(late), LAG_SECONDS)


async def until_topic(connection: Connection, topic: str) -> list[dict[str, Any]]:
    """Return the frames until the topic of a channel changes to this."""
    frames: list[dict[str, Any]] = []
    while True:
        frames.append(await connection.frame(60))
        if frames[-1].get("t") == "channel.updated" and frames[-1]["d"]["topic"] == topic:
            return frames


LAG_SECONDS = 1.5


@pytest.mark.parametrize("store", ["sharded"], indirect=True)
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("fast", [True, False])
async def test_message_sent_after_a_join_that_comes_later_is_received(
    community: Community,
    store: str,
    sharded: ShardingProxy,
    valkey: Endpoint,
    tmp_path: Path,
    fast: bool,
    shared: bool,
) -> None:
    """The membership is in another shard than the message, which lags behind."""
    await community.register("dora")
    redis = valkey.url if shared else None
    with nodes(1, store, tmp_path, redis, fast=fast) as [node]:
        delay_apart(sharded.stream, f"USER#{community.users['dora'].user.user_id}", f"CHANNEL#{community.channel_id}")
        async with community.connect(node, "carl") as carl, community.connect(node, "dora") as dora:
            await carl.identify()
            await dora.identify()
            await community.join("ana", "dora")
            sent = [await community.send(node, "ana", f"hello {number}") for number in range(3)]
            # They were published long before the join.
            for message_id in sent:
                await carl.wait_for("message.created", messageId=message_id)

            await dora.wait_for("server.created")
            for message_id in sent:
                await dora.wait_for("message.created", messageId=message_id)
            last = await community.send(node, "ana", "and now")
            assert (await dora.wait_for("message.created"))["messageId"] == last


async def test_message_from_before_a_join_is_not_delivered(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    await community.register("dora")
    with nodes(1, store, tmp_path, valkey.url) as [node]:
        async with community.connect(node, "dora") as dora:
            await dora.identify()
            before = await community.send(node, "ana", "before")
            # The clocks of two nodes may differ by a second, so what is sent so shortly before a join is delivered.
            await eventually(lambda: time.time() * 1000 > time_of(before) + CLOCKS_DIFFER_MS + 100)
            await community.join("ana", "dora")
            await dora.wait_for("server.created")
            after = await community.send(node, "ana", "after")
            assert (await dora.wait_for("message.created"))["messageId"] == after


async def test_takeover_repeats_nothing_and_shows_no_earlier_state(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """A node that has just started knows no ids: it would deliver whatever is published again."""
    with nodes(1, store, tmp_path, valkey.url) as [first]:
        sent = await community.send(first, "ana", "hello")
        async with community.connect(first, "bea") as witness:
            await witness.identify()
            for content in ("edit one", "edit two"):
                await edit(community, first, sent, content)
            while (await witness.wait_for("message.updated"))["content"] != "edit two":
                pass
        with nodes(1, store, tmp_path, valkey.url) as [second]:
            async with community.connect(second, "bea") as bea:
                await bea.identify()
                first.kill()
                await change_topic(community, second, "after the takeover")
                frames = await until_topic(bea, "after the takeover")
                assert [frame["t"] for frame in frames if frame.get("t", "").startswith("message.")] == []


async def test_takeover_delivers_nothing_to_a_kicked_user(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    await community.register("dora")
    dora_id = community.users["dora"].user.user_id
    with nodes(1, store, tmp_path, valkey.url) as [first]:
        async with community.connect(first, "dora") as before, community.connect(first, "carl") as carl:
            await before.identify()
            await carl.identify()
            await community.join("ana", "dora")
            await before.wait_for("server.created")
            await community.call(first, "ana", "DELETE", f"/servers/{community.server_id}/members/{dora_id}")
            await before.wait_for("member.left")
        with nodes(1, store, tmp_path, valkey.url) as [second]:
            async with community.connect(second, "dora") as dora, community.connect(second, "bea") as bea:
                await dora.identify()
                await bea.identify()
                first.kill()
                await change_topic(community, second, "after the takeover")
                await until_topic(bea, "after the takeover")
                await community.send(second, "ana", "secret")
                assert await dora.is_quiet("server.created", "message.created", "channel.updated")


async def test_removal_reaches_other_nodes_while_no_node_relays(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(2, store, tmp_path, valkey.url, relays=False) as [one, two]:
        bea, carl = [Client(community, who, lambda: two) for who in ("bea", "carl")]
        async with connected(bea, carl):
            await bea.until(await community.send(one, "ana", "hello"))
            bea_id = community.users["bea"].user.user_id
            await community.call(one, "ana", "DELETE", f"/servers/{community.server_id}/members/{bea_id}")

            async def is_out() -> bool:
                last = await community.send(one, "ana", "is she gone?")
                await carl.until(last)  # both are on one node: she would have it by now
                return last not in bea.received

            async with asyncio.timeout(30):
                while not await is_out():
                    pass
            assert not any([not await is_out() for _ in range(5)])


async def test_resume_reads_only_the_own_topics(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    await community.register("dora")
    dora = community.users["dora"].actor
    server = await community.app.communities.create_server(dora, name="A busy place")
    busy = await community.app.communities.create_channel(dora, server.server_id, name="general")
    client = redis.asyncio.Redis.from_url(valkey.url)
    with nodes(1, store, tmp_path, valkey.url) as [one]:
        async with community.connect(one, "bea") as before, community.connect(one, "dora") as other:
            await before.identify()
            await other.identify()
        sent = await community.send(one, "ana", "hello")
        async with community.connect(one, "dora") as other:
            await other.identify()
            room_id = busy.channel.channel_id
            messages = [await community.app.communities.send(dora, room_id, Draft("x" * 4000)) for _ in range(200)]
            await other.wait_for("message.created", messageId=messages[-1].message_id)
        one.stop()
    with nodes(1, store, tmp_path, valkey.url) as [two]:
        written = (await client.info("stats"))["total_net_output_bytes"]
        async with community.connect(two, "bea") as bea:
            missed = await bea.resume(before)
        written = (await client.info("stats"))["total_net_output_bytes"] - written
    await client.aclose()
    assert sent in [frame["d"].get("messageId") for frame in missed]
    assert written < 100_000  # of 800,000


async def test_gap_names_only_the_rooms_whose_events_are_no_longer_kept(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    ana, bea_id = community.users["ana"].actor, community.users["bea"].user.user_id
    direct = (await community.app.conversations.create_direct(ana, bea_id)).conversation_id
    with nodes(1, store, tmp_path, valkey.url, kept=20) as [one]:
        async with community.connect(one, "bea") as before:
            await before.identify()
        async with community.connect(one, "carl") as carl:
            await carl.identify()
            body = {"content": "just for you"}
            quiet = await community.call(one, "ana", "POST", f"/conversations/{direct}/messages", body)
            sent = [await community.send(one, "ana", f"{number}") for number in range(60)]
            await carl.wait_for("message.created", messageId=sent[-1])
        with nodes(1, store, tmp_path, valkey.url, kept=20) as [two]:
            async with community.connect(two, "bea") as bea:
                await bea.frame()
                await bea.send(6, {"token": bea.token, "sessionId": before.session_id, "s": before.s})
                gap = await bea.frame()
                frames = [gap]
                while frames[-1].get("t") != "ready":
                    frames.append(await bea.frame())
                last = await community.send(one, "ana", "and now")
                assert (await bea.wait_for("message.created"))["messageId"] == last
    assert gap["t"] == "gap"
    assert [(room["roomId"], room["until"]) for room in gap["d"]["rooms"]] == [(community.channel_id, sent[-1])]
    messages = [frame["d"]["messageId"] for frame in frames if frame["t"] == "message.created"]
    assert messages == [quiet["messageId"]]


async def test_message_sent_after_a_gap_is_delivered_although_other_rooms_are_replayed_first(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_streams, "MAX_ENTRIES", 20)
    files, records = (tmp_path / "files").as_uri(), "postgresql://127.0.0.1:1/records"
    async with serve_app(store, redis=valkey.url, files=files, records=records) as served:
        ana, bea, room = community.users["ana"], community.users["bea"], community.channel_id
        async with served.connect(bea) as before, served.connect(ana) as witness:
            await before.identify()
            await witness.identify()
            await before.socket.close()
            sent = [await served.send(ana, room, f"{number}") for number in range(60)]
            await witness.wait_for("message.created", messageId=sent[-1])
            catch_up, late = served.app.live.hub.catch_up, []

            async def send_meanwhile(*arguments: Any) -> None:
                await catch_up(*arguments)
                late.append(await served.send(ana, room, "after the gap was read"))
                await witness.wait_for("message.created", messageId=late[0])

            monkeypatch.setattr(served.app.live.hub, "catch_up", send_meanwhile)
            async with served.connect(bea) as back:
                await back.frame()
                await back.send(6, {"token": back.token, "sessionId": before.session_id, "s": before.s})
                assert (await back.wait_for("gap"))["rooms"][0]["until"] == sent[-1]
                await back.wait_for("ready")
                await back.wait_for("message.created", messageId=late[0])


async def test_topic_without_subscribers_is_not_received(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """Valkey knows which topics a node receives: those of the users who are connected to it, and of nodes."""
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    table = store.partition("//")[2].partition("?")[0]

    async def until_received(*topics: str) -> None:
        async with asyncio.timeout(30):
            while True:
                names = await client.execute_command("PUBSUB", "SHARDCHANNELS", f"sobremesa:{{{table}/*")
                if {name.decode().partition("/")[2][:-1] for name in names} == {"nodes:all", "nodes:readers", *topics}:
                    return

    with nodes(1, store, tmp_path, valkey.url) as [node]:
        async with community.connect(node, "bea") as bea:
            await bea.identify()
            user = f"user:{community.users['bea'].user.user_id}"
            await until_received(user, "tenant:default", f"server:{community.server_id}")
    await client.aclose()


async def test_events_of_nodes_over_a_cluster_are_spread_over_its_servers(
    community: Community, store: str, tmp_path: Path
) -> None:
    direct = await community.app.conversations.create_direct(
        community.users["ana"].actor, community.users["carl"].user.user_id
    )
    with Cluster(tmp_path) as cluster, nodes(2, store, tmp_path, cluster.url) as [one, two]:
        clients = [Client(community, "carl", lambda node=node: node) for node in (one, two)]  # type: ignore[misc]
        async with connected(*clients), community.connect(two, "carl") as carl:
            await carl.identify()
            sent = []
            for number in range(5):
                sent.append(await community.send(one, "ana", f"{number}"))
                path = f"/conversations/{direct.conversation_id}/messages"
                sent.append((await community.call(two, "ana", "POST", path, {"content": f"{number}"}))["messageId"])
            for client in clients:
                await client.until(*sent)
            await change_topic(community, two, "by the change stream")
            await until_topic(carl, "by the change stream")
            await community.call(one, "ana", "POST", f"/channels/{community.channel_id}/typing")
            await carl.wait_for("typing.started")
            async with community.connect(one, "carl") as back:
                missed = await back.resume(carl, clients[0].first)
                found = [frame["d"]["messageId"] for frame in missed if frame["t"] == "message.created"]
                assert set(sent) - {clients[0].received[0]} <= set(found)
