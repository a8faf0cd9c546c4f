"""The payloads and recipients of the events of slash commands."""

from __future__ import annotations

import msgspec

from communities.environment import create_community
from events.recorder import EventRecorder, events_of
from sobremesa.app import Sobremesa
from sobremesa.domains.commands.service import NewCommand
from sobremesa.live.events import user


async def test_call_is_for_the_bot_and_private_response_for_the_caller(app: Sobremesa, recorder: EventRecorder) -> None:
    community = await create_community(app)
    created = await app.bots.create_in_server(community.owner, community.server_id, username="helper")
    bot = await app.accounts.authenticate(created.token)
    await app.commands.put(bot, community.server_id, "weather", NewCommand("Show the weather", bot.user_id))
    await recorder.changes()

    called = await app.commands.invoke(community.member, community.channel_id, "weather", text="Lisbon")
    await app.commands.respond(bot, called.command_id, "Sunny", "private")
    await app.commands.respond(bot, called.command_id, "Sunny", "public")
    events = events_of(await recorder.translated(await recorder.changes()))

    invoked, responded, message = sorted(events, key=lambda event: event.t)
    assert (invoked.t, invoked.topics) == ("command.invoked", (user(bot.user_id),))
    assert (responded.t, responded.topics) == ("command.responded", (user(community.member.user_id),))
    assert message.t == "message.created"
    payload = msgspec.json.decode(invoked.d)
    assert (payload["commandId"], payload["name"], payload["text"]) == (called.command_id, "weather", "Lisbon")
    assert (payload["channelId"], payload["userId"]) == (community.channel_id, community.member.user_id)
    assert msgspec.json.decode(responded.d)["content"] == "Sunny"
    assert msgspec.json.decode(message.d)["command"]["commandId"] == called.command_id
