"""Who may do what, over HTTP: every operation of the served document, tried by every kind of caller.

The table below is the expectation, one line for each operation (several where it matters who owns a resource: the word
behind the name). An operation without a line fails, and so does a line without an operation. The lines share a
server, a group, a workspace and a thread with users of every role, and each caller finds what they need there, so
that what is allowed really happens; a line that changes who is there, or what they may do, has them to itself
(`ALONE`). Strangers and removed members must not be able to find out what exists: their 404 is compared byte for byte
with that of an unknown id.

The embedded engine tries all of it, DynamoDB every fifth line, and all in `make long`: who may do what is decided above
the engines.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import aiohttp
import pytest

from api import program_attempts, thread_attempts
from api.attempts import INSIDE, PREPARED, USERS, Attempt, Prepare, prepares
from api.calling import PASSWORD, PICTURE, UNKNOWN_ID, Caller, Reply, client_of, log_in, register
from api.running import Server, grant_admin, new_key, register_in, unsubscribe_token
from lengths import AUTHORIZATION_STEP

TABLE = """
operation                     anonymous  key  stranger  removed  member  moderator  admin  owner

accounts.register                   201  201       201      201     201        201    201    201
accounts.askRegistration            202  202       202      202     202        202    202    202
accounts.confirmRegistration        201  201       201      201     201        201    201    201
accounts.login                      200  200       200      200     200        200    200    200
accounts.refresh                    200  200       200      200     200        200    200    200
accounts.askReset                   202  202       202      202     202        202    202    202
accounts.confirmReset               204  204       204      204     204        204    204    204
accounts.logout                     401  403       204      204     204        204    204    204
accounts.getMe                      401  403       200      200     200        200    200    200
accounts.changeMe                   401  403       200      200     200        200    200    200
accounts.deleteMe                   401  403       204      204     204        204    204    409
accounts.changePassword             401  403       204      204     204        204    204    204
accounts.listSessions               401  403       200      200     200        200    200    200
accounts.endSession                 401  403       204      204     204        204    204    204
accounts.endSession others          401  403       404      404     404        404    404    404
accounts.export                     401  403       200      200     200        200    200    200
accounts.listBlocks                 401  403       200      200     200        200    200    200
accounts.getBlock                   401  403       200      200     200        200    200    200
accounts.block                      401  403       200      200     200        200    200    200
accounts.unblock                    401  403       204      204     204        204    204    204
accounts.findUsers                  401  403       200      200     200        200    200    200
accounts.getUser                    401  403       200      200     200        200    200    200
accounts.listTenantAudit            401  403       403      403     403        403    403    403

users.upsertUser                    401  403       403      403     403        403    403    403
users.getTenantUser                 401  403       403      403     403        403    403    403
users.deleteUser                    401  403       403      403     403        403    403    403
users.disableUser                   401  403       403      403     403        403    403    403
users.enableUser                    401  403       403      403     403        403    403    403
users.revokeTokens                  401  403       403      403     403        403    403    403
users.countUnreadOfUser             401  403       403      403     403        403    403    403
users.upsertUsers                   401  403       403      403     403        403    403    403

communities.createServer            401  403       201      201     201        201    201    201
communities.listServers             401  403       200      200     200        200    200    200
communities.getServer               401  403       404      404     200        200    200    200
communities.changeServer            401  403       404      404     403        403    200    200
communities.deleteServer            401  403       404      404     403        403    403    204
communities.transferServer          401  403       404      404     403        403    403    200
communities.listAudit               401  403       404      404     403        403    200    200
communities.listMembers             401  403       404      404     200        200    200    200
communities.getMember               401  403       404      404     200        200    200    200
communities.changeMember            401  403       404      404     403        403    200    200
communities.addMember               401  403       403      403     403        403    403    403
communities.removeMember            401  403       404      404     403        204    204    204
communities.removeMember owner      401  403       404      404     403        403    403    409
communities.removeMember own        401  403       404      404     204        204    204    409
communities.listBans                401  403       404      404     403        200    200    200
communities.banMember               401  403       404      404     403        200    200    200
communities.banMember owner         401  403       404      404     403        403    403    403
communities.liftBan                 401  403       404      404     403        204    204    204
communities.createChannel           401  403       404      404     403        403    201    201
communities.listChannels            401  403       404      404     200        200    200    200
communities.getChannel              401  403       404      404     200        200    200    200
communities.changeChannel           401  403       404      404     403        403    200    200
communities.deleteChannel           401  403       404      404     403        403    204    204
communities.listChannelMembers      401  403       404      404     200        200    200    200
communities.getAccess               401  403       404      404     403        403    200    200
communities.setAccess               401  403       404      404     403        403    200    200
communities.clearAccess             401  403       404      404     403        403    204    204
communities.createInvite            401  403       404      404     201        201    201    201
communities.listInvites             401  403       404      404     403        403    200    200
communities.listAllServers          401  403       403      403     403        403    403    403

channels.sendMessage                401  403       404      404     201        201    201    201
channels.listMessages               401  403       404      404     200        200    200    200
channels.getMessage                 401  403       404      404     200        200    200    200
channels.editMessage                401  403       404      404     200        200    200    200
channels.editMessage others         401  403       404      404     403        403    403    403
channels.deleteMessage              401  403       404      404     204        204    204    204
channels.deleteMessage others       401  403       404      404     403        204    204    204
channels.addReaction                401  403       404      404     204        204    204    204
channels.removeReaction             401  403       404      404     204        204    204    204
channels.listReactors               401  403       404      404     200        200    200    200
channels.listPins                   401  403       404      404     200        200    200    200
channels.pinMessage                 401  403       404      404     403        204    204    204
channels.unpinMessage               401  403       404      404     403        204    204    204
channels.markRead                   401  403       404      404     200        200    200    200
channels.countUnread                401  403       404      404     200        200    200    200
channels.listReaders                401  403       404      404     200        200    200    200
channels.startTyping                401  403       404      404     204        204    204    204
channels.stopTyping                 401  403       404      404     204        204    204    204
channels.setPreferences             401  403       404      404     200        200    200    200
channels.reportMessage              401  403       404      404     202        202    202    202

conversations.createConversation    401  403       201      201     201        201    201    201
conversations.listConversations     401  403       200      200     200        200    200    200
conversations.getConversation       401  403       404      404     200        200    200    200
conversations.changeConversation    401  403       404      404     403        403    200    200
conversations.listParticipants      401  403       404      404     200        200    200    200
conversations.addParticipant        401  403       404      404     403        403    201    201
conversations.changeParticipant     401  403       404      404     403        403    200    200
conversations.removeParticipant     401  403       404      404     403        403    204    204
conversations.removeParticipant own 401  403       404      404     204        204    204    409

