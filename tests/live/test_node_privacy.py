"""Private channels over several nodes: a change of a role or an access list on one node takes effect on the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gateway.connection import Connection
from live.nodes import Community, Node, nodes
from servers import Endpoint


class PrivateChannel:
    """A channel of the community that node `one` changes, and what users see of it on node `two`."""

    def __init__(self, community: Community, one: Node, two: Node, channel_id: str) -> None:
        self._community = community
        self._one = one
        self._two = two
        self.channel_id = channel_id

    async def restrict(self, *roles: str, users: tuple[str, ...] = ()) -> None:
        body = {"roles": list(roles), "userIds": [self._id(name) for name in users]}
        await self._community.call(self._one, "ana", "PUT", f"/channels/{self.channel_id}/access", body)

    async def set_role(self, who: str, role: str) -> None:
        at = f"/servers/{self._community.server_id}/members/{self._id(who)}"
        await self._community.call(self._one, "ana", "PATCH", at, {"role": role})

    async def received(self, socket: Connection, content: str) -> list[dict[str, Any]]:
        """Send in the channel, and then in a public one; return what a socket receives of the first."""
        at = f"/channels/{self.channel_id}"
        await self._community.call(self._one, "ana", "POST", f"{at}/typing")
        await self._community.call(self._one, "ana", "POST", f"{at}/messages", {"content": content})
        last = await self._community.send(self._one, "ana", f"after {content}")
        found = [await socket.event()]
        while found[-1]["d"].get("messageId") != last:
            found.append(await socket.event())
        return [frame for frame in found if self.channel_id in json.dumps(frame)]

    async def is_seen_by(self, who: str) -> bool:
        """Return whether a user, who has not read it, sees the channel on node two: every read must agree."""
        get, at = self._community.call, f"/servers/{self._community.server_id}"
        listed = await get(self._two, who, "GET", f"{at}/channels")
        is_listed = self.channel_id in json.dumps(listed)
        unread = await get(self._two, who, "GET", "/users/me/unread")
        assert (self.channel_id in json.dumps(unread)) is is_listed
        members = await get(self._two, "ana", "GET", f"/channels/{self.channel_id}/members")
        assert (self._id(who) in [member["userId"] for member in members["items"]]) is is_listed
        for path in ("", "/messages", "/members"):
            url = f"{self._two.url}/v1/channels/{self.channel_id}{path}"
            bearer = {"Authorization": f"Bearer {self._community.users[who].access_token}"}
            async with self._community.http.get(url, headers=bearer) as response:
                assert response.status == (200 if is_listed else 404), path
        return is_listed

    def _id(self, name: str) -> str:
        return self._community.users[name].user.user_id


async def test_access_changed_on_one_node_takes_effect_on_the_other(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(2, store, tmp_path, valkey.url) as [one, two]:
        at = f"/servers/{community.server_id}/channels"
        created = await community.call(one, "ana", "POST", at, {"name": "staff"})
        channel = PrivateChannel(community, one, two, created["channelId"])
        async with community.connect(two, "bea") as bea, community.connect(two, "carl") as carl:
            for socket in (bea, carl):
                await socket.identify()
            assert "message.created" in [frame["t"] for frame in await channel.received(bea, "public")]

            await channel.restrict("moderator", users=("carl",))
            await bea.wait_for("channel.deleted", channelId=channel.channel_id)
            assert await channel.received(bea, "not for bea") == []
            assert "message.created" in [frame["t"] for frame in await channel.received(carl, "for carl")]
            assert [await channel.is_seen_by(name) for name in ("bea", "carl")] == [False, True]

            await channel.set_role("bea", "moderator")
            await bea.wait_for("channel.created", channelId=channel.channel_id)
            assert "message.created" in [frame["t"] for frame in await channel.received(bea, "for bea")]
            assert await channel.is_seen_by("bea")

            await channel.set_role("bea", "member")
            await bea.wait_for("channel.deleted", channelId=channel.channel_id)
            assert await channel.received(bea, "not for bea") == []
            assert not await channel.is_seen_by("bea")

            await channel.restrict(users=("bea",))
            await carl.wait_for("channel.deleted", channelId=channel.channel_id)
            await bea.wait_for("channel.updated", channelId=channel.channel_id)
            assert await channel.received(carl, "not for carl") == []
            assert [await channel.is_seen_by(name) for name in ("bea", "carl")] == [True, False]

            # They share the server: presence does not depend on the channel.
            async with community.connect(one, "ana") as ana:
                await ana.identify()
                ana_id = community.users["ana"].user.user_id
                for socket in (bea, carl):
                    await socket.wait_for("presence.updated", userId=ana_id)
                for name in ("bea", "carl"):
                    async with community.connect(two, name) as later:
                        await later.identify()
                        await later.wait_for("presence.updated", userId=ana_id)  # she is connected to another node
            async with community.connect(two, "carl") as again:
                missed = await again.resume(carl)
            assert channel.channel_id not in json.dumps(missed)
