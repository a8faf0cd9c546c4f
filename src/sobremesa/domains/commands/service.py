"""Register, call and answer slash commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import Busy, ChangedMeanwhile, NotFound, UnknownUsers
from sobremesa.core.ids import Ids, MessageId
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.commands.entities import (
    CommandId,
    CommandResponse,
    Invocation,
    SlashCommand,
    Visibility,
    command_by_name,
    commands_of,
    delete_command,
    invocation_by_id,
    invoke_command,
    respond_privately,
    response_by_id,
    set_command,
)
from sobremesa.domains.commands.errors import CommandExpired, CommandTaken, TooManyCommands, TooManyResponses
from sobremesa.domains.communities.access import Member
from sobremesa.domains.communities.entities import ChannelId, ServerId, membership
from sobremesa.domains.communities.service import Communities
from sobremesa.rooms.entities import Message
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.sending import Draft
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Operation,
    Put,
    Table,
    Update,
    add,
    equals,
    hash_part,
    less,
    present,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.quotas import Quotas, guard_of

MAX_COMMANDS = 100
MAX_RESPONSES = 5
ANSWER_WITHIN_MS = 15 * 60 * 1000
KEPT_SECONDS = 48 * 3600
"""Longer than events can be resumed, so that a bot that comes back finds what it missed."""


class NewCommand(NamedTuple):
    """A command to register."""

    description: str
    bot_id: UserId
    options: Sequence[dict[str, Any]] = ()


class Commands:
    """The slash commands of all servers."""

    def __init__(
        self, table: Table, clock: Clock, ids: Ids, *, accounts: Accounts, communities: Communities,
        idempotency: Idempotency,
    ) -> None:  # fmt: skip
        self._table = table
        self._clock = clock
        self._ids = ids
        self._accounts = accounts
        self._communities = communities
        self._access = communities.access
        self._idempotency = idempotency
        self._quotas = Quotas(table, clock)

    # Registration

    async def put(self, actor: Actor, server_id: ServerId, name: str, wanted: NewCommand) -> SlashCommand:
        """Register or change a command: a bot its own, a member who manages the server that of any bot in it."""
        member = await self._require_right(actor, server_id, wanted.bot_id)
        await self._require_bot(member, wanted.bot_id)
        before = await self._table.get(command_by_name(server_id=server_id, name=name))
        if before is not None and actor.is_bot and before.bot_id != actor.user_id:
            raise CommandTaken
        now = self._clock.now()
        command = SlashCommand(
            server_id=server_id,
            name=name,
            description=wanted.description,
            options=list(wanted.options),
            bot_id=wanted.bot_id,
            created_at=now if before is None else before.created_at,
            updated_at=now,
        )
        is_in = Check(membership(user_id=wanted.bot_id, server_id=server_id), when=present())
        try:
            await self._write(command, before, [is_in, *self._still(member, is_in)])
        except ConditionFailed:
            raise ChangedMeanwhile from None
        return command

    async def get(self, actor: Actor, server_id: ServerId, name: str) -> SlashCommand:
        """Return a command of a server that the actor is in."""
        await self._access.require_member(actor, server_id)
        return await self._get(server_id, name)

    async def list_commands(
        self, actor: Actor, server_id: ServerId, *, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[SlashCommand], str | None]:
        """Return a page of the commands of a server, by name."""
        await self._access.require_member(actor, server_id)
        page = await self._table.query(commands_of(server_id=server_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def delete(self, actor: Actor, server_id: ServerId, name: str) -> None:
        """Delete a command: a bot its own, a member who manages the server any."""
        member = await self._access.require_member(actor, server_id)
        if not actor.is_bot:
            member.require("manage_server")
        command = await self._get(server_id, name)
        await self._require_right(actor, server_id, command.bot_id)
        try:
            await self._table.write(
                command=Delete(command.own_key(), when=equals("bot_id", command.bot_id)),
                actor=self._access.role_check(member),
                pattern=delete_command,
            )
        except ConditionFailed as failed:
            raise (NotFound if "command" in failed else ChangedMeanwhile) from None

    async def clean_server(self, subject: str) -> None:
        """Remove the commands of a deleted server."""
        server_id = ServerId(subject)
        await self._table.delete_every(commands_of(server_id=server_id), pattern=delete_command)
        await self._table.write_many([Delete(guard_of(quota="commands", owner_id=server_id))], pattern=delete_command)

    # Calls and responses

    async def invoke(
        self, actor: Actor, channel_id: ChannelId, name: str, *, text: str = "", nonce: str | None = None
    ) -> Invocation:
        """Call a command in a channel, which requires the right to send there. A repeated nonce calls once."""
        seat = await self._access.authorize_send(actor, channel_id)
        seat.require("send")
        server_id = ServerId(seat.scope)
        claim = self._idempotency.claim(actor, nonce, "command", [channel_id, name, text])
        existing = await claim.find()
        if existing is not None:
            return await self._get_invocation(CommandId(existing))
        command = await self._get(server_id, name)
        if command.bot_id not in await self._access.current_members(channel_id, [command.bot_id]):
            raise NotFound  # it must not receive texts of a channel that it cannot read
        invocation = self._new_invocation(actor, channel_id, command, text)
        try:
            await self._table.write(
                invocation=Create(invocation),
                command=Check(command.own_key(), when=equals("bot_id", command.bot_id)),
                members=_members(server_id, actor.user_id, command.bot_id),
                claim=claim.operations(invocation.command_id),
                pattern=invoke_command,
            )
        except ConditionFailed as failed:
            before = await claim.created(failed)
            if before is None:
                raise NotFound from None  # the command was deleted, or the user or the bot left the server
            return await self._get_invocation(CommandId(before))
        return invocation

    async def respond(
        self, actor: Actor, command_id: CommandId, content: str, visibility: Visibility, *, nonce: str | None = None
    ) -> CommandResponse:
        """Answer a command that was delivered to the actor; CommandExpired, TooManyResponses.

        A public response is a message of the bot, a private one is delivered to the user who called.
        """
        invocation = await self._get_invocation(command_id)
        if invocation.bot_id != actor.user_id:
            raise NotFound
        response = self._new_response(actor, invocation, content, visibility, nonce)
        before = await self._table.get(response_by_id(command_id=command_id, response_id=response.response_id))
        if before is not None:
            return _same(before, response)
        if invocation.expires_at <= self._clock.now():
            raise CommandExpired
        if invocation.responses >= MAX_RESPONSES:
            raise TooManyResponses(limit=MAX_RESPONSES)
        try:
            return await (self._publicly if visibility == "public" else self._privately)(actor, response, content)
        except ConditionFailed:
            return await self._answered_before(response)

    # Internals

    async def _privately(self, actor: Actor, response: CommandResponse, content: str) -> CommandResponse:
        member = await self._access.require_member(actor, response.server_id)
        await self._table.write(
            invocation=_one_more(response),
            response=Create(response),
            bot=self._access.role_check(member),
            pattern=respond_privately,
        )
        return response

    async def _publicly(self, actor: Actor, response: CommandResponse, content: str) -> CommandResponse:
        seat = await self._access.authorize_send(actor, response.channel_id)
        verdict = await self._communities.judge(seat, content)
        about = {"commandId": response.command_id, "name": response.name, "userId": response.user_id}
        draft = Draft(content, more={"command": about})

        def extras(message: Message) -> Sequence[Operation]:
            return (_one_more(response), Create(_with_message(response, message.message_id)))

        message = await self._communities.send_with(seat, draft, extras, verdict)
        return _with_message(response, message.message_id)

    async def _answered_before(self, response: CommandResponse) -> CommandResponse:
        """Return the response of a concurrent request with the same nonce; otherwise there were too many."""
        key = response_by_id(command_id=response.command_id, response_id=response.response_id)
        before = await self._table.get(key)
        if before is not None:
            return _same(before, response)
        invocation = await self._get_invocation(response.command_id)
        if invocation.responses >= MAX_RESPONSES:
            raise TooManyResponses(limit=MAX_RESPONSES)
        raise Busy

    async def _require_right(self, actor: Actor, server_id: ServerId, bot_id: UserId) -> Member:
        member = await self._access.require_member(actor, server_id)
        if not (actor.is_bot and actor.user_id == bot_id):
            member.require("manage_server")
        return member

    async def _require_bot(self, member: Member, bot_id: UserId) -> None:
        """Raise UnknownUsers unless this is a bot that is in the server."""
        if await self._access.find_membership(member.server, bot_id) is None:
            raise UnknownUsers("This bot is not in the server.", user_ids=[bot_id])
        if not (await self._accounts.get_user(bot_id)).is_bot:
            raise UnknownUsers("This user is not a bot.", user_ids=[bot_id])

    def _still(self, member: Member, is_in: Check[Any]) -> Sequence[Operation]:
        """Return the check of the actor's role, unless the actor is the bot: a transaction has one check of a row."""
        return [] if member.row.own_key() == is_in.key else self._access.role_check(member)

    async def _write(self, command: SlashCommand, before: SlashCommand | None, checks: Sequence[Operation]) -> None:
        if before is not None:
            same = equals("updated_at", before.updated_at)
            await self._table.write(command=Put(command, when=same), checks=checks, pattern=set_command)
            return

        async def reserve() -> Operation:
            question = commands_of(server_id=command.server_id)
            reserved = await self._quotas.reserve("commands", command.server_id, question, MAX_COMMANDS)
            if reserved is None:
                raise TooManyCommands(limit=MAX_COMMANDS)
            return reserved

        await self._quotas.create(reserve, command=Create(command), checks=checks, pattern=set_command)

    async def _get(self, server_id: ServerId, name: str) -> SlashCommand:
        command = await self._table.get(command_by_name(server_id=server_id, name=name))
        if command is None:
            raise NotFound
        return command

    async def _get_invocation(self, command_id: CommandId) -> Invocation:
        invocation = await self._table.get(invocation_by_id(command_id=command_id))
        if invocation is None:
            raise NotFound
        return invocation

    def _new_invocation(self, actor: Actor, channel_id: ChannelId, command: SlashCommand, text: str) -> Invocation:
        now = self._clock.now_ms()
        return Invocation(
            command_id=CommandId(self._ids.mint()),
            name=command.name,
            text=text,
            server_id=command.server_id,
            channel_id=channel_id,
            user_id=actor.user_id,
            username=actor.username,
            bot_id=command.bot_id,
            created_at=instant(now),
            expires_at=instant(now + ANSWER_WITHIN_MS),
            ttl=now // 1000 + KEPT_SECONDS,
        )

    def _new_response(
        self, actor: Actor, invocation: Invocation, content: str, visibility: Visibility, nonce: str | None
    ) -> CommandResponse:
        return CommandResponse(
            command_id=invocation.command_id,
            response_id=self._ids.mint() if nonce is None else f"n-{hash_part(nonce)}",
            visibility=visibility,
            name=invocation.name,
            content=content if visibility == "private" else None,
            body_hash=hash_part(visibility, content),
            server_id=invocation.server_id,
            channel_id=invocation.channel_id,
            user_id=invocation.user_id,
            bot_id=invocation.bot_id,
            username=actor.username,
            created_at=self._clock.now(),
            ttl=self._clock.now_seconds() + KEPT_SECONDS,
        )


def _members(server_id: ServerId, user_id: UserId, bot_id: UserId) -> list[Operation]:
    """Return the checks that the user and the bot are in the server; a bot may call its own command."""
    users = dict.fromkeys((user_id, bot_id))
    return [Check(membership(user_id=each, server_id=server_id), when=present()) for each in users]


def _one_more(response: CommandResponse) -> Operation:
    """Return the count of one more response, on the condition that there is room for it."""
    key = invocation_by_id(command_id=response.command_id)
    return Update(key, add(responses=1), when=present() & less("responses", MAX_RESPONSES))


def _with_message(response: CommandResponse, message_id: MessageId) -> CommandResponse:
    return msgspec.structs.replace(response, message_id=message_id)


def _same(before: CommandResponse, response: CommandResponse) -> CommandResponse:
    """Return the response of an earlier request with the same nonce; NonceReused if its body was different."""
    if before.body_hash != response.body_hash:
        raise NonceReused
    return before