conversations.sendMessage           401  403       404      404     201        201    201    201
conversations.listMessages          401  403       404      404     200        200    200    200
conversations.getMessage            401  403       404      404     200        200    200    200
conversations.editMessage           401  403       404      404     200        200    200    200
conversations.editMessage others    401  403       404      404     403        403    403    403
conversations.deleteMessage         401  403       404      404     204        204    204    204
conversations.deleteMessage others  401  403       404      404     403        403    204    204
conversations.addReaction           401  403       404      404     204        204    204    204
conversations.removeReaction        401  403       404      404     204        204    204    204
conversations.listReactors          401  403       404      404     200        200    200    200
conversations.listPins              401  403       404      404     200        200    200    200
conversations.pinMessage            401  403       404      404     204        204    204    204
conversations.unpinMessage          401  403       404      404     204        204    204    204
conversations.markRead              401  403       404      404     200        200    200    200
conversations.countUnread           401  403       404      404     200        200    200    200
conversations.listReaders           401  403       404      404     200        200    200    200
conversations.startTyping           401  403       404      404     204        204    204    204
conversations.stopTyping            401  403       404      404     204        204    204    204
conversations.setPreferences        401  403       404      404     200        200    200    200
conversations.reportMessage         401  403       404      404     202        202    202    202

data.setSchema                      401  403       403      403     403        403    403    403
data.getSchema                      401  403       403      403     403        403    403    403
data.removeSchema                   401  403       403      403     403        403    403    403

inboxes.setTenant                   401  403       403      403     403        403    403    403
inboxes.getTenant                   401  200       403      403     403        403    403    403
inboxes.getTenant elsewhere         401  404       403      403     403        403    403    403
inboxes.setInbox                    401  403       403      403     403        403    403    403
inboxes.getInbox                    401  200       403      403     403        403    403    403
inboxes.getInbox elsewhere          401  404       403      403     403        403    403    403
inboxes.setSegment                  401  403       403      403     403        403    403    403
inboxes.getSegment                  401  404       403      403     403        403    403    403
inboxes.listSegments                401  200       403      403     403        403    403    403
inboxes.changeSegmentUsers          401  403       403      403     403        403    403    403
inboxes.deleteSegment               401  403       403      403     403        403    403    403
inboxes.publishMessage              401  403       403      403     403        403    403    403
inboxes.updateMessage               401  403       403      403     403        403    403    403
inboxes.recallMessage               401  403       403      403     403        403    403    403
inboxes.getPublish                  401  200       403      403     403        403    403    403
inboxes.getPublish elsewhere        401  404       403      403     403        403    403    403
inboxes.listMessages                401  403       200      200     200        200    200    200
inboxes.listMessages elsewhere      401  403       404      404     404        404    404    404
inboxes.markRead                    401  403       200      200     200        200    200    200
inboxes.markRead elsewhere          401  403       404      404     404        404    404    404
inboxes.markAllRead                 401  403       200      200     200        200    200    200
inboxes.markAllRead elsewhere       401  403       404      404     404        404    404    404
inboxes.archiveMessage              401  403       200      200     200        200    200    200
inboxes.archiveMessage elsewhere    401  403       404      404     404        404    404    404
inboxes.snoozeMessage               401  403       200      200     200        200    200    200
inboxes.snoozeMessage elsewhere     401  403       404      404     404        404    404    404
inboxes.countMessages               401  403       200      200     200        200    200    200
inboxes.countMessages elsewhere     401  403       404      404     404        404    404    404
inboxes.setPreference               401  403       200      200     200        200    200    200
inboxes.setPreference elsewhere     401  403       404      404     404        404    404    404

webhooks.createWebhook              401  403       403      403     403        403    403    403
webhooks.listWebhooks               401  403       403      403     403        403    403    403
webhooks.getWebhook                 401  403       403      403     403        403    403    403
webhooks.changeWebhook              401  403       403      403     403        403    403    403
webhooks.deleteWebhook              401  403       403      403     403        403    403    403
webhooks.listDeliveries             401  403       403      403     403        403    403    403
webhooks.replayWebhook              401  403       403      403     403        403    403    403
webhooks.rotateSecret               401  403       403      403     403        403    403    403

workspaces.createWorkspace          401  403       201      201     201        201    201    201
workspaces.listWorkspaces           401  403       200      200     200        200    200    200
workspaces.getWorkspace             401  403       404      404     200        200    200    200
workspaces.changeWorkspace          401  403       404      404     403        403    200    200
workspaces.deleteWorkspace          401  403       404      404     403        403    403    204
workspaces.listAudit                401  403       404      404     403        403    200    200
workspaces.listMembers              401  403       404      404     200        200    200    200
workspaces.addMember                401  403       403      403     403        403    403    403
workspaces.changeMember             401  403       404      404     403        403    403    200
workspaces.removeMember             401  403       404      404     403        403    204    204
workspaces.removeMember owner       401  403       404      404     403        403    403    409
workspaces.removeMember own         401  403       404      404     204        204    204    409
workspaces.createInvite             401  403       404      404     403        403    201    201
workspaces.listInvites              401  403       404      404     403        403    200    200
workspaces.createItem               401  403       404      404     201        201    201    201
workspaces.listItems                401  403       404      404     200        200    200    200
workspaces.getItem                  401  403       404      404     200        200    200    200
workspaces.changeItem               401  403       404      404     200        200    200    200
workspaces.deleteItem               401  403       404      404     204        204    204    204
workspaces.listSettings             401  403       404      404     200        200    200    200
workspaces.getSetting               401  403       404      404     200        200    200    200
workspaces.putSetting               401  403       404      404     403        403    200    200

invites.getInvite                   401  403       200      200     200        200    200    200
invites.redeemInvite                401  403       200      200     409        409    409    409
invites.revokeInvite                401  403       404      404     403        403    204    204
invites.revokeInvite own            401  403       404      404     204        204    204    204
invites.getInvite workspace         401  403       200      200     200        200    200    200
invites.redeemInvite workspace      401  403       200      200     409        409    409    409
invites.revokeInvite workspace      401  403       404      404     403        403    204    204

rooms.getMessageAnywhere            401  403       404      404     200        200    200    200
rooms.countUnreadEverywhere         401  403       200      200     200        200    200    200
events.listEvents                   401  403       200      200     200        200    200    200
presence.listPresences              401  403       200      200     200        200    200    200
watching.watchChannels              401  403       200      200     200        200    200    200
watching.listViewers                401  403       404      404     200        200    200    200

notifications.getNotifications      401  403       200      200     200        200    200    200
notifications.setNotifications      401  403       200      200     200        200    200    200
notifications.askUnsubscribe        200  200       200      200     200        200    200    200
notifications.unsubscribe           200  200       200      200     200        200    200    200
notifications.unsubscribe forged    404  404       404      404     404        404    404    404

