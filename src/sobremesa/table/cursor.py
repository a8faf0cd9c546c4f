"""Cursors: where a page ended, as a text that a client keeps and gives back.

A cursor holds only the place within the partition; the partition itself always comes from the question, so a cursor
cannot lead out of it. It is sealed together with the question that it belongs to: altered, or brought with another
question, it is refused. A filter is no part of that: it does not move places. With a secret nobody else can make a
cursor; without, the seal only finds mistakes, which is safe for the same reason.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

import msgspec

from sobremesa.table.engines.protocol import IndexKey, RawKey
from sobremesa.table.errors import BadCursor

SEAL_BYTES = 12
MAX_CHARACTERS = 8192

_decode = msgspec.msgpack.Decoder(list[str]).decode


class Seal:
    """Signs what clients keep and give back. Without a secret it only finds mistakes."""

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = hashlib.blake2b(secret, digest_size=32).digest() if secret else b""

    def sign(self, body: bytes) -> bytes:
        """The signature of a body, of `SEAL_BYTES`."""
        return hashlib.blake2b(body, digest_size=SEAL_BYTES, key=self._secret).digest()

    def is_of(self, signature: bytes, body: bytes) -> bool:
        """Is this the signature of the body?"""
        return hmac.compare_digest(signature, self.sign(body))


class Cursors:
    """Makes and reads cursors."""

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret)

    def seal(self, last: RawKey | IndexKey, question: bytes) -> str:
        """The cursor for the page after `last` of this question."""
        place = [last.sk, *last.base] if isinstance(last, IndexKey) else [last.sk]
        body = msgspec.msgpack.encode(place)
        return base64.urlsafe_b64encode(self._seal.sign(question + body) + body).rstrip(b"=").decode()

    def open(self, cursor: str, question: bytes, pk: str) -> RawKey | IndexKey:
        """The place that a cursor stands for; BadCursor unless it was made for this very question."""
        if len(cursor) > MAX_CHARACTERS or not cursor.isascii():
            raise BadCursor("this is no cursor")
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise BadCursor("this is no cursor") from None
        seal, body = raw[:SEAL_BYTES], raw[SEAL_BYTES:]
        # The spelling counts too: base 64 has several for some bytes.
        if not self._seal.is_of(seal, question + body) or self._spelling(raw) != cursor:
            raise BadCursor("this cursor was altered, or belongs to another question")
        try:
            place = _decode(body)
        except msgspec.DecodeError:
            raise BadCursor("this is no cursor") from None
        if len(place) not in (1, 3):
            raise BadCursor("this is no cursor")
        return RawKey(pk, place[0]) if len(place) == 1 else IndexKey(place[0], RawKey(place[1], place[2]))

    @staticmethod
    def _spelling(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
