"""A call reaches its bot only, and a private response its caller only, also after a reconnect."""

from __future__ import annotations

from gateway.connection import Connection
from gateway.served_app import serve_app
from sobremesa.domains.commands.service import NewCommand

RESPONDED = "command.responded"


async def test_command_is_delivered_to_the_bot_and_its_private_response_to_the_caller(store: str) -> None:
    async with serve_app(store) as served:
        ana, ben = await served.create_user("ana"), await served.create_user("ben")
        server_id = await served.server(ana, ben)
        channel_id = await served.channel(ana, server_id)
        created = await served.app.bots.create_in_server(ana.actor, server_id, username="helper")
        bot_id = created.bot.row.user_id
        await served.app.commands.put(ana.actor, server_id, "weather", NewCommand("Weather", bot_id))

        async with (
            Connection(served.url, created.token) as bot,
            served.connect(ana) as caller,
            served.connect(ben) as other,
        ):
            for connection in (bot, caller, other):
                await connection.identify()
            status, called = await caller.call(
                "commands.invokeCommand", channelId=channel_id, name="weather", text="Lisbon"
            )
            received = await bot.event("command.invoked")
            assert (status, received["d"]) == (201, called)
            answer = {"commandId": called["commandId"], "visibility": "private"}
            await bot.call("commands.respond", content="Sunny", **answer)
            responded = await caller.event(RESPONDED)
            assert await other.is_quiet("command.invoked", RESPONDED)
            before = caller
        await served.app.commands.respond(
            await served.app.accounts.authenticate(created.token), called["commandId"], "And warm", "private"
        )
        async with served.connect(ana) as again:
            missed = [frame["d"]["content"] for frame in await again.resume(before) if frame["t"] == RESPONDED]
            while "And warm" not in missed:  # the change stream of DynamoDB may be later than the resume
                missed.append((await again.event(RESPONDED))["d"]["content"])

    assert (responded["d"]["content"], responded["d"]["userId"]) == ("Sunny", ana.user.user_id)