moderation.listCases                401  403       403      403     403        403    403    403
moderation.getCase                  401  403       403      403     403        403    403    403
moderation.decideCase               401  403       403      403     403        403    403    403
import.importMessages               401  403       403      403     403        403    403    403
table.getSchema                     401  403       403      403     403        403    403    403
table.runPattern                    401  403       403      403     403        403    403    403
table.readPartition                 401  403       403      403     403        403    403    403
table.getCost                       401  403       403      403     403        403    403    403
attachments.createAttachment        401  403       201      201     201        201    201    201
attachments.completeAttachment      401  403       404      404     404        404    404    404
attachments.completeAttachment own  401  403       200      200     200        200    200    200
attachments.listAttachments         401  403       200      200     200        200    200    200
attachments.getAttachment           401  403       404      404     404        404    404    404
attachments.getAttachment own       401  403       200      200     200        200    200    200
attachments.getAttachment sent      401  403       404      404     200        200    200    200
attachments.getAttachment public    401  403       200      200     200        200    200    200
attachments.deleteAttachment        401  403       404      404     404        404    404    404
attachments.deleteAttachment own    401  403       204      204     204        204    204    204
attachments.getContent              200  200       200      200     200        200    200    200
attachments.getContent forged       404  404       404      404     404        404    404    404
attachments.getPreview              200  200       200      200     200        200    200    200
"""

_HEAD, *_LINES = [line for line in (TABLE + thread_attempts.TABLE + program_attempts.TABLE).splitlines() if line]
WHO = tuple(_HEAD.split()[1:])


def _row(line: str) -> tuple[str, dict[str, int]]:
    *words, statuses = re.split(r"\s+(?=\d{3}\s)", line, maxsplit=1)
    return " ".join(words), dict(zip(WHO, map(int, statuses.split()), strict=True))


ROWS = dict(map(_row, _LINES))
ALONE = {
    *("communities.deleteServer", "communities.transferServer", "communities.removeMember own"),
    "conversations.removeParticipant own",
    *("workspaces.deleteWorkspace", "workspaces.removeMember own"),
    *("invites.redeemInvite", "invites.redeemInvite workspace"),
    *thread_attempts.ALONE,
}
"""The lines after which callers no longer have their roles."""


class Matrix(NamedTuple):
    """All callers, and how each operation is called."""

    tokens: dict[str, tuple[str | None, dict[str, Any]]]
    routes: dict[str, tuple[str, str]]
    shared: list[Environment]
    """The environment of all lines that leave it as it was, once one of them has built it."""
    tenant: str = "default"
    """The tenant of all users."""


class Room(NamedTuple):
    """A room of one kind, and a message of each of its members."""

    kind: str
    room_id: str
    own_message: dict[str, str]

    @property
    def at(self) -> str:
        return f"/{self.kind}/{self.room_id}"

    async def send(self, caller: Caller) -> str:
        return str((await caller.post(f"{self.at}/messages", {"content": "Hello"}))["messageId"])


class Environment:
    """A server with users of every role, a room of each kind, and a user who was removed after sending messages.

    The group has the same members as the server: its owner and its admin are the group's admins.
    """

    def __init__(self, http: aiohttp.ClientSession, server: Server, matrix: Matrix, line: str | None = None) -> None:
        """An environment with all of it, or with what one line needs."""
        self.has_server = line is None or not line.startswith("threads.")
        self.has_group = line is None or line.startswith("conversations.")
        self.has_workspace = line is None or "workspace" in line
        self.http = http
        self.server = server
        self.matrix = matrix
        self.callers = {who: Caller(http, token, user) for who, (token, user) in matrix.tokens.items()}
        self.owner = self.callers["owner"]
        self.server_id = self.channel_id = self.invite = ""
        self.workspace_id = self.workspace_invite = ""
        self.rooms: dict[str, Room] = {}
        self.own_invite: dict[str, str] = {}
        self.built: dict[str, Any] = {}

    def enter(self, http: aiohttp.ClientSession) -> None:
        """Go on with another connection."""
        self.http = http
        for caller in self.callers.values():
            caller.http = http

    async def build(self) -> None:
        if self.has_server:
            await self.build_server()

    async def build_server(self) -> None:
        self.server_id = (await self.owner.post("/servers", {"name": "A table"}))["serverId"]
        channel = await self.owner.post(f"/servers/{self.server_id}/channels", {"name": "general"})
        self.channel_id = channel["channelId"]
        self.rooms["channels"] = Room("channels", self.channel_id, {})
        if self.has_group:
            await self.build_group()
        self.invite = (await self.owner.post(f"/servers/{self.server_id}/invites"))["code"]
        await asyncio.gather(*(self.join(self.callers[role], role) for role in USERS[1:] if role != "stranger"))
        if self.has_workspace:
            await self.build_workspace()
        for who in ("owner", "removed"):
            for room in self.rooms.values():
                room.own_message[who] = await room.send(self.callers[who])
            self.own_invite[who] = await self.new_invite(who)
        for room in self.rooms.values():
            room.own_message["stranger"] = room.own_message["owner"]
        self.own_invite["stranger"] = self.invite
        await self.owner.delete(self.member(self.callers["removed"]))
        if self.has_group:
            await self.owner.delete(self.participant(self.callers["removed"]))

    async def build_group(self) -> None:
        """The same users in a group, of which the server's admin is an admin too."""
        others = [self.callers[who].user_id for who in USERS[1:] if who != "stranger"]
        group = await self.owner.post("/conversations", {"type": "group", "userIds": others})
        self.rooms["conversations"] = Room("conversations", group["convoId"], {})
        await self.owner.patch(self.participant(self.callers["admin"]), {"role": "admin"})

    async def build_workspace(self) -> None:
        """The same users in a workspace; who moderates the server is a member of it."""
        self.workspace_id = (await self.owner.post("/workspaces", {"name": "A kitchen"}))["workspaceId"]
        self.workspace_invite = (await self.owner.post(f"/workspaces/{self.workspace_id}/invites"))["code"]
        for who in USERS[1:]:
            if who != "stranger":
                await self.callers[who].post(f"/invites/{self.workspace_invite}/redeem", expect=200)
        await self.owner.patch(self.workspace_member(self.callers["admin"]), {"role": "admin"})
        await self.owner.delete(self.workspace_member(self.callers["removed"]))

    async def leave(self) -> None:
        """Let go of what was built: a person is in so many servers only."""
        if self.has_server:
            await self.owner.call("DELETE", f"/servers/{self.server_id}")
        if self.has_workspace:
            await self.owner.call("DELETE", f"/workspaces/{self.workspace_id}")

    async def join(self, caller: Caller, role: str) -> None:
        await caller.post(f"/invites/{self.invite}/redeem", expect=200)
        if role in ("admin", "moderator"):
            await self.owner.patch(self.member(caller), {"role": role})

    async def new_invite(self, who: str) -> str:
        return str((await self.callers[who].post(f"/servers/{self.server_id}/invites"))["code"])

    async def victim(self) -> Caller:
        """A plain member whom one may do something to."""
        victim = self.callers["victim"]
        await self.owner.call("DELETE", f"/servers/{self.server_id}/bans/{victim.user_id}")
        await victim.call("POST", f"/invites/{self.invite}/redeem")
        await self.owner.patch(self.member(victim), {"role": "member"})
        if self.has_group:
            await self.owner.call("POST", f"{self.rooms['conversations'].at}/participants", {"userId": victim.user_id})
        return victim

    async def disposable_user(self, role: str) -> Caller:
        """A new user of this role, whose account may be deleted."""
        user = await register(self.http, f"s-{uuid.uuid4().hex[:16]}")
        if role == "owner":
            await user.post("/servers", {"name": "Theirs"})
        elif role != "stranger":
            await self.join(user, role)
        if role == "removed":
            await self.owner.delete(self.member(user))
        return user

    def member(self, caller: Caller) -> str:
        return f"/servers/{self.server_id}/members/{caller.user_id}"

    def workspace_member(self, caller: Caller) -> str:
        return f"/workspaces/{self.workspace_id}/members/{caller.user_id}"

    def participant(self, caller: Caller) -> str:
        return f"{self.rooms['conversations'].at}/participants/{caller.user_id}"


