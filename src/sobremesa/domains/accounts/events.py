"""Events of accounts, for the user's own connections, and which connections end."""

from __future__ import annotations

from sobremesa.core.actor import UserId, own_picture
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import ApiKey, Session, User
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType, Publication, audience_change, tokens_of, user
from sobremesa.live.translation import Seen, Translation

PROFILE = ("username", "display_name", "avatar_url")
REVOCATION = ("disabled_at", "tokens_valid_after")
"""The fields that, once set, refuse the tokens of a user."""


class LiveUser(Output):
    """Your public profile."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    updated_at: Instant


user_updated = EventType("user.updated", LiveUser, "Your username, display name or picture changed.")


class AccountEvents:
    """Maps changed rows of accounts to events."""

    def register(self, translation: Translation) -> None:
        translation.on(User, self._user, fields=(*PROFILE, *REVOCATION, "deleted_at"))
        translation.on(Session, self._session, fields=())
        translation.on(ApiKey, self._key, fields=())

    async def _user(self, seen: Seen[User]) -> list[Publication]:
        old, new = seen
        if new is None or new.deleted_at is not None:
            return [] if old is None else [audience_change(ends=[seen.row.user_id], of=seen.row.user_id)]
        if old is None:
            return []
        found = []
        if seen.changed(*PROFILE):
            picture = own_picture(new.avatar_url)
            view = LiveUser(new.user_id, new.username, new.display_name, picture, new.updated_at)
            found.append(user_updated(view, user(new.user_id)))
        if any(getattr(new, field) is not None and seen.changed(field) for field in REVOCATION):
            found.append(audience_change(ends=[tokens_of(new.user_id)], of=new.user_id))
        return found

    async def _session(self, seen: Seen[Session]) -> list[Publication]:
        return [audience_change(ends=[seen.row.session_id], of=seen.row.user_id)] if seen.new is None else []

    async def _key(self, seen: Seen[ApiKey]) -> list[Publication]:
        return [audience_change(ends=[seen.row.key_id])] if seen.new is None else []
