"""EventCursors as clients keep them: a text with a signature, so that nobody can ask for a place that we have not told.

Reading from a place costs as much as there is after it. A place that is made up would let anybody have the whole log
read; a signed one is at least as old as the client says it is.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from sobremesa.live.feed import BadEventCursor
from sobremesa.table.cursor import SEAL_BYTES, Seal

MAX_CHARACTERS = 160
SIGNATURE_CHARACTERS = SEAL_BYTES * 4 // 3
"""Bytes by threes have one spelling in base 64, and no padding."""


class EventCursors:
    """Signs places, and knows its own signatures."""

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret + b" of places")  # of its own: the secret signs other things, too

    def signed(self, place: str) -> str:
        """A place as clients keep it."""
        return f"{place}.{urlsafe_b64encode(self._seal.sign(place.encode())).decode()}"

    def read(self, s: str) -> str:
        """The place that a client has kept; BadEventCursor if it is none of ours."""
        place, dot, signature = s.rpartition(".")
        if not dot or len(s) > MAX_CHARACTERS or len(signature) != SIGNATURE_CHARACTERS or not s.isascii():
            raise BadEventCursor
        try:
            is_ours = self._seal.is_of(urlsafe_b64decode(signature), place.encode())
        except ValueError:
            is_ours = False
        if not is_ours:
            raise BadEventCursor
        return place