FOR_ADMINISTRATORS = {
    name for name in ROWS if name == "communities.listAllServers" or name.startswith(("moderation.", "table."))
}
KEYS_TOO = {
    f"{rooms}.{verb}"
    for rooms in ("channels", "conversations", "threads")
    for verb in ("sendMessage", "listMessages", "getMessage", "deleteMessage")
}
KEYS_TOO |= {
    *(f"communities.{verb}" for verb in ("createServer", "getServer", "createChannel", "listChannels", "getChannel")),
    *(f"communities.{verb}Member" for verb in ("get", "change", "remove")),
    *("communities.listMembers", "conversations.createConversation", "conversations.getConversation"),
    *("threads.createThread", "threads.getThread", "workspaces.createWorkspace"),
    *(f"{rooms}.listParticipants" for rooms in ("conversations", "threads")),
    *(f"{rooms}.{verb}Participant" for rooms in ("conversations", "threads") for verb in ("add", "change", "remove")),
    *("workspaces.listMembers", "workspaces.changeMember", "workspaces.removeMember"),
}
"""What a server key with the scope may do in rooms in its own name."""

PrepareRoom = Callable[[Environment, Room, str], Awaitable[Attempt]]
ROOM_KINDS = ("channels", "conversations")


def prepares_in_rooms(*names: str) -> Callable[[PrepareRoom], PrepareRoom]:
    """The same for rooms of every kind."""

    def keep(prepare: PrepareRoom) -> PrepareRoom:
        for kind in ROOM_KINDS:
            for name in names:
                PREPARED[f"{kind}.{name}"] = _in_room(prepare, kind)
        return prepare

    return keep


def _in_room(prepare: PrepareRoom, kind: str) -> Prepare:
    return lambda env, who: prepare(env, env.rooms[kind], who)


# Accounts


@prepares("accounts.register")
async def _register(env: Environment, who: str) -> Attempt:
    name = f"n-{uuid.uuid4().hex[:16]}"
    return Attempt(body={"email": f"{name}@example.com", "username": name, "password": PASSWORD})


@prepares("accounts.askRegistration")
async def _ask_registration(env: Environment, who: str) -> Attempt:
    return await _register(env, who)


@prepares("accounts.confirmRegistration")
async def _confirm_registration(env: Environment, who: str) -> Attempt:
    body = (await _register(env, who)).body
    await Caller(env.http).post("/auth/registrations", body, expect=202)
    return Attempt(body={"token": await asyncio.to_thread(env.server.mailed_token_of, body["email"])})


@prepares("accounts.login")
async def _login(env: Environment, who: str) -> Attempt:
    return Attempt(body={"email": env.callers["victim"].email, "password": PASSWORD})


@prepares("accounts.refresh")
async def _refresh(env: Environment, who: str) -> Attempt:
    caller = await log_in(env.http, env.callers["victim"].name)
    return Attempt(body={"refreshToken": caller.refresh_token})


@prepares("accounts.askReset")
async def _ask_reset(env: Environment, who: str) -> Attempt:
    return Attempt(body={"email": env.callers["victim"].email})


@prepares("accounts.confirmReset")
async def _confirm_reset(env: Environment, who: str) -> Attempt:
    user = await env.disposable_user("stranger")
    await Caller(env.http).post("/auth/reset", {"email": user.email}, expect=202)
    token = await asyncio.to_thread(env.server.mailed_token_of, user.email)
    return Attempt(body={"token": token, "password": PASSWORD})


@prepares("accounts.logout")
async def _logout(env: Environment, who: str) -> Attempt:
    return Attempt(caller=await log_in(env.http, env.callers[who].name) if who in USERS else None)


@prepares("accounts.deleteMe")
async def _delete_me(env: Environment, who: str) -> Attempt:
    return Attempt(body={"password": PASSWORD}, caller=await env.disposable_user(who) if who in USERS else None)


@prepares("accounts.changePassword")
async def _change_password(env: Environment, who: str) -> Attempt:
    body = {"current": PASSWORD, "next": "another password"}
    return Attempt(body=body, caller=await env.disposable_user(who) if who in USERS else None)


@prepares("accounts.endSession")
async def _end_session(env: Environment, who: str) -> Attempt:
    if who not in USERS:
        return Attempt({"sessionId": UNKNOWN_ID})
    caller = await log_in(env.http, env.callers[who].name)
    sessions = (await caller.get("/users/me/sessions", limit=100))["items"]
    return Attempt({"sessionId": next(session["sessionId"] for session in sessions if session["current"])})


@prepares("accounts.endSession others")
async def _end_others_session(env: Environment, who: str) -> Attempt:
    sessions = (await env.callers["victim"].get("/users/me/sessions"))["items"]
    return Attempt({"sessionId": sessions[0]["sessionId"]})


@prepares("accounts.changeMe")
async def _change_me(env: Environment, who: str) -> Attempt:
    return Attempt(body={"avatarUrl": "/v1/attachments/face"})


