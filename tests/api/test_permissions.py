"""The policy of the documentation: enough to serve an existing table, and nothing in it that is not needed."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from api import test_path
from api.calling import client_of
from api.running import Server, serving
from servers import Endpoint, start_lasting_dynamodb
from servers.permissions import Guard, guarded
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import StoreDenied
from sobremesa.table.opening import open_engine

PAGE = Path(__file__).parents[2] / "docs" / "dynamodb.md"


def documented_policy(table: str) -> dict[str, Any]:
    """The policy of the page, for another table."""
    (block,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    policy: dict[str, Any] = json.loads(block.replace("table/chat", f"table/{table}"))
    return policy


@pytest.fixture
def table() -> str:
    return f"guarded-{uuid.uuid4().hex}"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with start_lasting_dynamodb() as endpoint:
        yield endpoint


@pytest.fixture
async def existing(endpoint: Endpoint, table: str) -> AsyncIterator[Engine]:
    """The table, created with all rights."""
    engine = await open_engine(f"dynamodb://{table}?region=eu-west-1&endpoint={endpoint.url}")
    await engine.create_table()
    yield engine
    await engine.close()


@pytest.fixture
def guard(endpoint: Endpoint, table: str) -> Iterator[Guard]:
    with guarded(documented_policy(table), endpoint) as guard:
        yield guard


@pytest.fixture
def serving_it(existing: Engine, guard: Guard, table: str, tmp_path: Path) -> Iterator[Server]:
    """A server of the existing table with the rights of the policy."""
    store = f"dynamodb://{table}?region=eu-west-1&endpoint={guard.url}"
    with serving(store, tmp_path / "server.log", files=(tmp_path / "files").as_uri()) as server:
        yield server


async def test_policy_is_enough_to_serve_and_not_more(serving_it: Server, guard: Guard, fresh: str) -> None:
    async with client_of(serving_it.url) as http:
        story = test_path.Story(serving_it, http, fresh)
        await test_path.users_register_log_in_and_refresh(story)
        await test_path.a_server_is_created_and_changed(story)
        await test_path.channels_are_created_and_changed(story)
        await test_path.users_join_by_invites(story)
        await test_path.users_send_messages(story)
        await test_path.a_user_polls(story)

    assert guard.denied == []
    assert guard.used == guard.allowed()


@pytest.mark.long
async def test_policy_is_enough_for_every_route(serving_it: Server, guard: Guard, fresh: str) -> None:
    async with client_of(serving_it.url) as http:
        await test_path.test_every_route_answers_as_documented(serving_it, http, fresh)

    assert guard.denied == []


async def test_missing_right_is_named(existing: Engine, guard: Guard, table: str) -> None:
    store = f"dynamodb://{table}?region=eu-west-1&endpoint={guard.url}"
    engine = await open_engine(store)
    missing = await open_engine(store.replace(table, "another"))

    with pytest.raises(StoreDenied, match="dynamodb:DeleteTable"):
        await engine.drop_table()
    with pytest.raises(StoreDenied, match="dynamodb:DescribeTable"):
        await missing.describe_table()

    await engine.close()
    await missing.close()
