"""Servers and rooms that an import declares: created once, with their members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imports.environment import LONG_AGO, Environment, message_line, run_import
from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import ExternalIdClaim, User
from sobremesa.table import Put


def declared(env: Environment) -> list[dict[str, Any]]:
    """Return the lines of a server with a channel, a group and a direct conversation."""
    ana, ben, cleo = env.ana.user_id, env.ben.user_id, env.cleo.user_id
    return [
        {"type": "server", "key": "acme", "name": "Acme", "owner": ana, "members": [ben, cleo]},
        {"type": "channel", "key": "acme/general", "server": "ref:acme", "name": "general", "topic": "Everything"},
        {"type": "conversation", "key": "lunch", "name": "Lunch", "members": [ben, ana, cleo]},
        {"type": "conversation", "key": "dm", "direct": True, "members": [ana, cleo]},
        *(
            message_line(RoomId(f"ref:{key}"), env.cleo, LONG_AGO + number, f"in {key}")
            for number, key in enumerate(("acme/general", "lunch", "dm"))
        ),
    ]


async def seen_by(env: Environment, who: Actor) -> dict[str, list[str]]:
    """Return the contents of the rooms that the lines declare, by the name of the room."""
    app = env.app
    found = {}
    servers, _ = await app.communities.list_servers(who, limit=10)
    for server in servers:
        for channel in (await app.communities.list_channels(who, server.server_id, limit=10))[0]:
            page = await app.communities.page(who, channel.channel.channel_id, limit=10)
            found[f"{server.name}/{channel.channel.name}"] = [each.content for each in page.messages]
    rows, _ = await app.conversations.list_conversations(who, limit=10)
    for row in rows:
        page = await app.conversations.page(who, row.seat.room_id, limit=10)
        found[row.seat.conversation.name or row.seat.conversation.type] = [each.content for each in page.messages]
    return found


async def test_rooms_are_created_with_their_members_and_messages(env: Environment) -> None:
    result = await run_import(env.app, declared(env))

    assert (result.counts, result.summary.rooms) == ((3, 0, 0), 4)
    rooms = {"Acme/general": ["in acme/general"], "Lunch": ["in lunch"], "direct": ["in dm"]}
    assert await seen_by(env, env.cleo) == rooms
    assert (await seen_by(env, env.ben)).items() >= {name: rooms[name] for name in ("Acme/general", "Lunch")}.items()
    [acme] = (await env.app.communities.list_servers(env.cleo, limit=10))[0]
    assert acme.owner_id == env.ana.user_id


async def test_a_repeated_import_creates_no_second_room(env: Environment) -> None:
    await run_import(env.app, declared(env))
    before = await seen_by(env, env.cleo)

    again = await run_import(env.app, [*declared(env), *declared(env)])

    assert (again.counts, again.summary.rooms) == ((0, 6, 0), 8)
    assert await seen_by(env, env.cleo) == before


async def test_a_later_import_refers_to_the_rooms_of_an_earlier_one(env: Environment) -> None:
    await run_import(env.app, declared(env))

    result = await run_import(env.app, [message_line(RoomId("ref:lunch"), env.ana, LONG_AGO + 9, "later")])

    assert result.counts == (1, 0, 0)
    assert (await seen_by(env, env.ben))["Lunch"] == ["later", "in lunch"]


async def test_a_direct_conversation_that_exists_is_used(env: Environment) -> None:
    there = (await env.app.conversations.create_direct(env.cleo, env.ana.user_id)).conversation_id

    await run_import(env.app, declared(env))

    page = await env.app.conversations.page(env.ana, there, limit=10)
    assert [each.content for each in page.messages] == ["in dm"]


async def test_rooms_that_cannot_be_created_are_refused_by_line(env: Environment) -> None:
    ana, ben = env.ana.user_id, env.ben.user_id
    await run_import(env.app, declared(env)[:2])
    lines: list[dict[str, Any]] = [
        {"type": "server", "key": "one", "name": "One", "owner": "nobody"},
        {"type": "conversation", "key": "two", "members": [ana, "ext:nobody"]},
        {"type": "conversation", "key": "three", "members": [ana, ben, env.cleo.user_id], "direct": True},
        {"type": "conversation", "key": "four", "members": [ana]},
        {"type": "channel", "key": "five", "server": "ref:nothing", "name": "five"},
        {"type": "channel", "key": "six", "server": "nothing", "name": "six"},
        {"type": "conversation", "key": "acme", "members": [ana, ben]},
        {"type": "channel", "key": "seven", "server": "ref:acme/general", "name": "seven"},
        {"type": "card", "key": "eight"},
        message_line(RoomId("ref:acme"), env.ana),
        message_line(RoomId("ref:unknown"), env.ana),
    ]

    result = await run_import(env.app, lines)

    assert result.codes == [
        (1, "unknown_user"),
        (2, "unknown_user"),
        (3, "invalid"),
        (4, "invalid"),
        (5, "not_found"),
        (6, "not_found"),
        (7, "key_of_another"),
        (8, "not_found"),
        (9, "invalid"),
        (10, "room_not_found"),
        (11, "room_not_found"),
    ]


async def test_keys_and_servers_belong_to_a_tenant(env: Environment) -> None:
    await run_import(env.app, declared(env))
    [acme] = (await env.app.communities.list_servers(env.cleo, limit=10))[0]
    stranger = User(user_id=UserId("01STRANGER"), username="sid", tenant=Tenant("rival"))
    await env.app.table.write(Put(stranger))
    lines = [
        {**message_line(RoomId("ref:lunch"), env.ana), "author": stranger.user_id},
        {"type": "channel", "key": "c", "server": acme.server_id, "name": "c"},
        {"type": "server", "key": "acme", "name": "Rival", "owner": stranger.user_id},
        {"type": "conversation", "key": "k", "members": [stranger.user_id, env.ana.user_id]},
    ]

    result = await run_import(env.app, lines, tenant=Tenant("rival"))

    assert result.codes == [(1, "room_not_found"), (2, "not_found"), (4, "unknown_user")]
    assert result.summary.rooms == 1


async def give_external_ids(env: Environment, ids: Mapping[str, Actor]) -> None:
    await env.app.table.write_many(
        Put(ExternalIdClaim(tenant=actor.tenant, external_id=external_id, user_id=actor.user_id, created_at=EPOCH))
        for external_id, actor in ids.items()
    )


async def test_users_are_named_by_external_ids(env: Environment) -> None:
    await give_external_ids(env, {"crm-1": env.ana, "crm-2": env.cleo})
    lines = [
        {"type": "conversation", "key": "k", "name": "Lunch", "members": ["ext:crm-1", "ext:crm-2"]},
        {**message_line(RoomId("ref:k"), env.ana, nonce="1"), "author": "ext:crm-2"},
        {**message_line(RoomId("ref:k"), env.ana, nonce="2"), "author": "ext:crm-3"},
    ]

    result = await run_import(env.app, lines)

    assert result.codes == [(3, "unknown_user")]
    assert (await seen_by(env, env.cleo))["Lunch"] == ["1"]


async def test_the_example_of_the_documentation_is_imported(env: Environment) -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text()
    example = re.search(r"^```jsonl\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert example is not None
    await give_external_ids(env, {"u1": env.ana, "u2": env.cleo})

    result = await run_import(env.app, example[1].splitlines())

    assert (result.counts, result.summary.rooms) == ((3, 0, 0), 3)
    assert await seen_by(env, env.cleo) == {"Acme/general": ["Yes.", "Lunch?"], "direct": ["Bring Cleo."]}
