"""What each operation of a conversation costs: requests of each kind, and units, the same on both engines.

A number that grows here is a decision, not an accident: change it together with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import requests
from communities.test_budgets import Cost
from conversations.users import Users, known
from sobremesa.core.clock import instant
from sobremesa.domains.conversations.activity import Activity
from sobremesa.domains.conversations.entities import seat_of
from sobremesa.rooms.sending import Draft
from sobremesa.table import Update, measure, set_to

ENTER = {"batch_get": 1}
"""The authorization: the conversation and the user's seat together, two read units; a direct one also reads whether
the other participant has blocked the user."""

BUDGETS: dict[str, Cost] = {
    # The claim, the blocks and profiles; then claim 2, head 2, two seats with two indexes each, two checked profiles.
    "create a direct conversation": Cost({"get": 1, "batch_get": 1, "transact": 1}, 3, 16),
    "create it again": Cost({"get": 1}, 1, 0),
    "create a group of three": Cost({"batch_get": 1, "transact": 1}, 4, 16),
    # Message 2, head 2, the sender's seat 2 and the two indexes that show it; one write request.
    "send, and move in inboxes": Cost({"batch_get": 1, "transact": 1}, 2, 8),
    # The same with a check of the seat, until the next move.
    "send, having seen everything": Cost({"batch_get": 1, "transact": 1}, 2, 6),
    "send, with something unseen": Cost({"batch_get": 1, "transact": 1}, 2, 6),
    "send with a nonce": Cost({"batch_get": 1, "transact": 1}, 2, 8),
    "send to one user, and move in inboxes": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 8),
    # Nobody leaves a direct conversation: message 2, head 2.
    "send to one user": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 4),
    "edit the last message": Cost({"batch_get": 1, "get": 1, "transact": 1, "query": 1}, 3.5, 4),
    "edit an older message": Cost({"batch_get": 1, "get": 1, "transact": 1, "query": 1}, 3.5, 4),
    "page of 50": Cost({"batch_get": 1, "query": 2}, 6.5, 0),
    "mark read up to the head": Cost({"batch_get": 1, "get": 1, "write": 1}, 3, 3),
    "unread of nothing": Cost({"batch_get": 1, "get": 1}, 3, 0),
    # The list, and the heads with the user's seats; nothing for the cursors, which the seats are.
    "unread of all conversations": Cost({"query": 1, "batch_get": 1}, 4.5, 0),
    "inbox of three, nothing unread": Cost({"query": 2, "batch_get": 1}, 8, 0),
    "inbox of three, one of them unread": Cost({"query": 3, "batch_get": 1}, 10, 0),
    # Moving a small conversation up for each of three users: the seat and both of its indexes, one twice.
    "move up for three users": Cost({"get": 1, "query": 1, "write": 3}, 1.5, 12),
    "add a participant": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 10),
    "leave": Cost({"batch_get": 1, "transact": 1}, 2, 8),
}


@pytest.fixture
async def still(users: Users, clock: Ahead, monkeypatch: pytest.MonkeyPatch) -> Users:
    """The users with a stopped clock, after it is known that no account is being deleted."""
    clock.move(seconds=1)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    await users.app.accounts.users_being_deleted()
    return users


async def costs_of(users: Users) -> dict[str, Cost]:
    app, talks, ana, ben = users.app, users.app.conversations, users.ana, users.ben
    costs: dict[str, Cost] = {}

    async def spend(name: str, verb: Awaitable[Any]) -> Any:
        with requests(app) as asked, measure() as used:
            result = await verb
        costs[name] = Cost(dict(asked), used.read, used.write)
        return result

    created = await spend("create a direct conversation", app.conversations.create_direct(ana, ben.user_id))
    await spend("create it again", app.conversations.create_direct(ben, ana.user_id))
    others = [ben.user_id, users.cleo.user_id]
    group = (await spend("create a group of three", app.conversations.create_group(ana, others))).conversation_id
    direct = created.conversation_id

    first = await spend("send, and move in inboxes", talks.send(ana, group, Draft("hello")))
    await spend("send, having seen everything", talks.send(ana, group, Draft("hello")))
    await spend("send, with something unseen", talks.send(ben, group, Draft("hello")))
    last = await spend("send with a nonce", talks.send(ben, group, Draft("hello", nonce="n")))
    await spend("send to one user, and move in inboxes", talks.send(ana, direct, Draft("hello")))
    await spend("send to one user", talks.send(ana, direct, Draft("hello")))
    await spend("edit the last message", talks.edit(ben, group, last.message_id, "goodbye"))
    await spend("edit an older message", talks.edit(ana, group, first.message_id, "goodbye"))
    await spend("mark read up to the head", talks.mark_read(ana, group, last.message_id))
    await spend("unread of nothing", talks.unread(ana, group))
    await spend("unread of all conversations", talks.unread_everywhere(ana))
    await users.group(ana, users.cleo)
    await spend("inbox of three, nothing unread", app.conversations.list_conversations(ana, limit=20))
    for number in range(48):
        await talks.send(ben, group, Draft(f"message number {number:02}, which says a little more than that"))
    await spend("page of 50", talks.page(ana, group, limit=50))
    await spend("inbox of three, one of them unread", app.conversations.list_conversations(ana, limit=20))
    for who in users[1:]:
        behind = set_to(last_message_at=instant(0))
        await app.table.write(Update(seat_of(room_id=group, user_id=who.user_id), behind))
    await spend("move up for three users", Activity(app.table).move(group))
    [dora] = await known(app, "dora")
    await spend("add a participant", app.conversations.participants.add(ana, group, dora.user_id))
    await spend("leave", app.conversations.participants.remove(dora, group, dora.user_id))
    return costs


async def test_every_operation_keeps_its_budget(still: Users) -> None:
    costs = await costs_of(still)

    changed = {name: (cost, BUDGETS.get(name)) for name, cost in costs.items() if cost != BUDGETS.get(name)}
    assert changed == {}
    assert set(costs) == set(BUDGETS)


def test_send_is_one_write_request() -> None:
    for name, cost in BUDGETS.items():
        if name.startswith("send"):
            assert cost.requests["transact"] == 1
            assert "write" not in cost.requests
