"""Tenants over several nodes: no event crosses tenants, and a revocation on one node closes the sockets on others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cheap import CHEAP
from gateway.connection import Connection
from live.nodes import Community, Node, nodes
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Tenant
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.server_keys import NewKey

ACME = Tenant("acme")
REFUSED = 4004


class Acme(NamedTuple):
    """Another tenant with a channel of its own: Dora owns it, Emil is a member. Its backend has a key."""

    channel_id: RoomId
    ids: Sequence[str]
    key: NewKey


async def acme_beside(community: Community, store: str) -> Acme:
    settings = Settings(store=store, tenant=ACME, **CHEAP)
    async with Sobremesa.open(settings=settings, background=False) as app:
        for name in ("dora", "emil"):
            community.users[name] = await app.accounts.register(
                email=f"{name}@example.com", username=name, password="correct horse battery"
            )
        dora, emil = community.users["dora"].actor, community.users["emil"].actor
        server_id = (await app.communities.create_server(dora, name="Acme")).server_id
        channel = (await app.communities.create_channel(dora, server_id, name="general")).channel
        invite = await app.communities.invites.create(dora, server_id)
        await app.communities.invites.redeem(emil, invite.code)
        key = await app.accounts.server_keys.create_key(ACME, ["rooms:read", "users:read", "users:write"])
    return Acme(channel.channel_id, [dora.user_id, emil.user_id, server_id, channel.channel_id], key)


async def by_key(community: Community, node: Node, acme: Acme, method: str, path: str, body: Any = None) -> None:
    headers = {"Authorization": f"Bearer {acme.key.text}"}
    url = f"{node.url}/v1/tenants/{ACME}/users/{path}"
    async with community.http.request(method, url, json=body, headers=headers) as reply:
        assert reply.status == 200, await reply.read()


async def until(socket: Connection, message_id: str) -> list[dict[str, Any]]:
    """Return what a socket receives up to a message."""
    frames = [await socket.event()]
    while frames[-1]["d"].get("messageId") != message_id:
        frames.append(await socket.event())
    return frames


async def test_tenants_are_isolated_and_revoked_over_two_nodes(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    acme = await acme_beside(community, store)
    ours: list[str] = [community.users[name].user.user_id for name in ("ana", "bea", "carl")]
    ours += [community.server_id, community.channel_id]
    key = acme.key.text
    with nodes(2, store, tmp_path, valkey.url) as [one, two]:
        for name in ("dora", "emil"):
            await by_key(community, one, acme, "PUT", name, {"userId": community.users[name].user.user_id})
        async with (
            community.connect(two, "bea") as bea,
            community.connect(two, "emil") as emil,
            community.connect(two, "dora") as dora,
            Connection(two.url, key, act_as="ext:emil") as as_emil,
            Connection(two.url, key, act_as="ext:dora") as as_dora,
        ):
            for socket in (bea, emil, dora, as_emil, as_dora):
                await socket.identify()
            for number in range(3):
                theirs = f"/channels/{acme.channel_id}"
                await community.call(one, "dora", "POST", f"{theirs}/typing")
                sent = await community.call(one, "dora", "POST", f"{theirs}/messages", {"content": f"{number}"})
                own = await community.send(one, "ana", f"{number}")
                received = [await until(bea, own)]
                received += [await until(socket, sent["messageId"]) for socket in (emil, as_emil, as_dora)]
                texts = [json.dumps(frames) for frames in received]
                assert not [each for each in acme.ids if each in texts[0]]
                assert not [each for each in ours for text in texts[1:] if each in text]

            await by_key(community, one, acme, "POST", "emil/disable")
            assert (await emil.closed()).code == REFUSED
            assert (await as_emil.closed()).code == REFUSED
            await by_key(community, one, acme, "POST", "dora/revoke")
            assert (await dora.closed()).code == REFUSED
            assert (await as_dora.closed()).code == REFUSED
            async with Connection(two.url, key, act_as="ext:dora") as again:
                await again.identify()
                await community.app.accounts.server_keys.revoke_key(acme.key.key.key_id)
                assert (await again.closed()).code == REFUSED
            last = await community.send(one, "ana", "still here")
            await until(bea, last)
