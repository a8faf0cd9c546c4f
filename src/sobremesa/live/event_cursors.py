"""Event cursors: positions with a signature, so that clients can only use positions they received.

Reading from a position costs as much as there is after it. A forged one would let any client have the whole log read.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from sobremesa.live.feed import BadEventCursor
from sobremesa.table.cursor import SEAL_BYTES, Seal

MAX_CHARACTERS = 160
SIGNATURE_CHARACTERS = SEAL_BYTES * 4 // 3
"""A multiple of three bytes has one spelling in base 64, and no padding."""


class EventCursors:
    """Signs positions, and verifies its own signatures."""

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret + b" of places")  # a seal of its own: the secret signs other things, too

    def signed(self, position: str) -> str:
        """Return a position as a cursor for clients."""
        return f"{position}.{urlsafe_b64encode(self._seal.sign(position.encode())).decode()}"

    def read(self, s: str) -> str:
        """Return the position of a cursor; raises BadEventCursor if its signature is not valid."""
        position, dot, signature = s.rpartition(".")
        if not dot or len(s) > MAX_CHARACTERS or len(signature) != SIGNATURE_CHARACTERS or not s.isascii():
            raise BadEventCursor
        try:
            is_ours = self._seal.is_of(urlsafe_b64decode(signature), position.encode())
        except ValueError:
            is_ours = False
        if not is_ours:
            raise BadEventCursor
        return position
