"""Profiles: a user changes their names and picture. A new username moves its claim in the same transaction."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from sobremesa.core.actor import Actor
from sobremesa.core.errors import Busy
from sobremesa.domains.accounts import entities
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import AuditEntry, User
from sobremesa.domains.accounts.errors import UsernameTaken, require_own_picture
from sobremesa.domains.accounts.names import folded, lookalike_of, normal_display_name, normal_username
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks, name_key
from sobremesa.table import (
    Condition,
    Create,
    Delete,
    Operation,
    Update,
    WritePattern,
    absent_or_null,
    equals,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

ATTEMPTS = 4
"""How often a change is retried after a concurrent change of the same profile."""


class Profiles:
    """Changes profiles."""

    def __init__(self, context: AccountContext) -> None:
        self._table = context.table
        self._clock = context.clock
        self._directory = context.directory
        self._unclaimed = context.unclaimed
        self._actor_cache = context.actor_cache

    async def change_profile(
        self,
        actor: Actor,
        *,
        username: str | None = None,
        display_name: str | UnsetType | None = UNSET,
        avatar_url: str | UnsetType | None = UNSET,
    ) -> User:
        """Change the actor's names or picture (None removes it); UsernameTaken if another user has that name.

        A picture is the URL of an upload: Invalid for any other URL.
        """
        require_own_picture("avatarUrl", avatar_url)
        wanted = normal_username(username) if username is not None else None
        given: Changes = ()
        if display_name is not UNSET:
            given += set_to(display_name=normal_display_name(display_name))
        if avatar_url is not UNSET:
            given += set_to(avatar_url=avatar_url)
        for _ in range(ATTEMPTS):
            user = await self._directory.get_me(actor)
            name = wanted if wanted is not None else user.username
            try:
                return await self.write(user, name, given)
            except ConditionFailed as failed:
                if "claim" in failed or "lookalikes" in failed:
                    raise UsernameTaken from None
                continue  # the name was changed by another request in between
        raise Busy

    async def write(
        self,
        user: User,
        name: str,
        changes: Changes,
        *,
        audit: Create[AuditEntry] | None = None,
        pattern: WritePattern = entities.change_profile,
        when: Condition | None = None,
        external_id: Operation | None = None,
    ) -> User:
        """Change a profile; if the name differs, move the claim from the old name to the new one.

        `when` is a further condition on the user, and `external_id` the claim of an external id, if they get one.

        ConditionFailed with `claim` or `lookalikes` if the name is taken, or with `user` if it was changed meanwhile.
        """
        same = equals("username", user.username) & absent_or_null("deleted_at")
        update = Update(
            User.key(user_id=user.user_id),
            set_to(username=name, updated_at=self._clock.now()) + changes,
            when=same if when is None else same & when,
        )
        try:
            if folded(name) != folded(user.username):
                await self._unclaimed.claim(name, user.tenant)
                await self._table.write(
                    user=update,
                    claim=claim_name(user.tenant, name, user.user_id),
                    lookalikes=self._lookalikes(user, name),
                    old_claim=await self._old_claim(user),
                    audit=audit,
                    external_id=external_id,
                    pattern=pattern,
                )
            elif audit is not None or external_id is not None:
                await self._table.write(user=update, audit=audit, external_id=external_id, pattern=pattern)
            else:
                return await self._table.write(update, pattern=pattern)
        finally:
            self._actor_cache.invalidate(user.user_id)
        return await self._directory.get_user(user.user_id)

    def _lookalikes(self, user: User, name: str) -> list[Operation]:
        is_own = lookalike_of(name) == folded(user.username)
        return [] if is_own else [*lookalike_checks(user.tenant, name)]

    async def _old_claim(self, user: User) -> Operation | None:
        """Return the delete of the claim of the present name; None if it has none, as in an older table."""
        key = name_key(user.tenant, user.username)
        held = await self._table.get(key)
        if held is None or held.user_id != user.user_id:
            return None
        return Delete(key, when=equals("user_id", user.user_id))
