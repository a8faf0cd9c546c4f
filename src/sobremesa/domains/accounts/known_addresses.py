"""Known addresses: the IP addresses of a user's earlier logins.

Failed logins are counted per account. With one counter for all addresses, an attacker could lock a user out by guessing
passwords. So each known address has a counter of its own, and all others share one, which also limits guesses from many
addresses. Only keyed hashes of addresses are stored.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from sobremesa.core.actor import UserId

MAX_KNOWN = 16
"""How many addresses of a user are stored; the newest are kept."""
MARK_BYTES = 12


class KnownAddresses:
    """Hashes addresses."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mark(self, user_id: UserId, address: str) -> str:
        """Return the keyed hash of an address for a user. It differs from that of other users."""
        return hmac.digest(self._secret, f"{user_id} {address}".encode(), "sha256")[:MARK_BYTES].hex()

    @staticmethod
    def with_mark(marks: Sequence[str], mark: str) -> list[str]:
        """Return the marks with this one as the newest."""
        return [*(other for other in marks if other != mark), mark][-MAX_KNOWN:]
