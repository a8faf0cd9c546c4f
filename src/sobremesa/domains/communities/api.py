"""The routes of communities."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import PICTURE_ADDRESS, Actor, UserId
from sobremesa.domains.accounts.audit_views import AuditView, audit_view
from sobremesa.domains.communities.entities import ChannelId, ServerId
from sobremesa.domains.communities.errors import (
    ChangedMeanwhile,
    OwnerCannotLeave,
    RankTooLow,
    TooManyChannels,
    TooManyServers,
)
from sobremesa.domains.communities.membership import Membership
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.communities.views import (
    BanView,
    ChannelView,
    InviteView,
    MemberView,
    ServerView,
    ban_view,
    channel_view,
    invite_view,
    member_view,
    server_view,
)
from sobremesa.http.endpoints import IdempotencyKey, Input, Listed, PageQuery, Routes
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
    """A server to make."""

    name: Name
    icon_url: ImageAddress | None = None


class ServerChanges(Input):
    """What should be otherwise; what is left out stays."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    icon_url: ImageAddress | msgspec.UnsetType | None = msgspec.UNSET


class NewChannel(Input):
    """A channel to make."""

    name: Name
    topic: Topic | None = None


class ChannelChanges(Input):
    """What should be otherwise; what is left out stays."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    topic: Topic | msgspec.UnsetType | None = msgspec.UNSET


class NewRole(Input):
    """The role to give; ownership is handed over by transfer."""

    role: Role


class NewOwner(Input):
    """Who should own the server."""

    user_id: UserId


class NewBan(Input):
    """Why somebody may not come back."""

    reason: Annotated[str, msgspec.Meta(max_length=512)] | None = None


class NewInvite(Input):
    """How often and for how long it can be used; without a number, without a limit."""

    max_uses: MaxUses | None = None
    expires_in_seconds: ExpiresIn | None = None


class ServersQuery(PageQuery):
    """Which page of one's servers, and what of them."""

    counts: Annotated[bool, msgspec.Meta(description="Also how many channels each has.")] = False


