"""People, as every layer knows them: who acts, and the profile that others see."""

from __future__ import annotations

import re
from typing import NewType, Self

import msgspec

from sobremesa.core.errors import Forbidden, NotFound

UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
KeyId = NewType("KeyId", str)
Tenant = NewType("Tenant", str)

DEFAULT_TENANT = Tenant("default")
DELETED_NAME = "deleted user"
"""What stands in place of a name that is gone."""


def stored_tenant(tenant: Tenant) -> Tenant | None:
    """A tenant as rows and index keys have it: the default one is left out."""
    return None if tenant == DEFAULT_TENANT else tenant


class UserRequired(Forbidden):
    """A server key came where only a person has a place."""

    code = "person_needed"
    says = "This is for people; a server key cannot do it."


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks: a person with a session, or a product's server with a key."""

    tenant: Tenant = DEFAULT_TENANT
    user: UserId | None = None
    username: str = ""
    session_id: SessionId | None = None
    is_admin: bool = False
    key_id: KeyId | None = None
    scopes: frozenset[str] = frozenset()

    @classmethod
    def of_user(cls, user_id: UserId, username: str, tenant: Tenant = DEFAULT_TENANT) -> Self:
        """A person, on the word of the program that calls: the library's own door, and tests."""
        return cls(user=user_id, username=username, tenant=tenant)

    @property
    def user_id(self) -> UserId:
        """The person; UserRequired if a server key asks."""
        if self.user is None:
            raise UserRequired
        return self.user

    @property
    def name(self) -> str:
        """What limits and logs call this actor."""
        return f"user:{self.user}" if self.user is not None else f"key:{self.key_id}"

    def require_scope(self, scope: str, *or_one_of: str) -> None:
        """Forbidden unless this is an administrator, or a key that has the scope, or another that also does."""
        if not (self.is_admin or not self.scopes.isdisjoint((scope, *or_one_of, "admin"))):
            raise Forbidden(f"This needs the scope {scope}.", scope=scope)

    def is_of(self, tenant: Tenant | None) -> bool:
        """Is this the actor's own tenant? A row without a tenant is of the default one."""
        return self.tenant == (DEFAULT_TENANT if tenant is None else tenant)

    def require_tenant(self, tenant: Tenant | None) -> None:
        """NotFound unless it is the actor's own tenant, as for one that does not exist."""
        if not self.is_of(tenant):
            raise NotFound

    def administers(self, tenant: Tenant | None) -> bool:
        """Is this an administrator of the tenant that a row belongs to?"""
        return self.is_admin and self.is_of(tenant)


PICTURE_ADDRESS = r"^/v1/attachments/[A-Za-z0-9_-]{1,64}$"
"""Faces and icons are uploads: a page that shows them asks no other site, which would learn who looks."""

_PICTURE_ADDRESS = re.compile(PICTURE_ADDRESS)


def own_picture(address: str | None) -> str | None:
    """The address of a picture if it is an upload of ours, else None. Other programs may have stored any address."""
    return address if address is not None and _PICTURE_ADDRESS.fullmatch(address) else None


class PublicProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What others see of a person beside what they did."""

    user_id: UserId
    username: str
    avatar_url: str | None = None
