"""Accounts of bots: users without a password, who authenticate by a token that does not expire.

A bot's token is a session without an end: the row has the hash of the token. So it is cached, revoked and disconnected
like every other session.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import SessionId, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound, Unauthenticated
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.actor_cache import ActorCache, UserProof
from sobremesa.domains.accounts.entities import AuditEntry, Session, User, change_bot_token, sessions_of, user_by_id
from sobremesa.domains.accounts.names import normal_display_name, normal_username
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks
from sobremesa.table import Create, Delete, Operation, Table
from sobremesa.table.errors import ConditionFailed

PREFIX = "sbb_"
SECRET_BYTES = 32
MAX_TOKEN = 256
DEVICE = "bot token"
NEVER = 253_402_300_799
"""The last second of the year 9999, as the expiry of a row that does not expire."""


class NewToken(NamedTuple):
    """A session to store, and its token, which is available only here."""

    session: Session
    text: str


class NewBot(NamedTuple):
    """A bot to store, and its token."""

    user: User
    token: NewToken
    claims: Sequence[Operation]
    """Fail if the username is taken."""

    @property
    def rows(self) -> Sequence[Operation]:
        """The operations that create the user and the token."""
        return (Create(self.user), Create(self.token.session))


class BotAccounts:
    """Creates accounts of bots, and changes their tokens. Who may do so is decided elsewhere."""

    def __init__(
        self, table: Table, clock: Clock, ids: Ids, *, actor_cache: ActorCache, unclaimed: UnclaimedNames
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._actor_cache = actor_cache
        self._unclaimed = unclaimed

    async def new(self, tenant: Tenant, *, username: str, display_name: str | None) -> NewBot:
        """Return a bot for the caller's transaction; Invalid if a name is not valid."""
        username, display_name = normal_username(username), normal_display_name(display_name)
        await self._unclaimed.claim(username, tenant)
        now = self._clock.now()
        user = User(
            user_id=UserId(self._ids.mint()),
            username=username,
            display_name=display_name,
            tenant=tenant,
            is_bot=True,
            created_at=now,
            updated_at=now,
        )
        claims: list[Operation] = [claim_name(tenant, username, user.user_id), *lookalike_checks(tenant, username)]
        return NewBot(user, self._new_token(user.user_id), claims)

    async def rotate(self, user_id: UserId, audit: Create[AuditEntry]) -> str:
        """Return a new token; the old one is refused from now on. NotFound if there is no such bot."""
        await self._require_bot(user_id)
        token = self._new_token(user_id)
        await self._replace_tokens(user_id, Create(token.session), audit)
        return token.text

    async def revoke(self, user_id: UserId, audit: Create[AuditEntry]) -> None:
        """Revoke the token, and close the bot's sockets; NotFound if there is none."""
        await self._require_bot(user_id)
        if not await self._replace_tokens(user_id, None, audit):
            raise NotFound("This bot has no token.")

    async def _replace_tokens(self, user_id: UserId, new: Operation | None, audit: Operation) -> bool:
        """Replace all tokens in one transaction; return whether there was one. ChangedMeanwhile in a race."""
        old = [session async for session in self._table.every(sessions_of(user_id=user_id))]
        if new is None and not old:
            return False
        try:
            await self._table.write(
                old=[Delete(session.own_key()) for session in old], new=new, audit=audit, pattern=change_bot_token
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None
        finally:
            self._actor_cache.invalidate(user_id)
        return bool(old)

    async def _require_bot(self, user_id: UserId) -> User:
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or user.deleted_at is not None or not user.is_bot:
            raise NotFound
        return user

    def _new_token(self, user_id: UserId) -> NewToken:
        session_id = SessionId(self._ids.mint())
        text = f"{PREFIX}{user_id}_{session_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        now = self._clock.now()
        session = Session(
            user_id=user_id,
            session_id=session_id,
            token_hash=secret_hash(text),
            device=DEVICE,
            created_at=now,
            rotated_at=now,
            expires_at=NEVER,
        )
        return NewToken(session, text)


def prove_bot(token: str) -> UserProof:
    """Parse the user and session of a bot's token. Authentication compares the hash with the session's."""
    parts = token.removeprefix(PREFIX).split("_", 2)
    if len(parts) != 3 or not all(parts) or len(token) > MAX_TOKEN or not token.isascii():
        raise Unauthenticated
    user_id, session_id, _ = parts
    return UserProof(
        user_id=UserId(user_id), session_id=SessionId(session_id), hash=secret_hash(token), good_until_ms=NEVER * 1000
    )
