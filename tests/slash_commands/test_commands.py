"""Commands are registered by bots and managers, delivered to their bot, and answered a few times in time."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.environment import Community, rows
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Forbidden, NotFound, UnknownUsers
from sobremesa.domains.commands import service
from sobremesa.domains.commands.entities import CommandId, CommandResponse, SlashCommand, Visibility
from sobremesa.domains.commands.errors import CommandExpired, CommandTaken, TooManyCommands, TooManyResponses
from sobremesa.domains.commands.service import NewCommand
from sobremesa.rooms.errors import NonceReused
from sobremesa.work.idempotency import KeyReused

MINUTES = 60


async def new_bot(community: Community, username: str = "helper") -> Actor:
    created = await community.app.bots.create_in_server(community.owner, community.server_id, username=username)
    return await community.app.accounts.authenticate(created.token)


async def register(community: Community, who: Actor, bot: Actor, name: str = "weather") -> SlashCommand:
    wanted = NewCommand("Show the weather", bot.user_id, [{"name": "city"}])
    return await community.app.commands.put(who, community.server_id, name, wanted)


async def invoke(community: Community, who: Actor, nonce: str | None = None, text: str = "Lisbon") -> CommandId:
    called = await community.app.commands.invoke(who, community.channel_id, "weather", text=text, nonce=nonce)
    return called.command_id


async def test_bots_register_their_own_commands_and_managers_those_of_any(community: Community) -> None:
    app, at = community.app, community.server_id
    bot, other = await new_bot(community), await new_bot(community, "other")
    first = await register(community, bot, bot)
    assert await app.commands.get(community.member, at, "weather") == first
    assert (await register(community, bot, bot)).created_at == first.created_at

    for who, refusal in ((community.moderator, Forbidden), (community.stranger, NotFound)):
        with pytest.raises(refusal):
            await register(community, who, bot)
        with pytest.raises(refusal):
            await app.commands.delete(who, at, "weather")
    with pytest.raises(CommandTaken):
        await register(community, other, other)
    with pytest.raises(Forbidden):
        await register(community, other, bot, "news")
    with pytest.raises(Forbidden):
        await app.commands.delete(other, at, "weather")
    for not_a_bot in (community.member, community.stranger):
        with pytest.raises((UnknownUsers, NotFound)):
            await register(community, community.owner, not_a_bot, "news")

    assert (await register(community, community.admin, other)).bot_id == other.user_id
    await app.commands.delete(other, at, "weather")
    assert (await app.commands.list_commands(community.member, at))[0] == []
    with pytest.raises(NotFound):
        await app.commands.delete(community.owner, at, "weather")


async def test_number_of_commands_is_limited_by_the_write(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_COMMANDS", 2)
    bot = await new_bot(community)
    attempts = [register(community, bot, bot, f"c{number}") for number in range(5)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, SlashCommand) for outcome in outcomes) == 2
    assert sum(isinstance(outcome, TooManyCommands) for outcome in outcomes) == 3


async def test_members_who_may_send_call_a_command_once_for_each_nonce(community: Community) -> None:
    bot = await new_bot(community)
    await register(community, bot, bot)
    first = await invoke(community, community.member, "n1")
    assert await asyncio.gather(*(invoke(community, community.member, "n1") for _ in range(3))) == [first] * 3
    assert await invoke(community, community.member) != first
    with pytest.raises(KeyReused):
        await invoke(community, community.member, "n1", "Porto")
    with pytest.raises(NotFound):
        await invoke(community, community.stranger)
    with pytest.raises(NotFound):
        await community.app.commands.invoke(community.member, community.channel_id, "unknown")
    await community.app.communities.members.remove(community.owner, community.server_id, bot.user_id)
    with pytest.raises(NotFound):
        await invoke(community, community.member)


async def test_public_response_is_a_message_that_names_its_command(community: Community) -> None:
    bot = await new_bot(community)
    await register(community, bot, bot)
    command_id = await invoke(community, community.member)
    response = await community.app.commands.respond(bot, command_id, "Sunny", "public", nonce="r1")
    again = await community.app.commands.respond(bot, command_id, "Sunny", "public", nonce="r1")
    assert again == response
    page = await community.app.communities.page(community.admin, community.channel_id, limit=5)
    [message] = page.messages
    assert (message.content, message.username, message.bot) == ("Sunny", "helper", True)
    assert message.command == {"commandId": command_id, "name": "weather", "userId": community.member.user_id}
    assert response.message_id == message.message_id
    with pytest.raises(NonceReused):
        await community.app.commands.respond(bot, command_id, "Rain", "public", nonce="r1")


async def test_private_response_is_no_message(community: Community) -> None:
    bot = await new_bot(community)
    await register(community, bot, bot)
    response = await community.app.commands.respond(bot, await invoke(community, community.member), "Rain", "private")
    assert (response.content, response.user_id) == ("Rain", community.member.user_id)
    assert await community.contents() == []


async def test_only_the_bot_answers_a_few_times_and_in_time(community: Community, clock: Ahead) -> None:
    commands = community.app.commands
    bot, other = await new_bot(community), await new_bot(community, "other")
    await register(community, bot, bot)
    command_id = await invoke(community, community.member)
    for who in (other, community.member, community.owner):
        with pytest.raises(NotFound):
            await commands.respond(who, command_id, "x", "private")
    with pytest.raises(NotFound):
        await commands.respond(bot, CommandId("unknown"), "x", "private")

    kinds: tuple[Visibility, ...] = ("private", "public")
    attempts = [commands.respond(bot, command_id, f"{number}", kinds[number % 2]) for number in range(8)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, CommandResponse) for outcome in outcomes) == 5
    assert sum(isinstance(outcome, TooManyResponses) for outcome in outcomes) == 3

    late = await invoke(community, community.member)
    clock.move(seconds=15 * MINUTES + 1)
    with pytest.raises(CommandExpired):
        await commands.respond(bot, late, "x", "private")


async def test_bot_that_was_removed_answers_nothing(community: Community) -> None:
    bot = await new_bot(community)
    await register(community, bot, bot)
    command_id = await invoke(community, community.member)
    await community.app.communities.members.remove(community.owner, community.server_id, bot.user_id)
    with pytest.raises(NotFound):
        await community.app.commands.respond(bot, command_id, "x", "private")
    with pytest.raises(NotFound):
        await community.app.commands.respond(bot, command_id, "x", "public")


async def test_commands_end_with_their_server(community: Community) -> None:
    app = community.app
    bot = await new_bot(community)
    await register(community, bot, bot)
    await app.communities.delete_server(community.owner, community.server_id)
    await app.jobs.run_pending(app.handlers)
    assert [row for row in await rows(app, "COMMAND#") if row["sk"].startswith("COMMAND#")] == []
