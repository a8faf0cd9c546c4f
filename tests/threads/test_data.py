"""Custom data of threads."""

from __future__ import annotations

import pytest

from sobremesa.core.custom_data import BadData
from sobremesa.core.errors import NotFound
from sobremesa.domains.threads.errors import ThreadNotOpen
from sobremesa.domains.threads.service import NewThread
from threads.environment import Deal


async def test_thread_has_data_from_its_creation_and_a_party_replaces_it_while_it_is_open(deal: Deal) -> None:
    threads = deal.app.threads
    wanted = NewThread("project", deal.seller.user_id, data={"order": 1})
    thread_id = (await threads.create(deal.buyer, wanted)).listed.thread.room_id
    assert (await threads.get(deal.seller, thread_id)).thread.data == {"order": 1}

    await threads.set_data(deal.seller, thread_id, {"order": 2})
    assert (await threads.get(deal.buyer, thread_id)).thread.data == {"order": 2}
    with pytest.raises(NotFound):
        await threads.set_data(deal.stranger, thread_id, None)
    with pytest.raises(BadData):
        await threads.set_data(deal.buyer, thread_id, {"a": "x" * 5000})
    await threads.set_status(deal.buyer, thread_id, "locked")
    with pytest.raises(ThreadNotOpen):
        await threads.set_data(deal.buyer, thread_id, None)
