"""The users of a tenant, as imports need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import UnknownUsers
from sobremesa.domains.accounts.entities import User, pending_deletions, user_by_id
from sobremesa.http.user_references import EXTERNAL_ID
from sobremesa.table import Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadKey

CACHED_USERS = 50_000
CACHED_NAMES = 50_000


class Directory(Protocol):
    """The accounts."""

    async def find_by_usernames(self, usernames: Iterable[str], tenant: Tenant) -> dict[str, UserId]: ...

    async def find_by_external_ids(self, tenant: Tenant, external_ids: Iterable[str]) -> dict[str, UserId]: ...


class ImportUsers:
    """Finds users of one tenant by id, external id or name, and caches them for one import."""

    def __init__(self, table: Table, directory: Directory, tenant: Tenant) -> None:
        self._table = table
        self._directory = directory
        self._tenant = tenant
        self._authors: Cache[str, Actor] = Cache(CACHED_USERS)
        self._names: Cache[str, UserId | str] = Cache(CACHED_NAMES)
        """The users by name; an empty text for a name that no user has."""

    async def find(self, references: Iterable[str]) -> dict[str, Actor]:
        """Return users by `{userId}` or `ext:{externalId}`; unknown ones are omitted."""
        wanted = set(references)
        found = {each: author for each in wanted if (author := self._authors.find(each)) is not None}
        missing = [each for each in wanted if each not in found]
        if not missing:
            return found
        ids = await self._user_ids(missing)
        users = {user.user_id: user for user in await self._users(list(ids.values()))}
        for reference, user_id in ids.items():
            if user_id in users:
                user = users[user_id]
                found[reference] = author = Actor.of_user(user.user_id, user.username, user.tenant)
                self._authors.keep(reference, author)
        return found

    async def require(self, references: Sequence[str]) -> list[Actor]:
        """Return users in the order of the references, without repeats; UnknownUsers with those that do not exist."""
        found = await self.find(references)
        unknown = [each for each in references if each not in found]
        if unknown:
            raise UnknownUsers(user_ids=unknown)
        return list({found[each].user_id: found[each] for each in references}.values())

    async def find_present(self, user_ids: Sequence[UserId]) -> set[UserId]:
        """Return those of the users who are in the tenant and not deleted, as they are now."""
        return {user.user_id for user in await self._users(user_ids)}

    async def list_departing(self) -> frozenset[UserId]:
        """Return the users whose accounts are deleted and whose data is being removed."""
        row = await self._table.get(pending_deletions(), consistent=True)
        return frozenset() if row is None else row.user_ids

    async def find_by_names(self, names: Iterable[str]) -> dict[str, UserId]:
        """Return the users of the tenant with these names."""
        known = {name: self._names.find(name) for name in set(names)}
        missing = [name for name, user_id in known.items() if user_id is None]
        if missing:
            claimed = await self._directory.find_by_usernames(missing, self._tenant)
            inside = {user.user_id for user in await self._users(list(claimed.values()))}
            for name in missing:
                user_id = claimed.get(name)
                known[name] = user_id if user_id is not None and user_id in inside else ""
                self._names.keep(name, known[name] or "")
        return {name: UserId(user_id) for name, user_id in known.items() if user_id}

    async def _user_ids(self, references: Sequence[str]) -> dict[str, UserId]:
        external = {each.removeprefix(EXTERNAL_ID): each for each in references if each.startswith(EXTERNAL_ID)}
        ids = {each: UserId(each) for each in references if not each.startswith(EXTERNAL_ID)}
        found = await self._directory.find_by_external_ids(self._tenant, external) if external else {}
        return ids | {external[each]: user_id for each, user_id in found.items()}

    async def _users(self, user_ids: Sequence[UserId]) -> list[User]:
        """Return those of the users who are in the tenant and not deleted."""
        keys = []
        for user_id in user_ids:
            try:
                keys.append(user_by_id(user_id=user_id))
            except BadKey:
                continue  # an invalid id belongs to no user
        found = await self._table.get_many(keys, consistent=True)
        return [user for user in found if user and user.deleted_at is None and user.tenant == self._tenant]
