"""In channels the row of a server may be a second old; what ends a membership is seen at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import Community, requests
from sobremesa.core.errors import NotFound
from sobremesa.domains.communities.entities import server_by_id
from sobremesa.domains.communities.recent_servers import RecentServers
from sobremesa.table import Table, Update, set_to


class Elsewhere:
    """Another node on the same table."""

    def __init__(self, community: Community, clock: Ahead) -> None:
        self.table = Table(community.app.table.engine, clock=clock)
        self.server_id = community.server_id

    async def rename(self, name: str) -> None:
        await self.table.write(Update(server_by_id(server_id=self.server_id), set_to(name=name)))


@pytest.fixture
def stopped(clock: Ahead) -> Ahead:
    clock.stop()
    return clock


async def test_server_is_read_once_a_second_for_all(community: Community, stopped: Ahead) -> None:
    servers = RecentServers(community.app.table)
    elsewhere = Elsewhere(community, stopped)

    async def names(count: int) -> set[str | None]:
        found = await asyncio.gather(*(servers.find(community.server_id) for _ in range(count)))
        return {None if server is None else server.name for server in found}

    with requests(community.app) as asked:
        assert await names(10) == {"The long table"}
        assert dict(asked) == {"get": 1}
        await elsewhere.rename("Kitchen")
        stopped.move(seconds=0.999)
        assert await names(3) == {"The long table"}
        stopped.move(seconds=0.001)
        assert await names(10) == {"Kitchen"}
        assert asked["get"] == 2


async def test_change_by_this_node_is_seen_at_once(community: Community, stopped: Ahead) -> None:
    servers = RecentServers(community.app.table)
    assert await servers.find(community.server_id) is not None

    await community.app.communities.change_server(community.owner, community.server_id, {"name": "Kitchen"})

    found = await servers.find(community.server_id)
    assert found is not None
    assert found.name == "Kitchen"


async def test_failed_read_is_repeated(community: Community, stopped: Ahead) -> None:
    servers = RecentServers(community.app.table)
    engine: Any = community.app.table.engine

    async def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError

    engine.get = fail
    with pytest.raises(ZeroDivisionError):
        await servers.find(community.server_id)
    del engine.get

    assert await servers.find(community.server_id) is not None


async def test_removed_member_is_refused_at_once_by_a_node_that_knows_the_server(
    community: Community, stopped: Ahead
) -> None:
    communities = community.app.communities
    with requests(community.app):  # as on DynamoDB: no result is cached by its version
        await communities.page(community.member, community.channel_id, limit=5)
        await communities.members.remove(community.owner, community.server_id, community.member.user_id)

        for attempt in (
            communities.page(community.member, community.channel_id, limit=5),
            communities.unread(community.member, community.channel_id),
            community.send(community.member, "hello"),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert "hello" not in await community.contents()