def routes(communities: Communities, membership: Membership, users: UserDirectory) -> Routes:
    """The routes of servers, their members, bans, invites and channels."""
    api = Routes("Communities")

    @api.post("/servers", status=201, errors=[ChangedMeanwhile, KeyReused, TooManyServers])
    async def create_server(actor: Actor, body: NewServer, idempotency_key: IdempotencyKey | None) -> ServerView:
        """Make a server, which its maker owns."""
        return server_view(
            await communities.create_server(actor, name=body.name, icon_url=body.icon_url, key=idempotency_key)
        )

    @api.get("/servers", cacheable=True)
    async def list_servers(actor: Actor, query: ServersQuery) -> Listed[ServerView]:
        """The servers that one is in; with `counts=true`, how many channels each has."""
        servers, cursor = await communities.list_servers(actor, limit=query.limit, cursor=query.cursor)
        views = [server_view(server) for server in servers]
        if query.counts:
            for view, count in zip(views, await communities.count_channels(servers), strict=True):
                view.channel_count = count
        return Listed(views, cursor)

    @api.get("/servers/{server_id}", cacheable=True)
    async def get_server(actor: Actor, server_id: ServerId) -> ServerView:
        """A server that one is in."""
        return server_view((await communities.get_server(actor, server_id)).server)

    @api.patch("/servers/{server_id}", errors=[ChangedMeanwhile])
    async def change_server(actor: Actor, server_id: ServerId, body: ServerChanges) -> ServerView:
        """Change a server's name or icon."""
        return server_view(await communities.change_server(actor, server_id, _given(body)))

    @api.delete("/servers/{server_id}")
    async def delete_server(actor: Actor, server_id: ServerId) -> None:
        """Delete a server with everything in it. It is invisible at once."""
        await communities.delete_server(actor, server_id)

    @api.post("/servers/{server_id}/transfer", errors=[ChangedMeanwhile])
    async def transfer_server(actor: Actor, server_id: ServerId, body: NewOwner) -> ServerView:
        """Hand the server to another member; who owned it becomes an admin."""
        return server_view(await membership.transfer(actor, server_id, body.user_id))

    @api.get("/servers/{server_id}/audit")
    async def list_audit(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[AuditView]:
        """What privileged people did in the server, newest first."""
        entries, cursor = await communities.list_audit(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get("/servers/{server_id}/members", cacheable=True)
    async def list_members(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[MemberView]:
        """Who is in the server."""
        places, cursor = await membership.list_members(actor, server_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([place.user_id for place in places])
        return Listed([member_view(place, profiles[place.user_id]) for place in places], cursor)

    @api.get("/servers/{server_id}/members/{user_id}")
    async def get_member(actor: Actor, server_id: ServerId, user_id: UserId) -> MemberView:
        """Somebody in the server."""
        place = await membership.get_member(actor, server_id, user_id)
        return member_view(place, (await users.profiles([user_id]))[user_id])

    @api.patch("/servers/{server_id}/members/{user_id}", errors=[ChangedMeanwhile, RankTooLow])
    async def change_member(actor: Actor, server_id: ServerId, user_id: UserId, body: NewRole) -> MemberView:
        """Give a member another role: those below oneself, and only roles below one's own."""
        place = await membership.change_role(actor, server_id, user_id, role=body.role)
        return member_view(place, (await users.profiles([user_id]))[user_id])

    @api.delete("/servers/{server_id}/members/{user_id}", errors=[ChangedMeanwhile, OwnerCannotLeave, RankTooLow])
    async def remove_member(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Leave, or take somebody of a lower role out of the server."""
        await membership.remove(actor, server_id, user_id)

    @api.get("/servers/{server_id}/bans")
    async def list_bans(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[BanView]:
        """Who may not come back."""
        bans, cursor = await membership.list_bans(actor, server_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([ban.user_id for ban in bans])
        return Listed([ban_view(ban, profiles[ban.user_id]) for ban in bans], cursor)

    @api.put("/servers/{server_id}/bans/{user_id}", errors=[ChangedMeanwhile, RankTooLow])
    async def ban_member(actor: Actor, server_id: ServerId, user_id: UserId, body: NewBan) -> BanView:
        """Take somebody out for good, or keep a stranger out."""
        ban = await membership.ban(actor, server_id, user_id, reason=body.reason)
        return ban_view(ban, (await users.profiles([user_id]))[user_id])

    @api.delete("/servers/{server_id}/bans/{user_id}")
    async def lift_ban(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Let somebody come back, by an invite."""
        await membership.lift_ban(actor, server_id, user_id)

    @api.post("/servers/{server_id}/channels", status=201, errors=[ChangedMeanwhile, KeyReused, TooManyChannels])
    async def create_channel(
        actor: Actor, server_id: ServerId, body: NewChannel, idempotency_key: IdempotencyKey | None
    ) -> ChannelView:
        """Make a channel."""
        return channel_view(
            await communities.create_channel(actor, server_id, name=body.name, topic=body.topic, key=idempotency_key)
        )

    @api.get("/servers/{server_id}/channels", cacheable=True)
    async def list_channels(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[ChannelView]:
        """The channels of the server, each with its last message's id."""
        channels, cursor = await communities.list_channels(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([channel_view(channel) for channel in channels], cursor)

    @api.get("/channels/{channel_id}", cacheable=True)
    async def get_channel(actor: Actor, channel_id: ChannelId) -> ChannelView:
        """A channel of a server that one is in."""
        return channel_view(await communities.get_channel(actor, channel_id))

    @api.patch("/channels/{channel_id}", errors=[ChangedMeanwhile])
    async def change_channel(actor: Actor, channel_id: ChannelId, body: ChannelChanges) -> ChannelView:
        """Change a channel's name or topic."""
        return channel_view(await communities.change_channel(actor, channel_id, _given(body)))

    @api.delete("/channels/{channel_id}", errors=[ChangedMeanwhile])
    async def delete_channel(actor: Actor, channel_id: ChannelId) -> None:
        """Delete a channel with everything that was said in it."""
        await communities.delete_channel(actor, channel_id)

    @api.post("/servers/{server_id}/invites", status=201, errors=[KeyReused])
    async def create_invite(
        actor: Actor, server_id: ServerId, body: NewInvite, idempotency_key: IdempotencyKey | None
    ) -> InviteView:
        """Make a code that lets people in."""
        return invite_view(
            await membership.create_invite(
                actor,
                server_id,
                max_uses=body.max_uses,
                expires_in_seconds=body.expires_in_seconds,
                key=idempotency_key,
            )
        )

    @api.get("/servers/{server_id}/invites")
    async def list_invites(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[InviteView]:
        """The invites that can still be used."""
        invites, cursor = await membership.list_invites(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([invite_view(invite) for invite in invites], cursor)

    @api.get("/admin/servers", scope="admin")
    async def list_all_servers(actor: Actor, query: PageQuery) -> Listed[ServerView]:
        """Every server, newest first: for administrators."""
        servers, cursor = await communities.list_all_servers(actor, limit=query.limit, cursor=query.cursor)
        return Listed([server_view(server) for server in servers], cursor)

    return api


def _given(body: msgspec.Struct) -> dict[str, Any]:
    """The fields that the client gave, null among them."""
    return {name: value for name in body.__struct_fields__ if (value := getattr(body, name)) is not msgspec.UNSET}
