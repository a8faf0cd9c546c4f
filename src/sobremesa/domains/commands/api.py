"""Routes of slash commands."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import ChangedMeanwhile, Invalid, NotFound, UnknownUsers
from sobremesa.domains.accounts.errors import invalid
from sobremesa.domains.commands.entities import CommandId, Visibility
from sobremesa.domains.commands.errors import CommandExpired, CommandTaken, TooManyCommands, TooManyResponses
from sobremesa.domains.commands.service import Commands
from sobremesa.domains.commands.service import NewCommand as WantedCommand
from sobremesa.domains.commands.views import (
    CommandView,
    InvocationView,
    ResponseView,
    command_view,
    invocation_view,
    response_view,
)
from sobremesa.domains.communities.entities import ChannelId, ServerId
from sobremesa.http.endpoints import Input, Listed, PageQuery, Routes
from sobremesa.rooms.api import Content, Nonce
from sobremesa.rooms.errors import NonceReused
from sobremesa.work.idempotency import KeyReused

MAX_TEXT = 2000
MAX_OPTIONS = 4000
CommandName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,32}$", examples=["weather"])]


class NewCommand(Input):
    """A slash command to register."""

    description: Annotated[str, msgspec.Meta(min_length=1, max_length=200, examples=["Show the weather of a city"])]
    bot_id: Annotated[UserId, msgspec.Meta(min_length=1, max_length=200)]
    options: Annotated[
        list[dict[str, Any]],
        msgspec.Meta(
            max_length=20,
            description="Hints for clients, such as names of parameters; at most 4,000 characters of JSON.",
            examples=[[{"name": "city"}]],
        ),
    ] = []


class NewInvocation(Input):
    """What the user wrote after the name."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_TEXT, examples=["Lisbon"])] = ""
    nonce: Nonce | None = None


class NewResponse(Input):
    """An answer to a command."""

    content: Content
    visibility: Visibility = "private"
    nonce: Nonce | None = None


def check_options(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the options; Invalid if they are too long."""
    if len(msgspec.json.encode(options)) > MAX_OPTIONS:
        raise invalid("options", f"Expected at most {MAX_OPTIONS} characters of JSON")
    return options


def routes(commands: Commands) -> Routes:
    """The routes of slash commands."""
    api = Routes("Commands", "Slash commands, which bots answer.")
    _declare_registration(api, commands)

    @api.post("/channels/{channel_id}/commands/{name}", status=201, limit="send", errors=[NotFound, KeyReused])
    async def invoke_command(
        actor: Actor, channel_id: ChannelId, name: CommandName, body: NewInvocation
    ) -> InvocationView:
        """Call a slash command in a channel. It is delivered to its bot only.

        Requires the right to send in the channel. A repeated `nonce` calls it once.
        """
        return invocation_view(await commands.invoke(actor, channel_id, name, text=body.text, nonce=body.nonce))

    @api.post(
        "/commands/{command_id}/responses",
        status=201,
        limit="send",
        errors=[NotFound, CommandExpired, TooManyResponses, NonceReused],
    )
    async def respond(actor: Actor, command_id: CommandId, body: NewResponse) -> ResponseView:
        """Answer a command, up to five times within 15 minutes. For the bot that received it.

        A private response is delivered to the user who called, a public one is a message in the channel. A repeated
        `nonce` returns the first response.
        """
        return response_view(await commands.respond(actor, command_id, body.content, body.visibility, nonce=body.nonce))

    return api


def _declare_registration(api: Routes, commands: Commands) -> None:
    one = "/servers/{server_id}/commands/{name}"

    @api.get("/servers/{server_id}/commands")
    async def list_commands(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[CommandView]:
        """List the slash commands of a server, by name."""
        found, cursor = await commands.list_commands(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([command_view(command) for command in found], cursor)

    @api.get(one, errors=[NotFound])
    async def get_command(actor: Actor, server_id: ServerId, name: CommandName) -> CommandView:
        """Get a slash command of a server."""
        return command_view(await commands.get(actor, server_id, name))

    @api.put(one, errors=[Invalid, UnknownUsers, CommandTaken, TooManyCommands, ChangedMeanwhile])
    async def put_command(actor: Actor, server_id: ServerId, name: CommandName, body: NewCommand) -> CommandView:
        """Register or change a slash command. A bot registers its own; members who manage the server, that of any."""
        wanted = WantedCommand(body.description, body.bot_id, check_options(body.options))
        return command_view(await commands.put(actor, server_id, name, wanted))

    @api.delete(one, errors=[NotFound, ChangedMeanwhile])
    async def delete_command(actor: Actor, server_id: ServerId, name: CommandName) -> None:
        """Delete a slash command."""
        await commands.delete(actor, server_id, name)
