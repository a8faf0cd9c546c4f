"""Event cursors: positions and their times as text, with a signature: clients can only use positions they received.

Reading from a position costs as much as there is after it. A forged one would let any client have the whole log read.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from sobremesa.live.feed import BadEventCursor, FeedPosition
from sobremesa.table.cursor import SEAL_BYTES, Seal

MAX_CHARACTERS = 160
SIGNATURE_CHARACTERS = SEAL_BYTES * 4 // 3
"""A multiple of three bytes has one spelling in base 64, and no padding."""


class EventCursors:
    """Formats and parses the cursors of one server."""

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret + b" of places")  # a seal of its own: the secret signs other things, too

    def format(self, position: FeedPosition, at_ms: int) -> str:
        """Return a position and its time as a cursor for clients."""
        text = f"{position.run}.{position.number}.{position.stretch}.{position.offset}.{at_ms}"
        return f"{text}.{urlsafe_b64encode(self._seal.sign(text.encode())).decode()}"

    def parse(self, s: str) -> tuple[FeedPosition, int]:
        """Return the position of a cursor, of which the feed knows the generation, and its time.

        Raises BadEventCursor if its signature is not valid.
        """
        text, dot, signature = s.rpartition(".")
        if not dot or len(s) > MAX_CHARACTERS or len(signature) != SIGNATURE_CHARACTERS or not s.isascii():
            raise BadEventCursor
        try:
            is_ours = self._seal.is_of(urlsafe_b64decode(signature), text.encode())
        except ValueError:
            is_ours = False
        if not is_ours:
            raise BadEventCursor
        run, *numbers = text.split(".")
        try:
            number, stretch, offset, at_ms = map(int, numbers)
        except ValueError:  # a cursor of another version
            raise BadEventCursor from None
        return FeedPosition(0, 0, run, number, stretch, offset), at_ms
