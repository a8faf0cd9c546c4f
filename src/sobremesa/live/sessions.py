"""Gateway sessions: signed ids with which a client resumes.

Nothing is stored of a session: its id is sealed for one user, and the client keeps the cursor.
"""

from __future__ import annotations

import hmac

from sobremesa.core.actor import UserId
from sobremesa.core.ids import Ids

SEAL_CHARACTERS = 20


class GatewaySessions:
    """Creates session ids, and verifies them."""

    def __init__(self, ids: Ids, secret: bytes) -> None:
        self._ids = ids
        self._secret = secret

    def create(self, user_id: UserId) -> str:
        """Return the id of a new session."""
        mark = self._ids.mint()
        return f"{mark}.{self._seal(mark, user_id)}"

    def is_of(self, session_id: str, user_id: UserId) -> bool:
        """Return whether this is the id of a session of this user."""
        mark, _, seal = session_id.partition(".")
        return hmac.compare_digest(seal.encode(), self._seal(mark, user_id).encode())

    def _seal(self, mark: str, user_id: UserId) -> str:
        return hmac.digest(self._secret, f"{mark}\n{user_id}".encode(), "sha256").hex()[:SEAL_CHARACTERS]
