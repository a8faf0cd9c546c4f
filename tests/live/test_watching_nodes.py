"""Watching channels over several nodes: who is looking anywhere, and clients that go on at another node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from api.thread_chapters import until
from gateway.connection import Connection
from live.nodes import SOON_SECONDS, Community, Node, nodes
from live.test_presence import QUICK
from servers import Endpoint
from sobremesa.domains.communities.entities import connections_in


async def viewers(community: Community, node: Node) -> list[str]:
    """Return the names of those who watch the channel, as a node lists them."""
    listed: Any = await community.call(node, "ana", "GET", f"/channels/{community.channel_id}/viewers")
    return sorted(each["username"] for each in listed["items"])


async def test_viewers_of_a_dead_node_are_not_listed_and_their_rows_are_removed(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(2, store, tmp_path, valkey.url, presence=QUICK) as [one, two]:
        async with community.connect(one, "bea") as bea, community.connect(two, "carl") as carl:
            for socket in (bea, carl):
                await socket.identify()
                await socket.watch(community.channel_id)
            names = {name: user.user.username for name, user in community.users.items()}
            assert await viewers(community, one) == await viewers(community, two) == [names["bea"], names["carl"]]

            one.kill()

            async def is_alone() -> bool:
                rows = [row async for row in community.app.table.every(connections_in(room_id=community.channel_id))]
                return await viewers(community, two) == [names["carl"]] and len(rows) == 1

            await until(is_alone, SOON_SECONDS)


async def test_client_resumes_at_another_node_with_what_it_watches(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(2, store, tmp_path, valkey.url, crowd=0) as [one, two]:
        at = f"/servers/{community.server_id}/channels"
        other = (await community.call(one, "ana", "POST", at, {"name": "other"}))["channelId"]
        async with community.connect(one, "bea") as before:
            await before.identify()
            await before.watch(community.channel_id)
            first = await community.send(two, "ana", "first")
            await before.wait_for("message.created", messageId=first)
        missed = await community.send(one, "ana", "missed")
        path = f"/channels/{other}/messages"
        unwatched = (await community.call(one, "ana", "POST", path, {"content": "unwatched"}))["messageId"]

        # A node without subscribers of the server delivers all that was missed.
        async with community.connect(two, "carl") as carl, community.connect(two, "bea") as after:
            await carl.identify()
            frames = await after.resume(before, channelIds=[community.channel_id])
            created = {frame["d"]["messageId"] for frame in frames if frame["t"] == "message.created"}
            assert missed in created
            assert unwatched not in created
            assert await reported(after, frames, other) == unwatched
            live = await community.send(one, "ana", "live")
            await after.wait_for("message.created", messageId=live)


async def reported(socket: Connection, frames: list[dict[str, Any]], room_id: str) -> Any:
    """Return the newest message of a channel that is reported, in these frames or later."""
    while True:
        for frame in frames:
            for each in frame["d"]["channels"] if frame["t"] == "channel.activity" else ():
                if each["channelId"] == room_id and each["until"] is not None:
                    return each["until"]
        frames = [await socket.event()]
