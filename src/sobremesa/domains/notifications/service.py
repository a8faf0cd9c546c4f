"""What users choose about notifications."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound, Refusal
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.digest_listing import set_choice
from sobremesa.domains.accounts.entities import DigestChoice, User
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.notifications.entities import (
    DigestState,
    Level,
    NotificationSettings,
    change_settings,
    clean_up,
    settings_of,
)
from sobremesa.domains.notifications.errors import NoQuietHours
from sobremesa.domains.notifications.quiet_hours import require_zone
from sobremesa.domains.notifications.unsubscribing import UnsubscribeTokens
from sobremesa.table import Delete, Table, Upsert, always, set_to
from sobremesa.table.errors import ConditionFailed

ATTEMPTS = 4
"""How often a change is retried after a concurrent change of the same user."""


class Notifications:
    """The notification settings of users."""

    def __init__(
        self, table: Table, clock: Clock, accounts: Accounts, tokens: UnsubscribeTokens, default: DigestChoice
    ) -> None:
        self._table = table
        self._clock = clock
        self._accounts = accounts
        self._tokens = tokens
        self.default = default
        """How often users who have not chosen receive a digest."""

    async def find_settings(self, actor: Actor) -> NotificationSettings | None:
        """Return what the actor has chosen; None if nothing yet."""
        return await self._table.get(settings_of(user_id=actor.user_id))

    async def change_settings(
        self,
        actor: Actor,
        *,
        digest: DigestChoice | UnsetType = UNSET,
        quiet_hours: tuple[str, str] | UnsetType | None = UNSET,
        time_zone: str | UnsetType | None = UNSET,
        levels: Mapping[RoomId, Level] | UnsetType = UNSET,
    ) -> NotificationSettings | None:
        """Change what is given, keep the rest, and return all of it."""
        if isinstance(time_zone, str):
            require_zone(time_zone)
        changed: dict[str, Any] = {"digest": digest, "time_zone": time_zone, "levels": levels}
        if quiet_hours is None:
            changed |= {"quiet_start": None, "quiet_end": None}
        elif not isinstance(quiet_hours, UnsetType):
            start, end = quiet_hours
            if start == end:
                raise NoQuietHours
            changed |= {"quiet_start": start, "quiet_end": end}

        await self._write(actor.user_id, {name: value for name, value in changed.items() if value is not UNSET})

        return await self.find_settings(actor)

    def unsubscribe_token(self, user_id: UserId) -> str:
        """Return the token of a user's unsubscribe link, for mails that a product sends itself."""
        return self._tokens.of(user_id)

    def check_token(self, token: str) -> None:
        """Raise NotFound unless this is the token of an unsubscribe link."""
        self._tokens.read(token)

    async def unsubscribe(self, token: str) -> None:
        """End the digests of a token's user; again, or for a deleted user, it has no effect."""
        user_id = self._tokens.read(token)
        if await self._find_user(user_id) is None:
            return
        await self._write(user_id, {"digest": "off"})

    async def _write(self, user_id: UserId, changed: Mapping[str, Any]) -> None:
        if not changed:
            return
        changes = set_to(updated_at=self._clock.now(), **changed)
        settings = Upsert(NotificationSettings.key(user_id=user_id), changes)
        if "digest" not in changed:
            await self._table.write(settings, pattern=change_settings)
            return
        choice: DigestChoice = changed["digest"]
        for _ in range(ATTEMPTS):
            user = await self._find_user(user_id)
            try:
                await self._table.write(
                    settings=settings,
                    choice=Upsert(DigestState.key(user_id=user_id), set_to(choice=choice)),
                    user=None if user is None else set_choice(user, choice),
                    pattern=change_settings,
                )
            except ConditionFailed:
                continue  # the address of the user was changed by another request in between
            return
        raise Busy

    async def _find_user(self, user_id: UserId) -> User | None:
        try:
            return await self._accounts.get_user(user_id)
        except NotFound:
            return None

    # The data of a user

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return None: notifications never object to a deletion."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Delete the settings of a user; a scheduled look at them finds nothing."""
        await self._table.write(
            settings=Delete(NotificationSettings.key(user_id=user_id), when=always()),
            state=Delete(DigestState.key(user_id=user_id), when=always()),
            pattern=clean_up,
        )

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield the notification settings of a user."""
        settings = await self._table.get(settings_of(user_id=user_id))
        if settings is not None:
            yield {
                "kind": "notificationSettings",
                "digest": settings.digest,
                "quietStart": settings.quiet_start,
                "quietEnd": settings.quiet_end,
                "timeZone": settings.time_zone,
                "levels": settings.levels,
            }
