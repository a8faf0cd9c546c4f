"""Routes of communities."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from sobremesa.core.actor import PICTURE_ADDRESS, Actor, PersonRequired, UserId
from sobremesa.core.custom_data import BadData, CustomData
from sobremesa.core.errors import ChangedMeanwhile, RankTooLow, UnknownUsers
from sobremesa.domains.accounts.views import AuditView, audit_view
from sobremesa.domains.communities.entities import ChannelId, ServerId
from sobremesa.domains.communities.errors import Banned, OwnerCannotLeave, TooManyChannels, TooManyServers
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import MAX_USERS, AccessList
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.communities.views import (
    AccessView,
    BanView,
    ChannelView,
    InviteView,
    MemberView,
    ServerView,
    access_view,
    ban_view,
    channel_view,
    invite_view,
    member_view,
    server_view,
)
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, NamedUser, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.work.idempotency import KeyReused

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S", examples=["The long table"])]
Topic = Annotated[str, msgspec.Meta(max_length=1024, examples=["What we eat on Thursdays"])]
ImageAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=PICTURE_ADDRESS,
        description="The address of an upload.",
        examples=["/v1/attachments/01JGSYB3ZZ4Q0X5V6W7E8R9T0A"],
    ),
]
MaxUses = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, examples=[10])]
ExpiresIn = Annotated[int, msgspec.Meta(ge=1, le=366 * 86400, examples=[86400])]


class NewServer(Input):
    """A server to create. A server key names its owner; anyone else becomes the owner themselves."""

    name: Name
    icon_url: ImageAddress | None = None
    data: CustomData | None = None
    owner_id: NamedUser | None = None


class ServerChanges(Input):
    """The fields to change; omitted fields keep their values."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    icon_url: ImageAddress | msgspec.UnsetType | None = msgspec.UNSET
    data: CustomData | msgspec.UnsetType | None = msgspec.UNSET


AccessRoles = Annotated[list[Role], msgspec.Meta(max_length=4)]
AccessUsers = Annotated[list[UserId], msgspec.Meta(max_length=MAX_USERS)]


class ChannelAccessList(Input):
    """The roles and users who see a private channel. Both null: every member sees the channel."""

    roles: AccessRoles | None = None
    user_ids: AccessUsers | None = None


class NewChannel(Input):
    """A channel to create; with an access list it is private from the start."""

    name: Name
    topic: Topic | None = None
    data: CustomData | None = None
    access: ChannelAccessList | None = None


