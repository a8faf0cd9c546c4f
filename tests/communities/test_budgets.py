"""What each operation costs: requests of each kind, and units, the same on both engines.

A number that grows here is a decision, not an accident: change it together with the reason.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Any, NamedTuple

import pytest

from communities.conftest import Ahead
from communities.environment import Community, actor_of, add_members, requests
from sobremesa.core.actor import UserId
from sobremesa.domains.accounts.entities import UsernameClaim
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put, measure


class Cost(NamedTuple):
    """Requests by their kind, read units and write units."""

    requests: dict[str, int]
    read: float
    write: float


ENTER = {"batch_get": 1}
"""The access check of a channel: its pointer and the membership together; two read units. A node knows the server."""


def after_the_check(**more: int) -> dict[str, int]:
    return dict(Counter(ENTER) + Counter(more))


BUDGETS: dict[str, Cost] = {
    # After the check two queries, and one batch get where a summary does not list all users.
    # A message stores `updatedAt` from the start, as documented: 35 bytes in each of 50.
    "page of 50": Cost(after_the_check(query=2), 8.5, 0),
    "page of 50 with reactions beyond 20 users": Cost(after_the_check(query=2, batch_get=1), 11, 0),
    "page before a message": Cost(after_the_check(query=2, batch_get=1), 4, 0),
    "get": Cost(after_the_check(get=1, query=1), 3.5, 0),
    # One write request. Message 2 + its index 1, head 2, the condition that its author is a member 2, nonce 2. That
    # condition decides, so the membership is not read consistently before. Where a channel is at home is known by then.
    "send": Cost({"get": 1, "transact": 1}, 0.5, 7),
    "send with a nonce": Cost({"get": 1, "transact": 1}, 0.5, 9),
    "send a nonce again": Cost({"get": 3, "transact": 1, "query": 1}, 3, 2),
    "send with a mention": Cost({"get": 1, "batch_get": 1, "transact": 1}, 1.5, 7),
    "send a reply": Cost({"get": 2, "transact": 1}, 1.5, 7),
    # Message 2 + its index 1, the revision of the head 2.
    "edit": Cost(after_the_check(get=1, query=1, transact=1), 3.5, 5),
    # The same, and its pin 2; whether there are reactions is read.
    "delete": Cost(after_the_check(get=1, query=1, transact=1), 4, 7),
    # An emoji that is new to a message counts those that are there, and takes its turn at the guard of the limit.
    "react first": Cost(after_the_check(get=2, query=2, transact=1), 6, 6),
    "react beyond 20 users": Cost(after_the_check(get=1, query=1, transact=1), 4, 4),
    "react again": Cost(after_the_check(get=1, query=1, transact=1), 4, 2),
    "remove a reaction": Cost(after_the_check(get=1, transact=1), 3, 4),
    "pin": Cost(after_the_check(get=3, query=1, transact=1), 5.5, 8),
    "pins": Cost(after_the_check(batch_get=1, query=2), 3.5, 0),
    "unread of 50": Cost(after_the_check(get=1, query=1), 6, 0),
    "unread of nothing": Cost(after_the_check(get=1), 3, 0),
    "mark read with more to come": Cost(after_the_check(get=1, write=1, query=1), 4, 2),
    "mark read up to the head": Cost(after_the_check(get=1, write=1), 3, 2),
    "mark read again": Cost(after_the_check(get=2, write=1), 4, 1),
    "totals of nothing": Cost({"query": 2, "batch_get": 3}, 4.5, 0),
    "totals of one room": Cost({"query": 3, "batch_get": 3}, 5, 0),
    "readers": Cost(after_the_check(get=1, batch_get=2, query=1), 4.5, 0),
    # Two of these are the condition that its creator is still a member.
    "create an invite": Cost({"batch_get": 1, "transact": 1}, 2, 9),
    # Rows of the user alone: membership 2 + its index 1, the conditions that the user exists 2 and is not banned 2, the
    # limit of servers 2. Then the count of the invite 1 + its index 1, for all who join at that moment.
    "redeem": Cost({"get": 5, "batch_get": 1, "query": 1, "transact": 1, "write": 1}, 6.5, 11),
    "kick": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 9),
    "create a server": Cost({"get": 1, "query": 1, "transact": 1}, 2, 11),
    # Two of these are the version of the server's list of channels.
    "create a channel": Cost({"batch_get": 1, "get": 1, "query": 1, "transact": 1}, 4, 15),
    "servers of a user": Cost({"query": 1, "batch_get": 1}, 1.5, 0),
    # One bounded count for each server.
    "servers of a user with counts": Cost({"query": 2, "batch_get": 1}, 2, 0),
    "channels of a server": Cost({"batch_get": 2, "query": 1}, 4, 0),
    "members of a server": Cost({"batch_get": 1, "query": 1}, 3, 0),
}


async def servers_with_counts(community: Community) -> list[int]:
    servers, _ = await community.app.communities.list_servers(community.member, limit=50)
    return await community.app.communities.count_channels(community.member, servers)


async def costs_of(community: Community) -> dict[str, Cost]:
    """Run every operation once, in a channel with history, and return what each cost."""
    app, room, server_id, who = community.app, community.channel_id, community.server_id, community.member
    communities = app.communities
    costs: dict[str, Cost] = {}

    async def spend(name: str, verb: Awaitable[Any]) -> Any:
        with requests(app) as asked, measure() as used:
            result = await verb
        costs[name] = Cost(dict(asked), used.read, used.write)
        return result

    await app.table.write_many([Put(UsernameClaim(username="ana", user_id=UserId("01ANA")))])
    users = await add_members(app, server_id, 22)
    posted = [
        await community.send(community.owner, f"message number {number:02}, which says a little more")
        for number in range(50)
    ]
    await spend("page of 50", communities.page(who, room, limit=50))
    for message in posted[::10]:
        await asyncio.gather(*(communities.react(one, room, message.message_id, "👍") for one in users))
    await spend("page of 50 with reactions beyond 20 users", communities.page(who, room, limit=50))
    await spend("page before a message", communities.page(who, room, limit=10, before=posted[20].message_id))
    await spend("get", communities.get_message(who, room, posted[1].message_id))

    sent = await spend("send", communities.send(who, room, Draft("hello")))
    await spend("send with a nonce", communities.send(who, room, Draft("hello", nonce="n")))
    await spend("send a nonce again", communities.send(who, room, Draft("hello", nonce="n")))
    await spend("send with a mention", communities.send(who, room, Draft("hello @ana")))
    reply = Draft("hello", reply_to=posted[3].message_id)
    await spend("send a reply", communities.send(who, room, reply))
    mine = sent.message_id
    await spend("edit", communities.edit(who, room, mine, "goodbye"))

    await spend("react first", communities.react(who, room, posted[1].message_id, "👍"))
    await spend("react beyond 20 users", communities.react(who, room, posted[0].message_id, "👍"))
    await spend("react again", communities.react(who, room, posted[1].message_id, "👍"))
    await spend("remove a reaction", communities.unreact(who, room, posted[0].message_id, "👍"))
    await spend("delete", communities.delete_message(who, room, mine))
    await spend("pin", communities.pin(community.owner, room, posted[1].message_id))
    await spend("pins", communities.list_pins(who, room, limit=10, cursor=None))

    await spend("unread of 50", communities.unread(who, room))
    await spend("mark read with more to come", communities.mark_read(who, room, posted[40].message_id))
    head = await community.send(community.owner, "last")
    await spend("mark read up to the head", communities.mark_read(who, room, head.message_id))
    await spend("mark read again", communities.mark_read(who, room, head.message_id))
    await spend("unread of nothing", communities.unread(who, room))
    await spend("totals of nothing", communities.unread_everywhere(who))
    await community.send(community.owner, "one more")
    await spend("totals of one room", communities.unread_everywhere(who))
    await spend("readers", communities.list_readers(who, room, limit=10, cursor=None))

    invite = await spend("create an invite", communities.invites.create(community.owner, server_id))
    await spend("redeem", communities.invites.redeem(actor_of("guest"), invite.code))
    await spend("kick", communities.members.remove(community.owner, server_id, users[0].user_id))
    await spend("create a server", app.communities.create_server(actor_of("maker"), name="Another"))
    await spend("create a channel", app.communities.create_channel(community.owner, server_id, name="other"))
    await spend("servers of a user", app.communities.list_servers(who, limit=50))
    await spend("servers of a user with counts", servers_with_counts(community))
    await spend("channels of a server", app.communities.list_channels(who, server_id, limit=50))
    await spend("members of a server", communities.members.list_members(who, server_id, limit=50))
    return costs


@pytest.fixture
async def community_with_stopped_clock(
    community: Community, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> Community:
    """The community with a stopped clock, after what a node reads once a second: deletions, and the server."""
    clock.move(seconds=1)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    await community.app.accounts.users_being_deleted()
    with requests(community.app):
        for _ in range(2):  # once the node knows whose channel it is
            await community.app.communities.page(community.member, community.channel_id, limit=1)
    return community


async def test_every_operation_keeps_its_budget(community_with_stopped_clock: Community) -> None:
    costs = await costs_of(community_with_stopped_clock)

    changed = {name: (cost, BUDGETS.get(name)) for name, cost in costs.items() if cost != BUDGETS.get(name)}
    assert changed == {}
    assert set(costs) == set(BUDGETS)


def test_send_is_one_write_and_page_is_two_queries_and_a_batch() -> None:
    """The guarantees behind the numbers, even if the numbers change."""
    writes = ("write", "transact", "batch_write")

    def writing(name: str) -> int:
        return sum(BUDGETS[name].requests.get(kind, 0) for kind in writes)

    assert [writing(name) for name in ("send", "send with a nonce", "send with a mention", "send a reply")] == [1] * 4
    for name in ("page of 50", "page of 50 with reactions beyond 20 users", "page before a message"):
        left = Counter(BUDGETS[name].requests)
        left.subtract(ENTER)
        assert +left <= Counter(query=2, batch_get=1)
    assert "query" not in BUDGETS["unread of nothing"].requests
    assert "query" not in BUDGETS["mark read up to the head"].requests


async def test_concurrent_sends_never_repeat_a_write(community: Community) -> None:
    await community.send(community.member, "where this channel is at home is known from now on")
    with requests(community.app) as asked:
        await asyncio.gather(*(community.send(community.member, str(number)) for number in range(30)))

    # The embedded engine commits many transactions at once; on DynamoDB those that wait share one.
    writes = asked.pop("transact")
    assert asked.pop("get") in (30, 31)  # the memberships, and the server
    assert not asked
    assert writes == 30 if community.app.table.engine.keeps_order else writes <= 30