@prepares("accounts.getBlock", "accounts.unblock")
async def _blocked(env: Environment, who: str) -> Attempt:
    attempt = await _user(env, who)
    if who in USERS:
        await env.callers[who].put(f"/users/me/blocks/{attempt.places['userId']}")
    return attempt


@prepares("accounts.block", "accounts.getUser")
async def _user(env: Environment, who: str) -> Attempt:
    """A user who is in no room: blocking one of the others would show in other lines."""
    return Attempt({"userId": env.callers["blocked"].user_id})


@prepares("presence.listPresences")
async def _presences(env: Environment, who: str) -> Attempt:
    return Attempt(query={"userIds": env.owner.user_id})


@prepares("watching.listViewers")
async def _viewers(env: Environment, who: str) -> Attempt:
    return Attempt({"roomId": env.channel_id})


@prepares("watching.watchChannels")
async def _watch(env: Environment, who: str) -> Attempt:
    return Attempt(body={"channelIds": [env.channel_id]})


@prepares("accounts.findUsers")
async def _find_users(env: Environment, who: str) -> Attempt:
    return Attempt(query={"username": env.owner.name})


@prepares(
    *("accounts.getMe", "accounts.listSessions", "accounts.export", "accounts.listBlocks", "communities.listServers"),
    *("communities.listAllServers", "rooms.countUnreadEverywhere", "events.listEvents", "moderation.listCases"),
    *("notifications.getNotifications", "table.getSchema", "table.getCost"),
)
async def _nothing_needed(env: Environment, who: str) -> Attempt:
    return Attempt()


# Communities


@prepares("communities.createServer")
async def _create_server(env: Environment, who: str) -> Attempt:
    return Attempt(body={"name": "Another table"})


@prepares(
    *("communities.getServer", "communities.deleteServer", "communities.listAudit", "communities.listMembers"),
    *("communities.listBans", "communities.listChannels", "communities.createInvite", "communities.listInvites"),
)
async def _the_server(env: Environment, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id})


@prepares("communities.changeServer", "communities.createChannel")
async def _name(env: Environment, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id}, {"name": "The name"})


@prepares("communities.transferServer")
async def _transfer(env: Environment, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id}, {"userId": env.callers["member"].user_id})


@prepares("accounts.listTenantAudit")
async def _tenant(env: Environment, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant})


@prepares("communities.addMember", "communities.getMember", "communities.removeMember", "communities.banMember")
async def _member(env: Environment, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id, "userId": (await env.victim()).user_id})


@prepares("communities.changeMember")
async def _role(env: Environment, who: str) -> Attempt:
    return (await _member(env, who))._replace(body={"role": "moderator"})


@prepares("communities.removeMember owner", "communities.banMember owner")
async def _at_the_owner(env: Environment, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id, "userId": env.owner.user_id})


@prepares("communities.removeMember own")
async def _leave(env: Environment, who: str) -> Attempt:
    own = env.callers[who].user_id if who in USERS else UNKNOWN_ID
    return Attempt({"serverId": env.server_id, "userId": own})


@prepares("communities.liftBan")
async def _ban(env: Environment, who: str) -> Attempt:
    victim = env.callers["victim"]
    await env.owner.put(f"/servers/{env.server_id}/bans/{victim.user_id}")
    return Attempt({"serverId": env.server_id, "userId": victim.user_id})


@prepares("communities.getChannel", "communities.listChannelMembers", "communities.getAccess")
async def _the_channel(env: Environment, who: str) -> Attempt:
    return Attempt({"channelId": env.channel_id})


@prepares("communities.changeChannel")
async def _change_channel(env: Environment, who: str) -> Attempt:
    return Attempt({"channelId": env.channel_id}, {"topic": "Otherwise"})


@prepares("communities.setAccess")
async def _set_access(env: Environment, who: str) -> Attempt:
    channel = await env.owner.post(f"/servers/{env.server_id}/channels", {"name": "more"})
    return Attempt({"channelId": channel["channelId"]}, {"roles": ["moderator"], "userIds": [env.owner.user_id]})


@prepares("communities.deleteChannel", "communities.clearAccess")
async def _a_channel(env: Environment, who: str) -> Attempt:
    channel = await env.owner.post(f"/servers/{env.server_id}/channels", {"name": "more"})
    return Attempt({"channelId": channel["channelId"]})


@prepares("invites.getInvite", "invites.redeemInvite")
async def _the_invite(env: Environment, who: str) -> Attempt:
    return Attempt({"code": env.invite})


@prepares("invites.revokeInvite")
async def _an_invite(env: Environment, who: str) -> Attempt:
    return Attempt({"code": (await env.owner.post(f"/servers/{env.server_id}/invites"))["code"]})


@prepares("invites.revokeInvite own")
async def _own_invite(env: Environment, who: str) -> Attempt:
    return Attempt({"code": await env.new_invite(who) if who in INSIDE else env.own_invite.get(who, env.invite)})


# Conversations


@prepares("conversations.createConversation")
async def _create_conversation(env: Environment, who: str) -> Attempt:
    return Attempt(body={"type": "group", "userIds": [env.callers["victim"].user_id]})


@prepares("conversations.listConversations")
async def _list_conversations(env: Environment, who: str) -> Attempt:
    return Attempt()


@prepares("conversations.getConversation", "conversations.listParticipants")
async def _the_conversation(env: Environment, who: str) -> Attempt:
    return Attempt({"convoId": env.rooms["conversations"].room_id})


@prepares("conversations.changeConversation")
async def _rename(env: Environment, who: str) -> Attempt:
    return (await _the_conversation(env, who))._replace(body={"name": "Another name"})


@prepares("conversations.addParticipant")
async def _add_participant(env: Environment, who: str) -> Attempt:
    victim = await env.victim()
    await env.owner.delete(env.participant(victim))
    return (await _the_conversation(env, who))._replace(body={"userId": victim.user_id})


@prepares("conversations.removeParticipant")
async def _participant(env: Environment, who: str) -> Attempt:
    victim = await env.victim()
    return Attempt({"convoId": env.rooms["conversations"].room_id, "userId": victim.user_id})


@prepares("conversations.changeParticipant")
async def _seat_role(env: Environment, who: str) -> Attempt:
    return (await _participant(env, who))._replace(body={"role": "member"})


@prepares("conversations.removeParticipant own")
async def _leave_group(env: Environment, who: str) -> Attempt:
    own = env.callers[who].user_id if who in USERS else UNKNOWN_ID
    return Attempt({"convoId": env.rooms["conversations"].room_id, "userId": own})


# Workspaces


@prepares("workspaces.createWorkspace")
async def _create_workspace(env: Environment, who: str) -> Attempt:
    return Attempt(body={"name": "Another kitchen"})


@prepares("workspaces.listWorkspaces")
async def _list_workspaces(env: Environment, who: str) -> Attempt:
    return Attempt()


