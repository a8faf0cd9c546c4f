"""Slash commands as clients see them."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.commands.entities import CommandId, CommandResponse, Invocation, SlashCommand, Visibility
from sobremesa.domains.communities.entities import ChannelId, ServerId
from sobremesa.http.endpoints import Output


class CommandView(Output):
    """A slash command of a server."""

    server_id: ServerId
    name: str
    description: str
    options: list[dict[str, Any]]
    bot_id: UserId
    created_at: Instant
    updated_at: Instant


class InvocationView(Output):
    """A command that a user called. `text` is what they wrote after the name."""

    command_id: CommandId
    name: str
    text: str
    channel_id: ChannelId
    server_id: ServerId
    user_id: UserId
    username: str
    bot_id: UserId
    created_at: Instant
    expires_at: Instant
    """Until when it can be answered."""


class ResponseView(Output):
    """A response to a command: a private text, or the message of a public one."""

    command_id: CommandId
    response_id: str
    visibility: Visibility
    name: str
    channel_id: ChannelId
    server_id: ServerId
    user_id: UserId
    bot_id: UserId
    username: str
    content: str | None
    message_id: MessageId | None
    created_at: Instant


def command_view(command: SlashCommand) -> CommandView:
    return CommandView(
        command.server_id,
        command.name,
        command.description,
        command.options,
        command.bot_id,
        command.created_at,
        command.updated_at,
    )


def invocation_view(invocation: Invocation) -> InvocationView:
    return InvocationView(
        invocation.command_id,
        invocation.name,
        invocation.text,
        invocation.channel_id,
        invocation.server_id,
        invocation.user_id,
        invocation.username,
        invocation.bot_id,
        invocation.created_at,
        invocation.expires_at,
    )


def response_view(response: CommandResponse) -> ResponseView:
    return ResponseView(
        response.command_id,
        response.response_id,
        response.visibility,
        response.name,
        response.channel_id,
        response.server_id,
        response.user_id,
        response.bot_id,
        response.username,
        response.content,
        response.message_id,
        response.created_at,
    )
