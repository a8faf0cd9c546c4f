"""A publish to thousands of users continues after its process is killed, and repeats nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from communities.conftest import Ahead
from durability.child import line_of, lines_until, started
from inboxes.shop import KEY, NEWS, SHOP, Shop, reader
from lengths import PUBLISH_RECIPIENTS as RECIPIENTS
from sobremesa.app import Sobremesa
from sobremesa.domains.inboxes.message_ids import InboxMessageId

KILLED_AT = (RECIPIENTS // 6, RECIPIENTS * 3 // 5)


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("store", ["embedded-file"])
async def test_recipients_get_the_message_once_although_the_process_is_killed_twice(tmp_path: Path, store: str) -> None:
    file = tmp_path / "chat.db"

    for run, enough in enumerate(KILLED_AT):
        with started("inboxes.publishing_process", str(file), str(RECIPIENTS), str(run * 120)) as process:
            while int(line_of(process)) < enough:
                pass
            process.kill()
    with started("inboxes.publishing_process", str(file), str(RECIPIENTS), str(len(KILLED_AT) * 120)) as process:
        seen = [int(line) for line in lines_until(process, "done")]

    assert seen[0] >= KILLED_AT[-1], "it continued where it stopped"
    async with Sobremesa.open(f"sqlite:///{file}", background=False) as app:
        shop = Shop(app, Ahead())
        messages = await shop.rows("m#")
        assert Counter(row["uid"] for row in messages) == {f"user-{number:05}": 1 for number in range(RECIPIENTS)}
        assert len({row["id"] for row in messages}) == 1
        for prefix in ("c#*", "c#offers"):
            assert Counter(row["published"] for row in await shop.rows(prefix)) == {1: RECIPIENTS}
        found = await app.inboxes.get_publish(KEY, SHOP, NEWS, InboxMessageId(messages[0]["id"]))
        assert (found.delivered, found.recipients, found.state) == (RECIPIENTS, RECIPIENTS, "done")
        assert await shop.numbers(reader(f"user-{RECIPIENTS - 1:05}")) == (1, 1)
        assert [checked async for checked in app.inboxes.reconciling.run(dry=True) if checked.drift] == []
        assert len(await app.inboxes.delivery.recipients(found)) == RECIPIENTS, "kept for a recall"