@prepares(
    *("workspaces.getWorkspace", "workspaces.deleteWorkspace", "workspaces.listMembers", "workspaces.createInvite"),
    "workspaces.listAudit",
    *("workspaces.listInvites", "workspaces.listItems", "workspaces.listSettings"),
)
async def _the_workspace(env: Environment, who: str) -> Attempt:
    return Attempt({"workspaceId": env.workspace_id})


@prepares("workspaces.changeWorkspace")
async def _rename_workspace(env: Environment, who: str) -> Attempt:
    return Attempt({"workspaceId": env.workspace_id}, {"name": "Ours"})


@prepares("workspaces.addMember", "workspaces.removeMember")
async def _workspace_member(env: Environment, who: str) -> Attempt:
    victim = env.callers["victim"]
    await victim.call("POST", f"/invites/{env.workspace_invite}/redeem")
    return Attempt({"workspaceId": env.workspace_id, "userId": victim.user_id})


@prepares("workspaces.changeMember")
async def _workspace_role(env: Environment, who: str) -> Attempt:
    return (await _workspace_member(env, who))._replace(body={"role": "member"})


@prepares("workspaces.removeMember owner")
async def _workspace_owner(env: Environment, who: str) -> Attempt:
    return Attempt({"workspaceId": env.workspace_id, "userId": env.owner.user_id})


@prepares("workspaces.removeMember own")
async def _leave_workspace(env: Environment, who: str) -> Attempt:
    own = env.callers[who].user_id if who in USERS else UNKNOWN_ID
    return Attempt({"workspaceId": env.workspace_id, "userId": own})


@prepares("workspaces.createItem")
async def _create_item(env: Environment, who: str) -> Attempt:
    return Attempt({"workspaceId": env.workspace_id}, {"title": "Coffee"})


@prepares("workspaces.getItem", "workspaces.deleteItem")
async def _an_item(env: Environment, who: str) -> Attempt:
    item = await env.owner.post(f"/workspaces/{env.workspace_id}/items", {"title": "Coffee"})
    return Attempt({"workspaceId": env.workspace_id, "itemId": item["itemId"]})


@prepares("workspaces.changeItem")
async def _change_item(env: Environment, who: str) -> Attempt:
    return (await _an_item(env, who))._replace(body={"version": 1, "status": "done"})


@prepares("workspaces.getSetting")
async def _a_setting(env: Environment, who: str) -> Attempt:
    await env.owner.put(f"/workspaces/{env.workspace_id}/settings/theme", {"value": "dark"})
    return Attempt({"workspaceId": env.workspace_id, "name": "theme"})


@prepares("workspaces.putSetting")
async def _put_setting(env: Environment, who: str) -> Attempt:
    return Attempt({"workspaceId": env.workspace_id, "name": "theme"}, {"value": "light"})


@prepares("invites.getInvite workspace", "invites.redeemInvite workspace")
async def _the_workspace_invite(env: Environment, who: str) -> Attempt:
    return Attempt({"code": env.workspace_invite})


@prepares("invites.revokeInvite workspace")
async def _a_workspace_invite(env: Environment, who: str) -> Attempt:
    return Attempt({"code": (await env.owner.post(f"/workspaces/{env.workspace_id}/invites"))["code"]})


# Rooms


@prepares_in_rooms("listMessages", "listPins", "countUnread", "listReaders", "startTyping", "stopTyping")
async def _the_room(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id})


@prepares_in_rooms("sendMessage")
async def _send(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id}, {"content": "Hello"})


@prepares_in_rooms("markRead")
async def _mark_read(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id}, {"messageId": room.own_message["owner"]})


@prepares_in_rooms("setPreferences")
async def _preferences(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id}, {"muted": True})


@prepares_in_rooms("getMessage", "pinMessage")
async def _the_message(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id, "messageId": room.own_message["owner"]})


@prepares("rooms.getMessageAnywhere")
async def _a_message_anywhere(env: Environment, who: str) -> Attempt:
    return Attempt({"messageId": env.rooms["channels"].own_message["owner"]})


@prepares_in_rooms("unpinMessage")
async def _pinned(env: Environment, room: Room, who: str) -> Attempt:
    await env.owner.put(f"{room.at}/pins/{room.own_message['owner']}", expect=204)
    return await _the_message(env, room, who)


@prepares_in_rooms("deleteMessage")
async def _own_message(env: Environment, room: Room, who: str) -> Attempt:
    if who in INSIDE:
        return Attempt({"roomId": room.room_id, "messageId": await room.send(env.callers[who])})
    message_id = room.own_message.get(who, room.own_message["owner"])
    return Attempt({"roomId": room.room_id, "messageId": message_id})


@prepares_in_rooms("editMessage")
async def _edit(env: Environment, room: Room, who: str) -> Attempt:
    return (await _own_message(env, room, who))._replace(body={"content": "Hello there"})


@prepares_in_rooms("deleteMessage others")
async def _others_message(env: Environment, room: Room, who: str) -> Attempt:
    return Attempt({"roomId": room.room_id, "messageId": await room.send(await env.victim())})


@prepares_in_rooms("editMessage others")
async def _edit_others(env: Environment, room: Room, who: str) -> Attempt:
    return (await _others_message(env, room, who))._replace(body={"content": "Not what they wrote"})


@prepares_in_rooms("addReaction", "removeReaction", "listReactors")
async def _reaction(env: Environment, room: Room, who: str) -> Attempt:
    attempt = await _the_message(env, room, who)
    await env.owner.put(f"{room.at}/messages/{attempt.places['messageId']}/reactions/👍", expect=204)
    return attempt._replace(places=attempt.places | {"emoji": "👍"})


@prepares_in_rooms("reportMessage")
async def _report(env: Environment, room: Room, who: str) -> Attempt:
    return (await _the_message(env, room, who))._replace(body={"reason": "It is too short."})


# Moderation


@prepares("moderation.getCase")
async def _case(env: Environment, who: str) -> Attempt:
    return Attempt({"caseId": UNKNOWN_ID})


@prepares("moderation.decideCase")
async def _decide(env: Environment, who: str) -> Attempt:
    return Attempt({"caseId": UNKNOWN_ID}, {"decision": "approve"})


@prepares("table.runPattern")
async def _pattern(env: Environment, who: str) -> Attempt:
    return Attempt({"patternId": "S0.0"}, {"userId": env.owner.user_id})


@prepares("table.readPartition")
async def _partition(env: Environment, who: str) -> Attempt:
    return Attempt({"pk": "SYSTEM"})


@prepares("import.importMessages")
async def _import(env: Environment, who: str) -> Attempt:
    return Attempt(body=b"{}")


