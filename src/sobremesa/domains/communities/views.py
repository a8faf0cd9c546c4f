"""Servers, channels, members, bans and invites as clients see them."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.actor import PublicProfile, UserId, own_picture
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.entities import (
    Ban,
    Channel,
    ChannelId,
    Invite,
    Server,
    ServerId,
    ServerMembership,
)
from sobremesa.domains.communities.invites import InviteInfo, Redeemed
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.domains.communities.service import ChannelWithHead
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.http.endpoints import Output


class ServerView(Output):
    """A community."""

    server_id: ServerId
    name: str
    owner_id: UserId
    icon_url: str | None
    created_at: Instant
    updated_at: Instant | None
    data: dict[str, Any] | None
    channel_count: int | msgspec.UnsetType = msgspec.UNSET
    """The number of channels, if it was requested."""


class ChannelView(Output):
    """A channel. Compare `lastMessageId` with your read position to know whether it has unread messages."""

    channel_id: ChannelId
    server_id: ServerId
    name: str
    topic: str | None
    private: bool
    """Whether only some members see it: those of its access list, and those who manage channels."""
    last_message_id: MessageId | None
    created_at: Instant
    updated_at: Instant | None
    data: dict[str, Any] | None


class AccessView(Output):
    """Who sees a channel. Members who manage channels see every channel, whatever the list."""

    channel_id: ChannelId
    private: bool
    roles: list[Role]
    user_ids: list[UserId]


class MemberView(Output):
    """A member of a server."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    server_id: ServerId
    role: Role
    joined_at: Instant
    bot: bool = False


class BanView(Output):
    """A banned user."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    banned_by: UserId
    reason: str | None
    created_at: Instant


class InviteView(Output):
    """An invite to a server."""

    code: InviteCode
    server_id: ServerId
    created_by: UserId
    expires_at: Instant | None
    max_uses: int | None
    uses: int
    created_at: Instant


class ServerTarget(Output, tag_field="kind", tag="server"):
    """The server that an invite code leads to."""

    code: InviteCode
    server: ServerView
    expires_at: Instant | None


class JoinedServer(Output, tag_field="kind", tag="server"):
    """The server that the user has joined."""

    server_id: ServerId
    server: ServerView
    role: Role
    joined_at: Instant


def server_view(server: Server) -> ServerView:
    return ServerView(
        server.server_id,
        server.name,
        server.owner_id,
        own_picture(server.icon_url),
        server.created_at,
        server.updated_at,
        server.data,
    )


def target_view(found: InviteInfo) -> ServerTarget:
    return ServerTarget(found.invite.code, server_view(found.server), found.invite.expires_at)


def joined_view(redeemed: Redeemed) -> JoinedServer:
    server, row = redeemed
    return JoinedServer(server.server_id, server_view(server), row.role, row.joined_at)


def channel_view(found: ChannelWithHead) -> ChannelView:
    channel: Channel = found.channel
    return ChannelView(
        channel.channel_id,
        channel.server_id,
        channel.name,
        channel.topic,
        bool(channel.private),
        found.last_message_id,
        channel.created_at,
        channel.updated_at,
        channel.data,
    )


def access_view(channel_id: ChannelId, found: AccessList | None) -> AccessView:
    if found is None:
        return AccessView(channel_id, private=False, roles=[], user_ids=[])
    return AccessView(channel_id, private=True, roles=list(found.roles), user_ids=list(found.user_ids))


def member_view(row: ServerMembership, profile: PublicProfile) -> MemberView:
    return MemberView(
        row.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        row.server_id,
        row.role,
        row.joined_at,
        profile.bot,
    )


def ban_view(ban: Ban, profile: PublicProfile) -> BanView:
    return BanView(
        ban.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        ban.banned_by,
        ban.reason,
        ban.created_at,
    )


def invite_view(invite: Invite) -> InviteView:
    return InviteView(
        invite.code,
        invite.server_id,
        invite.created_by,
        invite.expires_at,
        invite.max_uses,
        invite.uses,
        invite.created_at,
    )
