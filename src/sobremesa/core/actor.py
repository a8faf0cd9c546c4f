"""Actors, users and tenants: the identity types that every layer uses."""

from __future__ import annotations

import re
from typing import NewType, Self

import msgspec

from sobremesa.core.errors import Forbidden, NotFound

UserId = NewType("UserId", str)
UserIdList = NewType("UserIdList", str)
"""User ids separated by commas, in a query."""
SessionId = NewType("SessionId", str)
KeyId = NewType("KeyId", str)
Tenant = NewType("Tenant", str)

DEFAULT_TENANT = Tenant("default")
SYSTEM = UserId("system")
"""The author of what no user writes. It has no profile, and no user can have this name."""
DELETED_NAME = "deleted user"
"""The name shown for a user that was deleted."""


def stored_tenant(tenant: Tenant) -> Tenant | None:
    """Return a tenant as rows and index keys store it: None for the default tenant."""
    return None if tenant == DEFAULT_TENANT else tenant


class UserRequired(Forbidden):
    """A server key called an endpoint that is for users."""

    code = "person_needed"
    default_detail = (
        "This requires a user; a server key names one: in the body where it has such a field, in the header "
        "Sobremesa-Act-As, or in `actAs` on the gateway."
    )


class PersonRequired(Forbidden):
    """A bot called an endpoint that is for people."""

    code = "bot_refused"
    default_detail = "A bot may not do this: it has only the rights of its memberships."


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Who makes a request: a user with a session, or a product's backend with a server key.

    A backend that acts as a user has both: `user` is the user, whose rights count, and `key_id` the key. It has no
    scopes, since those are for what the backend does in its own name.
    """

    tenant: Tenant = DEFAULT_TENANT
    user: UserId | None = None
    username: str = ""
    display_name: str | None = None
    session_id: SessionId | None = None
    token_issued_ms: int | None = None
    """When another issuer issued the token of this request; None for our own tokens."""
    is_admin: bool = False
    is_bot: bool = False
    key_id: KeyId | None = None
    scopes: frozenset[str] = frozenset()

    @classmethod
    def of_user(cls, user_id: UserId, username: str, tenant: Tenant = DEFAULT_TENANT) -> Self:
        """Return the actor of a user that the calling program has already authenticated."""
        return cls(user=user_id, username=username, tenant=tenant)

    @property
    def user_id(self) -> UserId:
        """The id of the user; raise UserRequired for a server key."""
        if self.user is None:
            raise UserRequired
        return self.user

    @property
    def name(self) -> str:
        """The name of this actor in limits and logs: a backend keeps its own while it acts as a user."""
        return f"user:{self.user}" if self.key_id is None else f"key:{self.key_id}"

    @property
    def credential_id(self) -> SessionId | KeyId | None:
        """What ends the sockets of this actor when it is revoked: the session, or the server key."""
        return self.session_id or self.key_id

    def as_system(self) -> Actor:
        """Return the actor as the author `system` of the same tenant."""
        return Actor(tenant=self.tenant, user=SYSTEM, username="system", key_id=self.key_id)

    @property
    def is_system(self) -> bool:
        """Whether this is a product's backend in its own name, after its scope was checked (`or_system`)."""
        return self.user == SYSTEM and self.key_id is not None

    def or_system(self, scope: str, *or_one_of: str) -> Actor:
        """Return the actor of a verb that a product's backend may call in its own name.

        A server key with one of these scopes is the system, which has all rights in the rooms of its tenant; raise
        Forbidden without. A user stays who they are.
        """
        if self.user is not None:
            return self
        self.require_scope(scope, *or_one_of)
        return self.as_system()

    def require_user(self) -> UserId:
        """Return the id of the user; raise UserRequired for a server key."""
        return self.user_id

    def require_person(self) -> None:
        """Raise PersonRequired for a bot, which has only the rights of its memberships."""
        if self.is_bot:
            raise PersonRequired

    def require_scope(self, scope: str, *or_one_of: str) -> None:
        """Raise Forbidden unless the actor is an administrator, or a key with one of these scopes."""
        if not (self.is_admin or any(map(self.has_scope, (scope, *or_one_of)))):
            raise Forbidden(f"The scope {scope} is required.", scope=scope)

    def has_scope(self, scope: str) -> bool:
        """Return whether this is a server key with this scope, or with `admin`, which includes all."""
        return scope in self.scopes or "admin" in self.scopes

    def is_of(self, tenant: Tenant | None) -> bool:
        """Return whether this is the actor's own tenant. A row without a tenant belongs to the default one."""
        return self.tenant == (DEFAULT_TENANT if tenant is None else tenant)

    def require_tenant(self, tenant: Tenant | None) -> None:
        """Raise NotFound unless this is the actor's own tenant."""
        if not self.is_of(tenant):
            raise NotFound

    def administers(self, tenant: Tenant | None) -> bool:
        """Return whether the actor is an administrator of the tenant that a row belongs to."""
        return self.is_admin and self.is_of(tenant)


PICTURE_ADDRESS = r"^/v1/attachments/[A-Za-z0-9_-]{1,64}$"
"""Avatars and icons are uploads: an address on another site would reveal to it who views the page."""

_PICTURE_ADDRESS = re.compile(PICTURE_ADDRESS)


def own_picture(address: str | None) -> str | None:
    """Return the address of a picture if it is an upload, else None. Other programs may have stored any address."""
    return address if address is not None and _PICTURE_ADDRESS.fullmatch(address) else None


class PublicProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What other users see of a user: names and avatar."""

    user_id: UserId
    username: str
    display_name: str | None = None
    avatar_url: str | None = None
    bot: bool = False
