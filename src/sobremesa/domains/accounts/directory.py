"""The directory: finds users by id, name, e-mail address or external id."""

from __future__ import annotations

from collections.abc import Iterable

from sobremesa.core.actor import Actor, PublicProfile, Tenant, UserId
from sobremesa.core.errors import NotFound, Unauthenticated, UnknownUsers
from sobremesa.domains.accounts.entities import (
    User,
    email_claim,
    external_id_claim,
    profile_of,
    user_by_email,
    user_by_id,
)
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.accounts.username_claims import name_key
from sobremesa.table import Key, Table
from sobremesa.table.errors import BadKey


class Directory:
    """The users of all tenants. `tenant` is that of the users who register."""

    def __init__(self, table: Table, unclaimed: UnclaimedNames, tenant: Tenant) -> None:
        self._table = table
        self._unclaimed = unclaimed
        self.tenant = tenant

    async def get_me(self, actor: Actor) -> User:
        """Return the actor's profile; Unauthenticated if it was just deleted."""
        try:
            return await self.get_user(actor.user_id)
        except NotFound:
            raise Unauthenticated from None

    async def get_user(self, user_id: UserId, tenant: Tenant | None = None) -> User:
        """Return a user's profile; NotFound if there is none in the tenant (None: in any) or it is deleted."""
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or user.deleted_at is not None or (tenant is not None and user.tenant != tenant):
            raise NotFound
        return user

    async def find_by_email(self, email: str) -> User | None:
        """Return the user with this e-mail address, by the claim, or by the index on a table without claims."""
        claim = await self._table.get(email_claim(email=email))
        if claim is None:
            page = await self._table.query(user_by_email(email=email), limit=1)
            user_id = page.items[0].user_id if page.items else None
        else:
            user_id = claim.user_id
        user = await self._table.get(user_by_id(user_id=user_id)) if user_id is not None else None
        return user if user is not None and user.deleted_at is None and user.email == email else None

    async def find_by_username(self, username: str, tenant: Tenant | None = None) -> User | None:
        """Return the user with this username, ignoring case, in a tenant (None: that of users who register)."""
        wanted = tenant or self.tenant
        found = await self.find_by_usernames([username], wanted)
        if not found and await self._unclaimed.claim(username, wanted):
            found = await self.find_by_usernames([username], wanted)
        user_id = next(iter(found.values()), None)
        user = await self._table.get(user_by_id(user_id=user_id)) if user_id is not None else None
        return user if user is not None and user.deleted_at is None and user.tenant == wanted else None

    async def find_by_usernames(self, usernames: Iterable[str], tenant: Tenant | None = None) -> dict[str, UserId]:
        """Return the users of a tenant with these names, by the given names; unknown names are omitted."""
        keys = {}
        for name in usernames:
            try:
                keys[name] = name_key(tenant or self.tenant, name)
            except BadKey:
                continue  # an invalid name belongs to no user
        claims = await self._table.get_many(list(keys.values()), consistent=True)
        return {name: claim.user_id for name, claim in zip(keys, claims, strict=True) if claim is not None}

    async def find_by_external_ids(self, tenant: Tenant, external_ids: Iterable[str]) -> dict[str, UserId]:
        """Return the users of a tenant with these external ids; unknown ids and deleted users are omitted."""
        keys = {}
        for external_id in external_ids:
            try:
                keys[external_id] = external_id_claim(tenant=tenant, external_id=external_id)
            except BadKey:
                continue  # an invalid id belongs to no user
        claims = await self._table.get_many(list(keys.values()), consistent=True)
        return {
            external_id: claim.user_id
            for external_id, claim in zip(keys, claims, strict=True)
            if claim is not None and claim.ended_at is None
        }

    async def require_users(self, tenant: Tenant, user_ids: Iterable[UserId]) -> dict[UserId, User]:
        """Return the profiles of users of a tenant; UnknownUsers with the ids that do not exist there."""
        keys: dict[UserId, Key[User] | None] = {}
        for user_id in user_ids:
            try:
                keys[user_id] = user_by_id(user_id=user_id)
            except BadKey:
                keys[user_id] = None
        valid = [user_id for user_id, key in keys.items() if key is not None]
        users = await self._table.get_many([key for key in keys.values() if key is not None], consistent=True)
        found = {
            user_id: user
            for user_id, user in zip(valid, users, strict=True)
            if user is not None and user.deleted_at is None and user.tenant == tenant
        }
        unknown = [user_id for user_id in keys if user_id not in found]
        if unknown:
            raise UnknownUsers(user_ids=unknown)
        return found

    async def profiles(self, user_ids: Iterable[UserId]) -> dict[UserId, PublicProfile]:
        """Return the public profiles of these users; missing ones appear as deleted users."""
        wanted = list(dict.fromkeys(user_ids))
        users = await self._table.get_many([user_by_id(user_id=user_id) for user_id in wanted])
        return {user_id: profile_of(user_id, user) for user_id, user in zip(wanted, users, strict=True)}

    async def find_tenant(self, user_id: UserId) -> Tenant | None:
        """Return the tenant of a user, or None if there is no such profile. Also of a deleted user."""
        user = await self._table.get(user_by_id(user_id=user_id))
        return None if user is None else user.tenant
