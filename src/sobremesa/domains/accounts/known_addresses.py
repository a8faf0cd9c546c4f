"""Known addresses: from where a user has logged in before.

Wrong passwords are counted for each account. If everybody's were counted together, anybody could lock a user out by
guessing. So a known address has a count of its own, and all other addresses share one: guesses from a thousand
addresses are as few as those from one. Only keyed hashes of addresses are stored.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from sobremesa.core.actor import UserId

MAX_KNOWN = 16
"""How many addresses of a user are remembered, the newest ones."""
MARK_BYTES = 12


class KnownAddresses:
    """Marks and recognizes addresses."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mark(self, user_id: UserId, address: str) -> str:
        """How an address is stored for a user: another user's mark of the same address differs."""
        return hmac.digest(self._secret, f"{user_id} {address}".encode(), "sha256")[:MARK_BYTES].hex()

    @staticmethod
    def with_mark(marks: Sequence[str], mark: str) -> list[str]:
        """The marks with this one as the newest."""
        return [*(other for other in marks if other != mark), mark][-MAX_KNOWN:]