class ChannelChanges(Input):
    """The fields to change; omitted fields keep their values."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    topic: Topic | msgspec.UnsetType | None = msgspec.UNSET
    data: CustomData | msgspec.UnsetType | None = msgspec.UNSET


class NewRole(Input):
    """The new role of a member. Ownership changes by transfer."""

    role: Role


class NewMember(Input):
    """The role of the new member."""

    role: Literal["admin", "moderator", "member"] = "member"


class NewOwner(Input):
    """The new owner of a server."""

    user_id: UserId


class NewBan(Input):
    """The reason of a ban."""

    reason: Annotated[str, msgspec.Meta(max_length=512)] | None = None


class NewInvite(Input):
    """How often and for how long an invite can be used; an omitted field means no limit."""

    max_uses: MaxUses | None = None
    expires_in_seconds: ExpiresIn | None = None


class ServersQuery(PageQuery):
    """Which page of servers to list, and whether to count channels."""

    counts: Annotated[bool, msgspec.Meta(description="Whether to return how many channels each has.")] = False


def routes(communities: Communities, users: UserDirectory) -> Routes:
    """Return the routes of servers, members, bans, invites and channels."""
    api = Routes("Communities", "Servers with their channels, members, bans and audit log.")

    @api.post(
        "/servers",
        status=201,
        errors=[BadData, ChangedMeanwhile, KeyReused, PersonRequired, TooManyServers, UnknownUsers],
        key_scope="rooms:write",
        key_acts_as="owner_id",
    )
    async def create_server(actor: Actor, body: NewServer, idempotency_key: IdempotencyKey | None) -> ServerView:
        """Create a server. Its creator becomes the owner."""
        return server_view(
            await communities.create_server(
                actor, name=body.name, icon_url=body.icon_url, data=body.data, key=idempotency_key
            )
        )

    @api.get("/servers", cacheable=True)
    async def list_servers(actor: Actor, query: ServersQuery) -> Listed[ServerView]:
        """List the servers you are a member of; with `counts=true`, with the number of channels of each."""
        servers, cursor = await communities.list_servers(actor, limit=query.limit, cursor=query.cursor)
        views = [server_view(server) for server in servers]
        if query.counts:
            for view, count in zip(views, await communities.count_channels(actor, servers), strict=True):
                view.channel_count = count
        return Listed(views, cursor)

    @api.get("/servers/{server_id}", cacheable=True, key_scope="rooms:read")
    async def get_server(actor: Actor, server_id: ServerId) -> ServerView:
        """Get a server that you are a member of."""
        return server_view((await communities.get_server(actor, server_id)).server)

    @api.patch("/servers/{server_id}", errors=[BadData, ChangedMeanwhile])
    async def change_server(actor: Actor, server_id: ServerId, body: ServerChanges) -> ServerView:
        """Update a server's name, icon or custom data."""
        return server_view(await communities.change_server(actor, server_id, _given(body)))

    @api.delete("/servers/{server_id}")
    async def delete_server(actor: Actor, server_id: ServerId) -> None:
        """Delete a server with everything in it. It becomes invisible at once."""
        await communities.delete_server(actor, server_id)

    @api.post("/servers/{server_id}/transfer", errors=[ChangedMeanwhile, PersonRequired, UnknownUsers])
    async def transfer_server(actor: Actor, server_id: ServerId, body: NewOwner) -> ServerView:
        """Transfer the server to another member. The previous owner becomes an admin."""
        return server_view(await communities.members.transfer(actor, server_id, body.user_id))

    @api.get("/servers/{server_id}/audit")
    async def list_audit(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[AuditView]:
        """List the audit log of a server, newest first."""
        entries, cursor = await communities.list_audit(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get("/servers/{server_id}/members", cacheable=True, key_scope="rooms:read")
    async def list_members(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[MemberView]:
        """List the members of a server."""
        rows, cursor = await communities.members.list_members(actor, server_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([row.user_id for row in rows])
        return Listed([member_view(row, profiles[row.user_id]) for row in rows], cursor)

    @api.get("/servers/{server_id}/members/{user_id}", key_scope="rooms:read")
    async def get_member(actor: Actor, server_id: ServerId, user_id: UserId) -> MemberView:
        """Get a member of a server."""
        row = await communities.members.get(actor, server_id, user_id)
        return member_view(row, (await users.profiles([user_id]))[user_id])

    @api.patch("/servers/{server_id}/members/{user_id}", errors=[ChangedMeanwhile, RankTooLow], key_scope="rooms:write")
    async def change_member(actor: Actor, server_id: ServerId, user_id: UserId, body: NewRole) -> MemberView:
        """Change the role of a member. Both their old and their new role must be below yours."""
        row = await communities.members.change_role(actor, server_id, user_id, role=body.role)
        return member_view(row, (await users.profiles([user_id]))[user_id])

    @api.put(
        "/servers/{server_id}/members/{user_id}",
        status=201,
        also_status=200,
        errors=[Banned, TooManyServers],
        scope="rooms:write",
    )
    async def add_member(actor: Actor, server_id: ServerId, user_id: UserId, body: NewMember) -> Answer[MemberView]:
        """Add a user to a server, without an invite. A member keeps their role (200)."""
        row, created = await communities.members.add(actor, server_id, user_id, role=body.role)
        profiles = await users.profiles([user_id])
        return Answer(member_view(row, profiles[user_id]), status=201 if created else 200)

    @api.delete(
        "/servers/{server_id}/members/{user_id}",
        errors=[ChangedMeanwhile, OwnerCannotLeave, RankTooLow],
        key_scope="rooms:write",
    )
    async def remove_member(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Leave a server, or remove a member with a lower role."""
        await communities.members.remove(actor, server_id, user_id)

    @api.get("/servers/{server_id}/bans")
    async def list_bans(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[BanView]:
        """List the bans of a server."""
        bans, cursor = await communities.members.list_bans(actor, server_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([ban.user_id for ban in bans])
        return Listed([ban_view(ban, profiles[ban.user_id]) for ban in bans], cursor)

    @api.put("/servers/{server_id}/bans/{user_id}", errors=[ChangedMeanwhile, RankTooLow])
    async def ban_member(actor: Actor, server_id: ServerId, user_id: UserId, body: NewBan) -> BanView:
        """Ban a user, and remove them if they are a member."""
        ban = await communities.members.ban(actor, server_id, user_id, reason=body.reason)
        return ban_view(ban, (await users.profiles([user_id]))[user_id])

    @api.delete("/servers/{server_id}/bans/{user_id}")
    async def lift_ban(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Lift a ban. The user can join again by an invite."""
        await communities.members.lift_ban(actor, server_id, user_id)

    @api.post(
        "/servers/{server_id}/channels",
        status=201,
        errors=[BadData, ChangedMeanwhile, KeyReused, TooManyChannels, UnknownUsers],
        key_scope="rooms:write",
    )
    async def create_channel(
        actor: Actor, server_id: ServerId, body: NewChannel, idempotency_key: IdempotencyKey | None
    ) -> ChannelView:
        """Create a channel."""
        return channel_view(
            await communities.create_channel(
                actor,
                server_id,
                name=body.name,
                topic=body.topic,
                data=body.data,
                access=_access_list(body.access),
                key=idempotency_key,
            )
        )

    @api.get("/servers/{server_id}/channels", cacheable=True, key_scope="rooms:read")
    async def list_channels(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[ChannelView]:
        """List the channels of a server, each with the id of its last message."""
        channels, cursor = await communities.list_channels(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([channel_view(channel) for channel in channels], cursor)

    @api.get("/channels/{channel_id}", cacheable=True, key_scope="rooms:read")
    async def get_channel(actor: Actor, channel_id: ChannelId) -> ChannelView:
        """Get a channel of a server that you are a member of."""
        return channel_view(await communities.get_channel(actor, channel_id))

    @api.patch("/channels/{channel_id}", errors=[BadData, ChangedMeanwhile])
    async def change_channel(actor: Actor, channel_id: ChannelId, body: ChannelChanges) -> ChannelView:
        """Update a channel's name, topic or custom data."""
        return channel_view(await communities.change_channel(actor, channel_id, _given(body)))

    @api.delete("/channels/{channel_id}", errors=[ChangedMeanwhile])
    async def delete_channel(actor: Actor, channel_id: ChannelId) -> None:
        """Delete a channel with all its messages."""
        await communities.delete_channel(actor, channel_id)

    @api.get("/channels/{channel_id}/members")
    async def list_channel_members(actor: Actor, channel_id: ChannelId, query: PageQuery) -> Listed[MemberView]:
        """List the members of a server who see a channel. A page may have fewer items than its limit."""
        rows, cursor = await communities.members.list_in_channel(
            actor, channel_id, limit=query.limit, cursor=query.cursor
        )
        profiles = await users.profiles([row.user_id for row in rows])
        return Listed([member_view(row, profiles[row.user_id]) for row in rows], cursor)

    @api.get("/channels/{channel_id}/access")
    async def get_access(actor: Actor, channel_id: ChannelId) -> AccessView:
        """Get the access list of a channel, for those who manage channels. It names current members only."""
        return access_view(channel_id, await communities.privacy.find(actor, channel_id))

    @api.put("/channels/{channel_id}/access", errors=[ChangedMeanwhile, UnknownUsers])
    async def set_access(actor: Actor, channel_id: ChannelId, body: ChannelAccessList) -> AccessView:
        """Make a channel private: only these roles and users see it, and members who manage channels.

        For any other member the channel no longer exists. With neither roles nor users, or with null for both, the
        channel becomes public again; with empty lists only those who manage channels see it.
        """
        return access_view(channel_id, await communities.privacy.change(actor, channel_id, _access_list(body)))

    @api.delete("/channels/{channel_id}/access", errors=[ChangedMeanwhile])
    async def clear_access(actor: Actor, channel_id: ChannelId) -> None:
        """Make a channel public: every member of the server sees it."""
        await communities.privacy.change(actor, channel_id, None)

    @api.post("/servers/{server_id}/invites", status=201, errors=[KeyReused])
    async def create_invite(
        actor: Actor, server_id: ServerId, body: NewInvite, idempotency_key: IdempotencyKey | None
    ) -> InviteView:
        """Create an invite."""
        return invite_view(
            await communities.invites.create(
                actor,
                server_id,
                max_uses=body.max_uses,
                expires_in_seconds=body.expires_in_seconds,
                key=idempotency_key,
            )
        )

    @api.get("/servers/{server_id}/invites")
    async def list_invites(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[InviteView]:
        """List the invites that can still be used."""
        invites, cursor = await communities.invites.list_invites(
            actor, server_id, limit=query.limit, cursor=query.cursor
        )
        return Listed([invite_view(invite) for invite in invites], cursor)

    @api.get("/admin/servers", scope="admin")
    async def list_all_servers(actor: Actor, query: PageQuery) -> Listed[ServerView]:
        """List all servers, newest first. For administrators."""
        servers, cursor = await communities.list_all_servers(actor, limit=query.limit, cursor=query.cursor)
        return Listed([server_view(server) for server in servers], cursor)

    return api


def _access_list(body: ChannelAccessList | None) -> AccessList | None:
    """Return the wanted access list; None for a public channel."""
    if body is None or (body.roles is None and body.user_ids is None):
        return None
    return AccessList(body.roles or [], body.user_ids or [])


def _given(body: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that the client sent, including null values."""
    return {name: value for name in body.__struct_fields__ if (value := getattr(body, name)) is not msgspec.UNSET}
