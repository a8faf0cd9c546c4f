"""A thousand users a second join a server by one invite, over the model of DynamoDB: nobody is refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest

from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Busy, Refusal
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.communities.entities import members_of
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.table import Put, Table
from sobremesa.table.errors import TableError
from sobremesa.table.opening import open_modelled

NODES = 10
JOINS = 1000
SECONDS = 1.0


async def join(node: Node, who: Actor, code: InviteCode, after_seconds: float) -> str:
    await asyncio.sleep(after_seconds)
    try:
        await node.run(node.app.communities.invites.redeem(who, code))
    except (Refusal, Busy, TableError) as error:
        return type(error).__name__
    return "joined"


async def joins(max_uses: int | None) -> tuple[Counter[str], int, float]:
    """Return how users are answered who join within a second, how many are members, and the seconds until all are."""
    engine, keys, clock = await open_modelled(clock=VirtualClock(), seed=1), MemoryKeys(), VirtualClock()
    nodes = [
        Node(f"node{number}", engine, keys, ON_DYNAMODB, seed=number, skew_ms=0, is_gateway=False)
        for number in range(NODES)
    ]
    for node in nodes:
        await node.start()
    owner, *users = people = [Actor.of_user(UserId(f"user{number}"), f"user{number}") for number in range(JOINS + 1)]
    await write_profiles(nodes[0].app.table, people, clock)
    communities = nodes[0].app.communities
    server = await communities.create_server(owner, name="Busy")
    invite = await communities.invites.create(owner, server.server_id, max_uses=max_uses)
    await asyncio.sleep(5)

    start = clock.now_ms()
    answers = Counter(
        await asyncio.gather(
            *(
                join(nodes[number % NODES], who, invite.code, number / JOINS * SECONDS)
                for number, who in enumerate(users)
            )
        )
    )
    seconds = (clock.now_ms() - start) / 1000

    await asyncio.sleep(5)  # until the index shows all of them
    members = (await Table(engine).count(members_of(server_id=server.server_id))).count - 1
    for node in nodes:
        await node.crash()
    await engine.close()
    return answers, members, seconds


async def write_profiles(table: Table, people: Sequence[Actor], clock: VirtualClock) -> None:
    await table.write_many(
        [Put(User(user_id=each.user_id, username=each.username, created_at=clock.now())) for each in people]
    )


@pytest.mark.parametrize(("max_uses", "joined"), [(None, JOINS), (900, 900)])
def test_thousand_users_a_second_join_by_one_invite(max_uses: int | None, joined: int) -> None:
    answers, members, seconds = virtual_time.run(joins(max_uses), 1)

    expected = {"joined": joined} | ({"InviteUsedUp": JOINS - joined} if joined < JOINS else {})
    assert answers == expected
    assert members == joined
    assert seconds < SECONDS + 2
