"""Ten nodes send to one channel, over the model of DynamoDB: no send fails, and none waits for long."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.communities.entities import ServerMembership
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.opening import open_modelled

NODES = 10
SENDS = 800
SENDS_A_SECOND = 400
EDITS_A_SECOND = 20
AUTHORS = 200


class Sent(NamedTuple):
    message_id: MessageId
    seconds: float


async def send(node: Node, author: Actor, room_id: RoomId, number: int) -> Sent:
    await asyncio.sleep(number / SENDS_A_SECOND)
    now = asyncio.get_running_loop().time
    started = now()
    draft = Draft(f"message {number}", nonce=str(number))
    view = await node.run(node.app.communities.send(author, room_id, draft))
    return Sent(view.message_id, now() - started)


async def edit(node: Node, author: Actor, room_id: RoomId, message_id: MessageId, number: int) -> str:
    await asyncio.sleep(number / EDITS_A_SECOND)
    view = await node.run(node.app.communities.edit(author, room_id, message_id, f"edited {number}"))
    return view.content


async def send_all(edits: int = 0) -> tuple[list[Sent], Sequence[MessageId]]:
    """Return what was sent, and the messages of the channel in its order; meanwhile edit one of them so often."""
    engine, keys, clock = await open_modelled(clock=VirtualClock(), seed=1), MemoryKeys(), VirtualClock()
    nodes = [
        Node(f"node{number}", engine, keys, ON_DYNAMODB, seed=number, skew_ms=0, is_gateway=False)
        for number in range(NODES)
    ]
    for node in nodes:
        await node.start()
    app, now = nodes[0].app, clock.now()
    authors = [Actor.of_user(UserId(f"user{number}"), f"user{number}") for number in range(AUTHORS)]
    users = [Put(User(user_id=each.user_id, username=each.username, created_at=now)) for each in authors]
    await app.table.write_many(users)
    server = await app.communities.create_server(authors[0], name="Busy")
    room_id = RoomId((await app.communities.create_channel(authors[0], server.server_id, name="x")).channel.channel_id)
    members = [Put(ServerMembership(user_id=each.user_id, server_id=server.server_id)) for each in authors[1:]]
    await app.table.write_many(members)
    await asyncio.sleep(5)
    edited = (await app.communities.send(authors[0], room_id, Draft("to be edited"))).message_id if edits else None

    sending = asyncio.gather(
        *(send(nodes[number % NODES], authors[number % AUTHORS], room_id, number) for number in range(SENDS))
    )
    if edited is not None:
        done = await asyncio.gather(
            *(edit(nodes[number % NODES], authors[0], room_id, edited, number) for number in range(edits))
        )
        assert done == [f"edited {number}" for number in range(edits)]
    sent = await sending

    stored: list[MessageId] = []
    while page := (
        await app.communities.page(authors[0], room_id, limit=100, before=stored[-1] if stored else None)
    ).messages:
        stored += [message.message_id for message in page]
    for node in nodes:
        await node.crash()
    await engine.close()
    return list(sent), stored[::-1]


def test_four_hundred_sends_a_second_to_one_channel_from_ten_nodes() -> None:
    sent, stored = virtual_time.run(send_all(), 1)

    assert sorted(each.message_id for each in sent) == stored
    seconds = sorted(each.seconds for each in sent)
    assert seconds[SENDS // 2] < 0.15
    assert seconds[SENDS * 99 // 100] < 0.5


def test_edits_in_a_busy_channel_are_answered_and_delay_no_send_for_long() -> None:
    """Each of them writes the head, which the transactions of sends hold most of the time."""
    sent, stored = virtual_time.run(send_all(EDITS_A_SECOND * 2), 1)

    assert sorted(each.message_id for each in sent) == stored[1:]
    seconds = sorted(each.seconds for each in sent)
    assert seconds[SENDS * 99 // 100] < 1
