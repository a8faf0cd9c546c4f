"""Sessions: one per device, extended by refresh tokens that rotate with every use.

The successor of a refresh token is derived from it, so a client that lost the response, or two tabs at once, get the
same one again without a write. That holds for ten seconds and while the successor is unused. Later use, or use of any
older token, means that the token was copied, and ends the session. Each token ends with a tag that only the server can
create, so text that never was a token of the session is refused without ending it.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import secrets
from typing import NamedTuple

import msgspec

from sobremesa.core.actor import Actor, SessionId, UserId
from sobremesa.core.clock import Clock, instant, milliseconds
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.actor_cache import ActorCache
from sobremesa.domains.accounts.entities import (
    Session,
    User,
    end_session,
    refresh_session,
    session_by_id,
    sessions_of,
    user_by_id,
)
from sobremesa.domains.accounts.errors import AccountDisabled, SessionEnded
from sobremesa.domains.accounts.keyring import ACCESS_SECONDS, Keyring
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.table import Delete, Page, Table, Update, equals, set_to
from sobremesa.table.errors import BadKey, ConditionFailed

SESSION_SECONDS = 30 * 24 * 3600
GRACE_MS = 10_000
PREFIX = "sbr_"
SECRET_BYTES = 32
TAG_BYTES = 12
TAG_CHARACTERS = 16
MAX_TOKEN = 1024


class SignedIn(msgspec.Struct, frozen=True, kw_only=True):
    """A user with a session, and its tokens."""

    user: User
    session_id: SessionId
    access_token: str
    refresh_token: str
    expires_in: int = ACCESS_SECONDS

    @property
    def actor(self) -> Actor:
        """The user as an actor, for calls of the library."""
        return Actor(
            tenant=self.user.tenant,
            user=self.user.user_id,
            username=self.user.username,
            display_name=self.user.display_name,
            session_id=self.session_id,
            is_admin=self.user.is_admin,
        )


class NewSession(NamedTuple):
    """A session to store, and its first refresh token."""

    session: Session
    refresh_token: str


class Sessions:
    """The sessions of all users."""

    def __init__(
        self, table: Table, clock: Clock, ids: Ids, tokens: Tokens, keyring: Keyring, actor_cache: ActorCache
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._tokens = tokens
        self._secret = keyring.secret("refresh")
        self._actor_cache = actor_cache

    def new(self, user_id: UserId, device: str | None) -> NewSession:
        """Return a new session; the caller stores it in the transaction that justifies it."""
        now = self._clock.now_ms()
        session_id = SessionId(self._ids.mint())
        token = self._tagged(user_id, session_id, secrets.token_bytes(SECRET_BYTES))
        session = Session(
            user_id=user_id,
            session_id=session_id,
            token_hash=secret_hash(token),
            device=device,
            created_at=instant(now),
            rotated_at=instant(now),
            expires_at=now // 1000 + SESSION_SECONDS,
        )
        return NewSession(session, token)

    async def signed_in(self, user: User, session_id: SessionId, refresh_token: str) -> SignedIn:
        """Return the tokens of a stored session."""
        access = await self._tokens.issue(user.user_id, session_id, user.tenant)
        return SignedIn(user=user, session_id=session_id, access_token=access, refresh_token=refresh_token)

    async def refresh(self, token: str) -> SignedIn:
        """Return the next refresh token with a new access token; SessionEnded if this is not the current one."""
        user_id, session_id = _parts(token)
        hashed = secret_hash(token)
        successor = self._successor(token, user_id, session_id)
        user, session = await self._load(user_id, session_id)

        if session.token_hash == hashed:
            try:
                await self._rotate(session, hashed, secret_hash(successor))
            except ConditionFailed:
                # Another tab was faster, or the session has just ended.
                user, session = await self._load(user_id, session_id)
                await self._require_just_rotated(session, token, hashed)
        else:
            await self._require_just_rotated(session, token, hashed)

        return await self.signed_in(user, session_id, successor)

    async def list_sessions(self, user_id: UserId, *, limit: int, cursor: str | None) -> Page[Session]:
        """Return a page of the sessions of a user, oldest first."""
        return await self._table.query(sessions_of(user_id=user_id), limit=limit, cursor=cursor)

    async def end(self, user_id: UserId, session_id: SessionId) -> None:
        """End one session; NotFound if there is none."""
        try:
            await self._table.write(Delete(Session.key(user_id=user_id, session_id=session_id)), pattern=end_session)
        except ConditionFailed:
            raise NotFound from None
        finally:
            self._actor_cache.invalidate(user_id)

    async def end_all(self, user_id: UserId, *, keep: SessionId | None = None) -> None:
        """End all sessions of a user, except one to keep."""
        found = [session async for session in self._table.every(sessions_of(user_id=user_id))]

        deletes = [Delete(session.own_key()) for session in found if session.session_id != keep]
        await self._table.write_many(deletes, pattern=end_session)

        self._actor_cache.invalidate(user_id)

    async def _load(self, user_id: UserId, session_id: SessionId) -> tuple[User, Session]:
        keys = (user_by_id(user_id=user_id), session_by_id(user_id=user_id, session_id=session_id))
        user, session = await self._table.get_many(keys, consistent=True)
        if not isinstance(user, User) or user.deleted_at is not None or not isinstance(session, Session):
            raise SessionEnded
        if user.disabled_at is not None:
            raise AccountDisabled
        return user, session

    async def _rotate(self, session: Session, current: str, successor: str) -> None:
        now = self._clock.now_ms()
        changes = set_to(
            token_hash=successor,
            previous_hash=current,
            rotated_at=instant(now),
            expires_at=now // 1000 + SESSION_SECONDS,
        )
        await self._table.write(
            Update(session.own_key(), changes, when=equals("token_hash", current)), pattern=refresh_session
        )

    async def _require_just_rotated(self, session: Session, token: str, hashed: str) -> None:
        """Raise SessionEnded unless this token was rotated a moment ago; an older one also ends the session."""
        age_ms = self._clock.now_ms() - milliseconds(session.rotated_at)
        if session.previous_hash == hashed and age_ms <= GRACE_MS:
            return
        if session.previous_hash != hashed and not self._was_issued(token):
            # A client that knows only the ids of a session must not be able to end it.
            raise SessionEnded
        with contextlib.suppress(NotFound):
            await self.end(session.user_id, session.session_id)
        raise SessionEnded

    def _successor(self, token: str, user_id: UserId, session_id: SessionId) -> str:
        return self._tagged(user_id, session_id, hmac.digest(self._secret, token.encode(), "sha256"))

    def _tagged(self, user_id: UserId, session_id: SessionId, secret: bytes) -> str:
        """Return the token with this secret and the tag that proves that it was issued here."""
        token = f"{PREFIX}{user_id}.{session_id}.{_as_text(secret)}"
        return token + self._tag(token)

    def _tag(self, token: str) -> str:
        return _as_text(hmac.digest(self._secret, b"issued " + token.encode(), "sha256")[:TAG_BYTES])

    def _was_issued(self, token: str) -> bool:
        """Return whether this was issued as a token of its session; tokens of older versions have no tag."""
        untagged, tag = token[:-TAG_CHARACTERS], token[-TAG_CHARACTERS:]
        return hmac.compare_digest(tag, self._tag(untagged))


def _as_text(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _parts(token: str) -> tuple[UserId, SessionId]:
    """Parse the user and session of a token, unverified; SessionEnded if it is malformed."""
    # From the right, since user ids of older tables may contain dots.
    parts = token.removeprefix(PREFIX).rsplit(".", 2)
    if len(token) > MAX_TOKEN or not token.startswith(PREFIX) or len(parts) != 3 or not token.isascii():
        raise SessionEnded
    user_id, session_id = UserId(parts[0]), SessionId(parts[1])
    try:
        Session.key(user_id=user_id, session_id=session_id)
    except BadKey:
        raise SessionEnded from None
    return user_id, session_id