# Attachments: a signed URL needs no token; a forged one opens nothing.


async def _file_of(caller: Caller, content: bytes = b"Hello", **query: Any) -> dict[str, Any]:
    created: dict[str, Any] = await caller.post("/attachments", content, **query)
    return created


@prepares("attachments.createAttachment")
async def _upload(env: Environment, who: str) -> Attempt:
    return Attempt(body=b"Hello")


@prepares("attachments.completeAttachment", "attachments.getAttachment", "attachments.deleteAttachment")
async def _others_file(env: Environment, who: str) -> Attempt:
    return Attempt({"fileId": (await _file_of(env.callers["victim"]))["fileId"]})


@prepares("attachments.completeAttachment own", "attachments.getAttachment own", "attachments.deleteAttachment own")
async def _own_file(env: Environment, who: str) -> Attempt:
    return Attempt({"fileId": (await _file_of(env.callers[who if who in USERS else "owner"]))["fileId"]})


@prepares("attachments.listAttachments")
async def _several_files(env: Environment, who: str) -> Attempt:
    return Attempt(query={"ids": (await _file_of(env.callers["victim"]))["fileId"]})


@prepares("attachments.getAttachment sent")
async def _sent_file(env: Environment, who: str) -> Attempt:
    victim = await env.victim()
    created = await _file_of(victim)
    await victim.post(f"/channels/{env.channel_id}/messages", {"attachments": [created["fileId"]]})
    return Attempt({"fileId": created["fileId"]})


@prepares("attachments.getAttachment public")
async def _avatar(env: Environment, who: str) -> Attempt:
    return Attempt({"fileId": (await _file_of(env.owner, PICTURE, purpose="avatar"))["fileId"]})


@prepares("attachments.getContent")
async def _content(env: Environment, who: str) -> Attempt:
    created = await _file_of(env.owner)
    return Attempt({"fileId": created["fileId"]}, query={"token": created["url"].partition("token=")[2]})


@prepares("attachments.getPreview")
async def _preview(env: Environment, who: str) -> Attempt:
    created = await _file_of(env.owner, PICTURE)
    return Attempt({"fileId": created["fileId"]}, query={"token": created["previewUrl"].partition("token=")[2]})


@prepares("attachments.getContent forged")
async def _forged(env: Environment, who: str) -> Attempt:
    created = await _file_of(env.owner)
    return Attempt({"fileId": created["fileId"]}, query={"token": "A" * len(created["url"].partition("token=")[2])})


# Notifications


@prepares("notifications.setNotifications")
async def _set_notifications(env: Environment, who: str) -> Attempt:
    return Attempt(body={"digest": "daily", "quietHours": {"start": "22:00", "end": "07:00"}})


@prepares("notifications.askUnsubscribe", "notifications.unsubscribe")
async def _unsubscribe(env: Environment, who: str) -> Attempt:
    return Attempt({"token": await unsubscribe_token(env.server, env.callers["victim"].user_id)})


@prepares("notifications.unsubscribe forged")
async def _forged_unsubscribe(env: Environment, who: str) -> Attempt:
    token = await unsubscribe_token(env.server, env.callers["victim"].user_id)
    return Attempt({"token": f"{'A' if token[0] != 'A' else 'B'}{token[1:]}"})


# Users of a tenant

USER_VERBS = (
    *("upsertUser", "getTenantUser", "deleteUser", "disableUser", "enableUser", "revokeTokens"),
    *("countUnreadOfUser", "upsertUsers"),
)


@prepares(*(f"users.{verb}" for verb in USER_VERBS))
async def _tenant_user(env: Environment, who: str) -> Attempt:
    external_id = f"x-{uuid.uuid4().hex[:10]}"
    tenant = env.matrix.tenant
    await env.callers["backend"].put(f"/tenants/{tenant}/users/{external_id}", {}, expect=201)
    return Attempt({"tenant": tenant, "externalId": external_id}, body={})


# Inboxes

NOTICE = {"audience": {"kind": "everyone"}, "sender": "shop", "title": "News", "body": "Something new"}
RIVAL = "rival"
"""A tenant that exists and that none of these users belongs to."""


async def _publish(env: Environment, publisher: str, tenant: str) -> dict[str, str]:
    inbox = f"inbox-{uuid.uuid4().hex[:10]}"
    path = f"/tenants/{tenant}/inboxes/{inbox}/messages"
    published = await env.callers[publisher].post(path, NOTICE, expect=202)
    return {"tenant": tenant, "inbox": inbox, "messageId": published["messageId"], "category": "offers"}


INBOX_BODIES: dict[str, Any] = {
    "setTenant": {"title": "The shop"},
    "setInbox": {"title": "News"},
    "publishMessage": NOTICE,
    "updateMessage": {"title": "Corrected"},
    "snoozeMessage": {"until": "2050-01-01T00:00:00Z"},
    "setPreference": {"muted": True},
}
INBOX_VERBS = (
    *("setTenant", "getTenant", "setInbox", "getInbox", "publishMessage", "getPublish", "listMessages", "markRead"),
    *("updateMessage", "recallMessage"),
    *("markAllRead", "archiveMessage", "snoozeMessage", "countMessages", "setPreference"),
)
WEBHOOK_BODIES: dict[str, Any] = {
    "createWebhook": {"url": "https://example.com/hook", "events": ["*"]},
    "listWebhooks": None,
    "getWebhook": None,
    "changeWebhook": {"disabled": True},
    "deleteWebhook": None,
    "listDeliveries": None,
    "replayWebhook": {"since": "2026-01-01T00:00:00Z"},
    "rotateSecret": None,
}
BY_KEY = {
    *("communities.listAllServers", "communities.addMember", "accounts.listTenantAudit", "import.importMessages"),
    "workspaces.addMember",
    *("data.setSchema", "data.getSchema", "data.removeSchema"),
    *(f"inboxes.{verb}" for verb in ("setTenant", "setInbox", "setSegment", "deleteSegment", "publishMessage")),
    *("inboxes.updateMessage", "inboxes.recallMessage", "inboxes.changeSegmentUsers"),
    *(f"users.{verb}" for verb in USER_VERBS),
    *(f"webhooks.{verb}" for verb in WEBHOOK_BODIES),
}
BY_KEY |= program_attempts.BY_KEY
"""What a key with the right scope may do."""


@prepares(*(f"inboxes.{verb}Segment" for verb in ("set", "get", "delete")))
async def _segment(env: Environment, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant, "segment": "none"}, {"userIds": []})


@prepares("inboxes.listSegments")
async def _list_segments(env: Environment, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant})


@prepares("inboxes.changeSegmentUsers")
async def _change_segment_users(env: Environment, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant, "segment": "none"}, {"add": []})


