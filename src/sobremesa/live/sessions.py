"""Gateway sessions: a name that a client takes back to where it was.

Nothing is kept of a session: its name says whose it is, under our seal, and the place is the client's own.
"""

from __future__ import annotations

import hmac

from sobremesa.core.actor import UserId
from sobremesa.core.ids import Ids

SEAL_CHARACTERS = 20


class GatewaySessions:
    """Names sessions, and knows its own names again."""

    def __init__(self, ids: Ids, secret: bytes) -> None:
        self._ids = ids
        self._secret = secret

    def begin(self, user_id: UserId) -> str:
        """The name of a new session."""
        mark = self._ids.mint()
        return f"{mark}.{self._seal(mark, user_id)}"

    def is_of(self, session_id: str, user_id: UserId) -> bool:
        """Is this the name of a session of this person?"""
        mark, _, seal = session_id.partition(".")
        return hmac.compare_digest(seal.encode(), self._seal(mark, user_id).encode())

    def _seal(self, mark: str, user_id: UserId) -> str:
        return hmac.digest(self._secret, f"{mark}\n{user_id}".encode(), "sha256").hex()[:SEAL_CHARACTERS]
