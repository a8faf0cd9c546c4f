"""Custom data of conversations."""

from __future__ import annotations

import pytest

from conversations.users import Users
from sobremesa.core.custom_data import BadData
from sobremesa.core.errors import Forbidden
from sobremesa.domains.conversations.errors import DirectIsFixed


async def test_conversation_has_data_from_its_creation_and_a_group_changes_it(users: Users) -> None:
    conversations = users.app.conversations
    group = await conversations.create_group(users.ana, [users.ben.user_id], name="Us", data={"order": 1})
    direct = await conversations.create_direct(users.ana, users.ben.user_id, data={"order": 2})
    for outcome, data in ((group, {"order": 1}), (direct, {"order": 2})):
        row = await conversations.get(users.ben, outcome.conversation_id)
        assert row.seat.conversation.data == data

    await conversations.change(users.ana, group.conversation_id, {"data": {"order": 3}})
    conversation = (await conversations.get(users.ben, group.conversation_id)).seat.conversation
    assert (conversation.name, conversation.data) == ("Us", {"order": 3})
    with pytest.raises(Forbidden):
        await conversations.change(users.ben, group.conversation_id, {"data": None})
    with pytest.raises(DirectIsFixed):
        await conversations.change(users.ana, direct.conversation_id, {"data": None})
    with pytest.raises(BadData):
        await conversations.change(users.ana, group.conversation_id, {"data": {"a": "x" * 5000}})
