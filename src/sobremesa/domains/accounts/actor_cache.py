"""A cache from tokens to actors, so that most requests need neither a signature check nor a read.

The proof of a token is cached until the token expires. The state of its user or key is cached for one second, unless
this process ends a session or revokes a key, which takes effect at once.
"""

from __future__ import annotations

import msgspec

from sobremesa.core.actor import Actor, KeyId, SessionId, Tenant, UserId
from sobremesa.core.clock import Clock

FRESH_MS = 1000
MAX_TOKENS = 20_000


class UserProof(msgspec.Struct, frozen=True, kw_only=True):
    """What a user's token proves. A token of another issuer has a tenant instead of a session.

    `issued_ms` is when the other issuer issued it, if the token has that time.
    """

    user_id: UserId
    session_id: SessionId | None = None
    hash: str | None = None
    """The hash of a bot's token, which proves nothing until it is compared with the session's."""
    tenant: Tenant | None = None
    issued_ms: int | None = None
    good_until_ms: int

    @property
    def subject(self) -> str:
        return self.user_id


class KeyProof(msgspec.Struct, frozen=True, kw_only=True):
    """The server key that a token names, and the hash of the token."""

    key_id: KeyId
    hash: str
    good_until_ms: int

    @property
    def subject(self) -> str:
        return self.key_id


Proof = UserProof | KeyProof


class _Entry:
    __slots__ = ("actor", "good_until_ms", "proof", "read_ms")

    def __init__(self, proof: Proof, actor: Actor, read_ms: int) -> None:
        self.proof = proof
        self.good_until_ms = proof.good_until_ms
        self.actor = actor
        self.read_ms = read_ms


class ActorCache:
    """A bounded cache of verified tokens and their actors."""

    def __init__(self, clock: Clock, *, max_tokens: int = MAX_TOKENS) -> None:
        self._now_ms = clock.now_ms
        self._max_tokens = max_tokens
        self._entries: dict[str, _Entry] = {}
        self._tokens_of: dict[str, set[str]] = {}
        self.invalidations = 0
        """The number of calls of `invalidate`. A read that started before the last one may be stale."""

    def find_actor(self, token: str) -> Actor | None:
        """Return the actor of a token if it was read within the last second."""
        entry = self._entries.get(token)
        if entry is None:
            return None
        now = self._now_ms()
        if now < entry.good_until_ms and 0 <= now - entry.read_ms < FRESH_MS:
            return entry.actor
        return None

    def find_proof(self, token: str) -> Proof | None:
        """Return the cached proof of a token that is still valid."""
        entry = self._entries.get(token)
        return entry.proof if entry is not None and self._now_ms() < entry.good_until_ms else None

    def store(self, token: str, proof: Proof, actor: Actor, *, read_ms: int, invalidations: int) -> None:
        """Cache an actor that was read at this time, unless `invalidations` has changed since."""
        if invalidations != self.invalidations:
            return
        if token not in self._entries and len(self._entries) >= self._max_tokens:
            self._evict()
        self._entries[token] = _Entry(proof, actor, read_ms)
        self._tokens_of.setdefault(proof.subject, set()).add(token)

    def drop(self, token: str) -> None:
        """Remove a token that is no longer valid."""
        entry = self._entries.pop(token, None)
        if entry is not None:
            self._discard(entry.proof.subject, token)

    def invalidate(self, subject: str) -> None:
        """Remove all tokens of a user or a key, so that the next request reads their state."""
        self.invalidations += 1
        for token in self._tokens_of.pop(subject, ()):
            self._entries.pop(token, None)

    def _evict(self) -> None:
        """Remove expired entries, and all but the newer half of the rest."""
        now = self._now_ms()
        valid = [(token, entry) for token, entry in self._entries.items() if now < entry.good_until_ms]
        self._entries = dict(valid[-(self._max_tokens // 2) :])
        self._tokens_of = {}
        for token, entry in self._entries.items():
            self._tokens_of.setdefault(entry.proof.subject, set()).add(token)

    def _discard(self, subject: str, token: str) -> None:
        tokens = self._tokens_of.get(subject)
        if tokens is not None:
            tokens.discard(token)
            if not tokens:
                del self._tokens_of[subject]
