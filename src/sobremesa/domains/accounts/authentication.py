"""Authentication: from a token to an actor.

There are four kinds of token: our own access tokens, tokens of the product's issuer, server keys and tokens of bots.
Each is verified once and then cached. The session, the user or the key is read consistently from the table at most
every second.
"""

from __future__ import annotations

import hmac

import structlog

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import Unauthenticated
from sobremesa.domains.accounts.actor_cache import ActorCache, Proof, UserProof
from sobremesa.domains.accounts.bot_accounts import PREFIX as BOT_PREFIX
from sobremesa.domains.accounts.bot_accounts import prove_bot
from sobremesa.domains.accounts.entities import Session, User, session_by_id, user_by_id
from sobremesa.domains.accounts.errors import AccountDisabled, TokenRefused
from sobremesa.domains.accounts.issuers import RELOAD_SECONDS, Issuers
from sobremesa.domains.accounts.provisioning import Provisioning
from sobremesa.domains.accounts.server_keys import PREFIX as KEY_PREFIX
from sobremesa.domains.accounts.server_keys import ServerKeys
from sobremesa.domains.accounts.signatures import peek
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.table import Key, Table
from sobremesa.table.errors import BadKey

_log = structlog.get_logger("sobremesa.domains.accounts")


class Authentication:
    """Returns the actor of a token; raises Unauthenticated if the token is invalid or was revoked."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        tokens: Tokens,
        issuers: Issuers,
        provisioning: Provisioning,
        keys: ServerKeys,
        actor_cache: ActorCache,
    ) -> None:
        self._table = table
        self._clock = clock
        self._tokens = tokens
        self._issuers = issuers
        self._provisioning = provisioning
        self._keys = keys
        self._actor_cache = actor_cache

    async def authenticate(self, token: str) -> Actor:
        """Return the actor of a token; Unauthenticated if it is not valid."""
        actor = self._actor_cache.find_actor(token)
        return actor if actor is not None else await self._resolve(token)

    async def authenticate_until(self, token: str) -> tuple[Actor, int]:
        """Return the actor of a token, and until when (epoch milliseconds) its proof is valid."""
        actor = await self.authenticate(token)
        proof = self._actor_cache.find_proof(token)
        return actor, self._clock.now_ms() if proof is None else proof.good_until_ms

    async def _resolve(self, token: str) -> Actor:
        invalidations = self._actor_cache.invalidations
        try:
            proof = self._actor_cache.find_proof(token) or await self._prove(token)
            read_ms = self._clock.now_ms()
            actor = await (self._read_user(proof) if isinstance(proof, UserProof) else self._keys.read(proof))
        except Unauthenticated as refusal:
            self._actor_cache.drop(token)
            _log_refusal(refusal)
            raise
        self._actor_cache.store(token, proof, actor, read_ms=read_ms, invalidations=invalidations)
        return actor

    async def _prove(self, token: str) -> Proof:
        if token.startswith(KEY_PREFIX):
            return self._keys.prove(token)
        if token.startswith(BOT_PREFIX):
            return prove_bot(token)
        header, hint = peek(token)
        if hint.iss != self._tokens.issuer:
            external = await self._issuers.verify(token, header, hint.iss)
            user_id = await self._provisioning.find_or_create(external)
            # Not until the token expires: by then the issuer may have withdrawn the key that signed it.
            until_ms = min(external.good_until_ms, self._clock.now_ms() + RELOAD_SECONDS * 1000)
            return UserProof(
                user_id=user_id, tenant=external.tenant, issued_ms=external.issued_ms, good_until_ms=until_ms
            )
        claims = await self._tokens.verify(token)
        return UserProof(user_id=claims.sub, session_id=claims.sid, good_until_ms=claims.exp * 1000)

    async def _read_user(self, proof: UserProof) -> Actor:
        """Read the current state of a user; one of another issuer has no session, only a profile."""
        try:
            user, *session = await self._table.get_many(_keys(proof), consistent=True)
        except BadKey:
            raise TokenRefused("unknown_user") from None
        if not isinstance(user, User) or user.deleted_at is not None:
            raise TokenRefused("deleted_user", user_id=proof.user_id)
        if session and not _is_open(session[0], proof):
            raise TokenRefused("session_ended", user_id=user.user_id)
        if proof.tenant is not None:
            _check_external(proof, user)
        if user.disabled_at is not None:
            raise AccountDisabled
        return Actor(
            tenant=user.tenant,
            user=user.user_id,
            username=user.username,
            display_name=user.display_name,
            session_id=proof.session_id,
            token_issued_ms=proof.issued_ms,
            is_admin=user.is_admin,
            is_bot=user.is_bot,
        )


def _is_open(session: object, proof: UserProof) -> bool:
    """Return whether the session of a token is open; a bot's token must be the one that the session has."""
    if not isinstance(session, Session):
        return False
    return proof.hash is None or hmac.compare_digest(session.token_hash, proof.hash)


def _check_external(proof: UserProof, user: User) -> None:
    """Raise TokenRefused if a token of another issuer is for another tenant, or was revoked."""
    if proof.tenant != user.tenant:
        # A user stays in their first tenant: in another tenant they have another account.
        detail = "This token is for another tenant than the account."
        raise TokenRefused("wrong_tenant", detail, user_id=user.user_id)
    if user.tokens_valid_after is None:
        return
    if proof.issued_ms is None or instant(proof.issued_ms) < user.tokens_valid_after:
        raise TokenRefused("revoked", user_id=user.user_id)


def _log_refusal(refusal: Unauthenticated) -> None:
    """Log why a token is refused, never the token."""
    if isinstance(refusal, TokenRefused):
        _log.info("authentication failed", reason=refusal.reason, **refusal.facts)
    else:
        _log.info("authentication failed", reason="disabled" if isinstance(refusal, AccountDisabled) else refusal.code)


def _keys(proof: UserProof) -> list[Key[User] | Key[Session]]:
    keys: list[Key[User] | Key[Session]] = [user_by_id(user_id=proof.user_id)]
    if proof.session_id is not None:
        keys.append(session_by_id(user_id=proof.user_id, session_id=proof.session_id))
    return keys
