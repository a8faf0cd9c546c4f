"""Slash commands, their invocations and responses: stored rows and access patterns."""

from __future__ import annotations

from typing import Any, Literal, NewType, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.entities import ChannelId, ServerId, ServerMembership
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern

CommandId = NewType("CommandId", str)
Visibility: TypeAlias = Literal["private", "public"]


class SlashCommand(Entity):
    """A command of a server, and the bot that answers it."""

    keys = Keys(pk="SERVER#{server_id}", sk="COMMAND#{name}")

    server_id: ServerId
    name: str
    description: str
    options: list[dict[str, Any]] = []
    bot_id: UserId
    created_at: Instant
    updated_at: Instant


class Invocation(Entity):
    """A command that a user called. Its creation is the event that the bot receives."""

    keys = Keys(pk="COMMAND#{command_id}", sk="META")
    expires = "ttl"

    command_id: CommandId
    name: str
    text: str = ""
    server_id: ServerId
    channel_id: ChannelId
    user_id: UserId
    username: str
    bot_id: UserId
    responses: int = 0
    created_at: Instant
    expires_at: Instant
    """Until when it can be answered."""
    ttl: int


class CommandResponse(Entity):
    """An answer to a command. A private one has the text, a public one the message that it is."""

    keys = Keys(pk="COMMAND#{command_id}", sk="RESPONSE#{response_id}")
    expires = "ttl"

    command_id: CommandId
    response_id: str
    """From the nonce of the request, so that a repeated request creates no second response."""
    visibility: Visibility
    name: str
    content: str | None = None
    message_id: MessageId | None = None
    body_hash: str
    server_id: ServerId
    channel_id: ChannelId
    user_id: UserId
    """The user who called the command."""
    bot_id: UserId
    username: str
    """The name of the bot."""
    created_at: Instant
    ttl: int


commands_of = Pattern("CMD.1", "Which commands does this server have?", SlashCommand, consistent=True)
command_by_name = Lookup("CMD.2", "What is this command of this server?", SlashCommand, consistent=True)
invocation_by_id = Lookup("CMD.3", "What was called?", Invocation, consistent=True)
response_by_id = Lookup("CMD.4", "What was answered with this nonce?", CommandResponse, consistent=True)

set_command = WritePattern("CMD.10", "Register or change a command", SlashCommand, ServerMembership)
delete_command = WritePattern("CMD.11", "Delete commands", SlashCommand)
invoke_command = WritePattern("CMD.12", "Call a command", Invocation, SlashCommand, ServerMembership)
respond_privately = WritePattern("CMD.13", "Answer a command privately", Invocation, CommandResponse)
