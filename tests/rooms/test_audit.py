"""The audit log of rooms: every entry of a verb that a server key calls as a user names the key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import msgspec
import pytest

from communities.environment import actor_of, create_profile
from imports.environment import Environment, create_environment
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import AuditEntry
from sobremesa.domains.communities.entities import ChannelId, ServerId
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.domains.conversations.entities import ConversationId
from sobremesa.domains.threads.entities import ThreadId
from sobremesa.rooms.sending import Draft

KEY = KeyId("key-of-the-shop")
BACKEND = Actor(key_id=KEY, scopes=frozenset({"rooms:write"}))
Verbs: TypeAlias = Callable[[Sobremesa, Environment, Actor, Actor], Awaitable[None]]


async def _server(app: Sobremesa, env: Environment, ana: Actor, guest: Actor) -> None:
    communities, members = app.communities, app.communities.members
    server_id: ServerId = (await communities.create_server(ana, name="Shop")).server_id
    channel_id = (await communities.create_channel(ana, server_id, name="general")).channel.channel_id
    await communities.change_server(ana, server_id, {"name": "The shop"})
    await communities.change_channel(ana, channel_id, {"name": "all"})
    await communities.privacy.change(ana, channel_id, AccessList([], []))
    await communities.privacy.change(ana, channel_id, None)
    for _ in range(2):
        await members.add(BACKEND, server_id, guest.user_id)
        await members.change_role(ana, server_id, guest.user_id, role="moderator")
        await members.remove(ana, server_id, guest.user_id)
    await members.add(BACKEND, server_id, guest.user_id)
    await _messages(app, "channel", ana, guest, channel_id)
    await members.ban(ana, server_id, guest.user_id)
    await members.lift_ban(ana, server_id, guest.user_id)
    invite = await communities.invites.create(ana, server_id)
    await communities.invites.revoke(ana, invite.code)
    bot = (await app.bots.create_in_server(ana, server_id, username="helper")).bot.profile.user_id
    await app.bots.rotate_in_server(ana, server_id, bot)
    await app.bots.revoke_in_server(ana, server_id, bot)
    await app.bots.delete_in_server(ana, server_id, bot)
    hook = await app.incoming_webhooks.create(ana, "channel", channel_id)
    await app.incoming_webhooks.delete(ana, "channel", channel_id, hook.hook.hook_id)
    await communities.delete_channel(ana, ChannelId(channel_id))
    await members.add(BACKEND, server_id, guest.user_id)
    await members.transfer(ana, server_id, guest.user_id)
    own = (await communities.create_server(ana, name="Own")).server_id
    await communities.delete_server(ana, own)


async def _messages(app: Sobremesa, kind: str, ana: Actor, guest: Actor, room_id: RoomId) -> None:
    rooms = {"channel": app.communities, "conversation": app.conversations, "thread": app.threads}[kind]
    sent = await rooms.send(guest, room_id, Draft("Hello"))
    await rooms.pin(ana, room_id, sent.message_id)
    await rooms.unpin(ana, room_id, sent.message_id)
    if kind != "thread":
        await rooms.delete_message(ana, room_id, sent.message_id)


async def _group(app: Sobremesa, env: Environment, ana: Actor, guest: Actor) -> None:
    room_id: ConversationId = (
        await app.conversations.create_group(ana, [env.ben.user_id, guest.user_id], name="Shop")
    ).conversation_id
    await app.conversations.participants.change_role(ana, room_id, guest.user_id, role="admin")
    await _messages(app, "conversation", ana, guest, room_id)
    await app.conversations.participants.remove(ana, room_id, guest.user_id)
    await app.conversations.participants.add(ana, room_id, guest.user_id)


async def _thread(app: Sobremesa, env: Environment, ana: Actor, guest: Actor) -> None:
    thread_id = ThreadId(env.rooms["thread"].room_id)
    participants = app.threads.participants
    await participants.add(ana, thread_id, guest.user_id, "buyer")
    await _messages(app, "thread", ana, guest, thread_id)
    await participants.change(ana, thread_id, env.ben.user_id, blocked_until=datetime.now(UTC) + timedelta(days=1))
    await participants.change(ana, thread_id, env.ben.user_id, blocked_until=None)
    await participants.remove(guest, thread_id, guest.user_id)
    await app.threads.set_status(ana, thread_id, "archived")


async def _workspace(app: Sobremesa, env: Environment, ana: Actor, guest: Actor) -> None:
    workspaces, members = app.workspaces, app.workspaces.members
    workspace_id = (await workspaces.create(ana, name="Shop")).workspace.workspace_id
    await workspaces.rename(ana, workspace_id, name="The shop")
    await members.add(BACKEND, workspace_id, guest.user_id)
    await members.change_role(ana, workspace_id, guest.user_id, role="admin")
    await members.remove(ana, workspace_id, guest.user_id)
    invite = await workspaces.invites.create(ana, workspace_id)
    await workspaces.invites.revoke(ana, invite.code)
    await workspaces.delete(ana, workspace_id)


_MESSAGES = {"message.pin", "message.unpin"}
ACTIONS: Mapping[Verbs, set[str]] = {
    _server: {
        *("server.change", "server.delete", "server.transfer", "channel.create", "channel.change", "channel.access"),
        *("channel.delete", "member.role", "member.kick", "member.ban", "member.unban", "invite.revoke"),
        *("bot.create", "bot.rotate", "bot.revoke", "bot.delete", "hook.create", "hook.delete", "message.delete"),
        *_MESSAGES,
    },
    _group: {"participant.role", "participant.remove", "message.delete", *_MESSAGES},
    _thread: {
        *("participant.add", "participant.block", "participant.unblock", "participant.remove", "thread.status"),
        *_MESSAGES,
    },
    _workspace: {"workspace.rename", "workspace.delete", "member.role", "member.remove", "invite.revoke"},
}


@pytest.mark.parametrize("verbs", ACTIONS, ids=lambda verbs: verbs.__name__.removeprefix("_"))
async def test_every_entry_of_a_key_that_acts_as_a_user_names_the_key(app: Sobremesa, verbs: Verbs) -> None:
    env = await create_environment(app)
    before = await _entries(app)
    users = [env.ana, await create_profile(app, actor_of("guest"))]
    ana, guest = [msgspec.structs.replace(user, key_id=KEY) for user in users]
    await verbs(app, env, ana, guest)

    entries = [entry for entry in await _entries(app) if entry not in before]
    as_users = [entry for entry in entries if entry.actor in (ana.user_id, guest.user_id)]
    assert {entry.action for entry in as_users} == ACTIONS[verbs]
    assert [entry.action for entry in entries if entry.actor != KEY and entry.details.get("key") != KEY] == []


async def _entries(app: Sobremesa) -> list[AuditEntry]:
    found = app.table.scan(consistent=True)
    return [AuditEntry.from_item(row, app.table.layout) async for row in found if str(row["pk"]).startswith("AUDIT#")]
