"""The responses of accounts."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from sobremesa.core.actor import Actor, PublicProfile, SessionId, Tenant, UserId, own_picture
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import AuditEntry, Block, Session, User
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.http.endpoints import Output


class Me(Output):
    """Your account."""

    user_id: UserId
    username: str
    display_name: str | None
    email: str | None
    avatar_url: str | None
    tenant: Tenant
    external_id: str | None
    is_admin: bool
    created_at: Instant
    updated_at: Instant
    bot: bool = False


class UserView(Output):
    """The public profile of a user."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    created_at: Instant
    bot: bool = False


class SignedInView(Output):
    """An open session: the access token for requests, the refresh token for the next pair."""

    user: Me
    access_token: str
    refresh_token: str
    expires_in: Annotated[int, Meta(description="Seconds until the access token expires.")]


class SessionView(Output):
    """A session on one device."""

    session_id: SessionId
    device: str | None
    current: Annotated[bool, Meta(description="Whether it is the session of this request.")]
    created_at: Instant
    last_used_at: Instant


class BlockView(Output):
    """A user that you have blocked."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    created_at: Annotated[Instant, Meta(description="When the user was blocked.")]


class Accepted(Output):
    """The request was accepted."""

    accepted: bool = True


class AuditView(Output):
    """An entry of the audit log."""

    entry_id: str
    at: Instant
    actor: str
    action: str
    target: str | None
    details: dict[str, Any]


def signed_in_view(signed_in: SignedIn) -> SignedInView:
    return SignedInView(
        user=own_view(signed_in.user),
        access_token=signed_in.access_token,
        refresh_token=signed_in.refresh_token,
        expires_in=signed_in.expires_in,
    )


def own_view(user: User) -> Me:
    return Me(
        user_id=user.user_id,
        username=user.username,
        display_name=user.display_name,
        email=user.email,
        avatar_url=own_picture(user.avatar_url),
        tenant=user.tenant,
        external_id=user.external_id,
        is_admin=user.is_admin,
        created_at=user.created_at,
        updated_at=user.updated_at,
        bot=user.is_bot,
    )


def user_view(user: User) -> UserView:
    return UserView(
        user_id=user.user_id,
        username=user.username,
        display_name=user.display_name,
        avatar_url=own_picture(user.avatar_url),
        created_at=user.created_at,
        bot=user.is_bot,
    )


def session_view(session: Session, actor: Actor) -> SessionView:
    return SessionView(
        session_id=session.session_id,
        device=session.device,
        current=session.session_id == actor.session_id,
        created_at=session.created_at,
        last_used_at=session.rotated_at,
    )


def block_view(block: Block, profile: PublicProfile) -> BlockView:
    return BlockView(
        user_id=block.blocked_id,
        username=profile.username,
        display_name=profile.display_name,
        avatar_url=profile.avatar_url,
        created_at=block.created_at,
    )


def audit_view(entry: AuditEntry) -> AuditView:
    return AuditView(entry.entry_id, entry.at, entry.actor, entry.action, entry.target, entry.details)
