"""Refusals of slash commands."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class TooManyCommands(Clash):
    code = "too_many_commands"
    default_detail = "This server has the maximum number of commands: delete one first."


class CommandTaken(Clash):
    code = "command_taken"
    default_detail = "Another bot answers this command."


class CommandExpired(Clash):
    code = "command_expired"
    default_detail = "The command was called too long ago to be answered."


class TooManyResponses(Clash):
    code = "too_many_responses"
    default_detail = "The command has the maximum number of responses."
