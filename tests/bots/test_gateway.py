"""A bot's token opens the gateway, and revoking it closes the bot's sockets."""

from __future__ import annotations

from gateway.connection import Connection
from gateway.served_app import serve_app

REFUSED = 4004


async def test_bot_receives_events_until_its_token_is_revoked(store: str) -> None:
    async with serve_app(store) as served:
        ana = await served.create_user("ana")
        server_id = await served.server(ana)
        channel_id = await served.channel(ana, server_id)
        created = await served.app.bots.create_in_server(ana.actor, server_id, username="helper")
        async with Connection(served.url, created.token) as bot, Connection(served.url, created.token) as idle:
            ready = await bot.identify()
            await idle.identify()
            await served.send(ana, channel_id, "Hello")
            message = await bot.event("message.created")
            status, _ = await bot.call("channels.sendMessage", roomId=channel_id, content="Hello, too")
            await served.app.bots.revoke_in_server(ana.actor, server_id, created.bot.row.user_id)
            closed = await bot.closed()
            also = await idle.closed()

    assert ready["user"]["bot"] is True
    assert (message["d"]["content"], status) == ("Hello", 201)
    assert (closed.code, also.code) == (REFUSED, REFUSED)


async def test_replaced_token_closes_its_sockets_only(store: str) -> None:
    async with serve_app(store) as served:
        ana = await served.create_user("ana")
        server_id = await served.server(ana)
        created = await served.app.bots.create_in_server(ana.actor, server_id, username="helper")
        async with Connection(served.url, created.token) as old:
            await old.identify()
            token = await served.app.bots.rotate_in_server(ana.actor, server_id, created.bot.row.user_id)
            assert (await old.closed()).code == REFUSED
            async with Connection(served.url, token) as new:
                assert (await new.identify())["user"]["username"] == "helper"