@prepares("data.setSchema", "data.getSchema", "data.removeSchema")
async def _schema(env: Environment, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant, "kind": "user"}, {"schema": {}})


@prepares(*(f"inboxes.{verb}" for verb in INBOX_VERBS))
async def _inbox(env: Environment, who: str) -> Attempt:
    return Attempt(await _publish(env, "publisher", env.matrix.tenant))


@prepares(*(f"inboxes.{verb} elsewhere" for verb in INBOX_VERBS if f"inboxes.{verb}" not in BY_KEY))
async def _inbox_elsewhere(env: Environment, who: str) -> Attempt:
    return Attempt(await _publish(env, RIVAL, RIVAL))


def _prepare_webhook(verb: str) -> None:
    @prepares(f"webhooks.{verb}")
    async def _webhook(env: Environment, who: str) -> Attempt:
        return Attempt({"tenant": env.matrix.tenant, "hookId": UNKNOWN_ID}, body=WEBHOOK_BODIES[verb])


for _verb in WEBHOOK_BODIES:
    _prepare_webhook(_verb)


@pytest.fixture(scope="module")
def matrix(server: Server) -> Matrix:
    """All callers, registered once."""
    return asyncio.run(cast_of(server))


async def cast_of(server: Server, tenant: str = "default") -> Matrix:
    """All callers, registered in one tenant."""
    async with client_of(server.url) as http:
        word = uuid.uuid4().hex[:8]
        names = (*USERS, "operator", "blocked")
        callers = await register_in(server, http, tenant, *(f"{who}-{word}" for who in names))
        tokens = {who: (caller.token, caller.user) for who, caller in zip(names, callers, strict=True)}
        await grant_admin(server, tokens["operator"][1]["email"])
        async with http.get("/openapi.json") as answer:
            paths = (await answer.json())["paths"]
    routes = {
        operation["operationId"]: (method.upper(), path.removeprefix("/v1"))
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    keys: dict[str, tuple[str | None, dict[str, Any]]] = {
        "key": (await new_key(server, "inbox:read", tenant=tenant), {}),
        "publisher": (await new_key(server, "inbox:publish", tenant=tenant), {}),
        "backend": (await new_key(server, "users:write", tenant=tenant), {}),
        RIVAL: (await new_key(server, "inbox:publish", tenant=RIVAL), {}),
    }
    return Matrix({"anonymous": (None, {}), **keys, **tokens}, routes, [], tenant)


@pytest.fixture
async def env(http: aiohttp.ClientSession, server: Server, matrix: Matrix, name: str) -> AsyncIterator[Environment]:
    if name in ALONE:
        env = Environment(http, server, matrix, name)
        await env.build()
        yield env
        await env.leave()
        return
    if not matrix.shared:
        env = Environment(http, server, matrix)
        await env.build()
        matrix.shared.append(env)
    [env] = matrix.shared
    env.enter(http)
    yield env


def test_every_operation_has_a_line_and_every_line_an_operation(matrix: Matrix) -> None:
    lines = {name.partition(" ")[0] for name in ROWS}
    assert not matrix.routes.keys() - lines, "add a line to the matrix above for each of these operations"
    assert not lines - matrix.routes.keys(), "there is no such operation any more: remove the line of the matrix"
    assert ROWS.keys() == PREPARED.keys(), "each line needs a function with @prepares, which makes the request"


@pytest.mark.parametrize("engine", ["embedded"], indirect=True)
@pytest.mark.parametrize("name", ROWS)
async def test_every_caller_gets_the_expected_status(name: str, env: Environment) -> None:
    await check(name, env)


@pytest.mark.long
@pytest.mark.parametrize("engine", ["dynamodb"], indirect=True)
@pytest.mark.parametrize("name", list(ROWS)[::AUTHORIZATION_STEP])
async def test_callers_get_the_same_status_on_dynamodb(name: str, env: Environment) -> None:
    await check(name, env)


async def check(name: str, env: Environment) -> None:
    """Try a line as every caller."""
    method, path = env.matrix.routes[name.partition(" ")[0]]
    got: dict[str, int] = {}
    for who in WHO:
        attempt = await prepared(name, env, who)
        caller = attempt.caller or env.callers[who]
        reply = await tried(caller, method, path, attempt)
        got[who] = reply.status
        if who == "anonymous" and reply.status == 401:
            assert (reply.json["code"], reply.headers["www-authenticate"]) == ("unauthenticated", "Bearer")
        if who == "key" and reply.status == 403:
            is_for_keys = name.partition(" ")[0] in FOR_ADMINISTRATORS | BY_KEY | KEYS_TOO
            assert reply.json["code"] == ("forbidden" if is_for_keys else "person_needed")
        if who in ("stranger", "removed") and reply.status == 404:
            nothing = attempt._replace(places=attempt.places | _elsewhere(path))
            assert comparable(reply) == comparable(await tried(caller, method, path, nothing)), (
                f"{who} can find out what exists"
            )
            assert comparable(reply) == comparable(await tried(env.owner, method, path, nothing)), (
                f"{who} can find out what exists"
            )

    assert got == ROWS[name]


async def test_a_key_with_the_scope_may_do_what_needs_it(server: Server, http: aiohttp.ClientSession) -> None:
    user = await register(http, f"k-{uuid.uuid4().hex[:16]}")
    created = await user.post("/servers", {"name": "Seen by a key"})
    key = Caller(http, await new_key(server, "admin"))
    assert (await key.get("/admin/servers", limit=1))["items"] == [created]
    assert (await key.get("/moderation/cases", limit=1)).keys() == {"items", "next"}
    await key.get(f"/moderation/cases/{UNKNOWN_ID}", expect=404)
    await key.post(f"/moderation/cases/{UNKNOWN_ID}", {"decision": "block"}, expect=404)


def _elsewhere(path: str) -> dict[str, str]:
    """The first parameter of a path, with an unknown id."""
    return {places[0]: UNKNOWN_ID} if (places := re.findall(r"\{(\w+)\}", path)) else {}


async def prepared(name: str, env: Environment, who: str) -> Attempt:
    """Return the request of a line, for a caller."""
    attempt = await PREPARED[name](env, who)
    verb = name.partition(" ")[0].removeprefix("inboxes.")
    return attempt._replace(body=attempt.body or INBOX_BODIES.get(verb))


async def tried(caller: Caller, method: str, path: str, attempt: Attempt) -> Reply:
    return await caller.call(method, path.format(**attempt.places), attempt.body, **attempt.query)


def comparable(reply: Reply) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Everything of a response that does not differ between requests."""
    headers = [(name, value) for name, value in reply.headers.items() if name not in ("date", "x-request-id")]
    return reply.status, reply.raw, sorted(headers)
