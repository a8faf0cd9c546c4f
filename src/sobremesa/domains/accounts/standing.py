"""Standing: what was lately proven of whom, so that most requests need neither a signature check nor a read.

A token's proof is kept until the token ends; whether its person or key still stands is believed for a second. Ending a
session in this process is felt at once.
"""

from __future__ import annotations

import msgspec

from sobremesa.core.actor import Actor, KeyId, SessionId, Tenant, UserId
from sobremesa.core.clock import Clock

BELIEVED_MS = 1000
MAX_TOKENS = 20_000


class PersonProof(msgspec.Struct, frozen=True, kw_only=True):
    """A token proves a person: by a session of ours, or by another issuer, who also names the tenant."""

    user_id: UserId
    session_id: SessionId | None = None
    tenant: Tenant | None = None
    good_until_ms: int

    @property
    def subject(self) -> str:
        return self.user_id


class KeyProof(msgspec.Struct, frozen=True, kw_only=True):
    """A text names a server key and has its secret, whose hash this is."""

    key_id: KeyId
    hash: str
    good_until_ms: int

    @property
    def subject(self) -> str:
        return self.key_id


Proof = PersonProof | KeyProof


class _Known:
    __slots__ = ("actor", "good_until_ms", "proof", "read_ms")

    def __init__(self, proof: Proof, actor: Actor, read_ms: int) -> None:
        self.proof = proof
        self.good_until_ms = proof.good_until_ms
        self.actor = actor
        self.read_ms = read_ms


class Standings:
    """A bounded memory of tokens."""

    def __init__(self, clock: Clock, *, max_tokens: int = MAX_TOKENS) -> None:
        self._now_ms = clock.now_ms
        self._max_tokens = max_tokens
        self._known: dict[str, _Known] = {}
        self._tokens_of: dict[str, set[str]] = {}
        self.forgotten = 0
        """How often somebody was forgotten: a read that began before that is not to be believed."""

    def find_actor(self, token: str) -> Actor | None:
        """Who this is, if that was read within the last second."""
        known = self._known.get(token)
        if known is None:
            return None
        now = self._now_ms()
        if now < known.good_until_ms and 0 <= now - known.read_ms < BELIEVED_MS:
            return known.actor
        return None

    def find_proof(self, token: str) -> Proof | None:
        """What this token proves, if it was proven before and is still good."""
        known = self._known.get(token)
        return known.proof if known is not None and self._now_ms() < known.good_until_ms else None

    def keep(self, token: str, proof: Proof, actor: Actor, *, read_ms: int, forgotten: int) -> None:
        """Remember what was read at this time, unless somebody was forgotten since."""
        if forgotten != self.forgotten:
            return
        if token not in self._known and len(self._known) >= self._max_tokens:
            self._make_room()
        self._known[token] = _Known(proof, actor, read_ms)
        self._tokens_of.setdefault(proof.subject, set()).add(token)

    def drop(self, token: str) -> None:
        """Forget one token, which no longer proves anything."""
        known = self._known.pop(token, None)
        if known is not None:
            self._discard(known.proof.subject, token)

    def forget(self, subject: str) -> None:
        """Forget a person or a key, with all their tokens: ask again at the next request."""
        self.forgotten += 1
        for token in self._tokens_of.pop(subject, ()):
            self._known.pop(token, None)

    def _make_room(self) -> None:
        """Forget what has ended, and if that is little, the older half."""
        now = self._now_ms()
        kept = [(token, known) for token, known in self._known.items() if now < known.good_until_ms]
        self._known = dict(kept[-(self._max_tokens // 2) :])
        self._tokens_of = {}
        for token, known in self._known.items():
            self._tokens_of.setdefault(known.proof.subject, set()).add(token)

    def _discard(self, subject: str, token: str) -> None:
        tokens = self._tokens_of.get(subject)
        if tokens is not None:
            tokens.discard(token)
            if not tokens:
                del self._tokens_of[subject]
