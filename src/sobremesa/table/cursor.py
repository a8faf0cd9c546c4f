"""Cursors: the end of a page, as an opaque text that a client returns to get the next one.

A cursor holds only the position within the partition; the partition itself always comes from the question, so a cursor
cannot reach another one. It is signed together with its question: if it was altered, or is used with another question,
it is rejected. A filter is not part of the signature, since it does not move positions. With a secret, clients cannot
forge cursors; without one, the signature only detects mistakes, which is safe for the same reason.
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
    """Signs what clients store and return. Without a secret it only detects mistakes."""

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = hashlib.blake2b(secret, digest_size=32).digest() if secret else b""

    def sign(self, body: bytes) -> bytes:
        """Return the signature of a body, of `SEAL_BYTES`."""
        return hashlib.blake2b(body, digest_size=SEAL_BYTES, key=self._secret).digest()

    def is_of(self, signature: bytes, body: bytes) -> bool:
        """Return whether this is the signature of the body."""
        return hmac.compare_digest(signature, self.sign(body))


class Cursors:
    """Encodes and decodes cursors."""

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret)

    def seal(self, last: RawKey | IndexKey, question: bytes) -> str:
        """Return the cursor for the page after `last` of this question."""
        position = [last.sk, *last.base] if isinstance(last, IndexKey) else [last.sk]
        body = msgspec.msgpack.encode(position)
        return base64.urlsafe_b64encode(self._seal.sign(question + body) + body).rstrip(b"=").decode()

    def open(self, cursor: str, question: bytes, pk: str) -> RawKey | IndexKey:
        """Return the position of a cursor; raise BadCursor unless it was created for this question."""
        if len(cursor) > MAX_CHARACTERS or not cursor.isascii():
            raise BadCursor("this is not a valid cursor")
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise BadCursor("this is not a valid cursor") from None
        seal, body = raw[:SEAL_BYTES], raw[SEAL_BYTES:]
        # The encoding must match too: base 64 has several for some bytes.
        if not self._seal.is_of(seal, question + body) or self._encoded(raw) != cursor:
            raise BadCursor("this cursor was altered, or belongs to another question")
        try:
            position = _decode(body)
        except msgspec.DecodeError:
            raise BadCursor("this is not a valid cursor") from None
        if len(position) not in (1, 3):
            raise BadCursor("this is not a valid cursor")
        return RawKey(pk, position[0]) if len(position) == 1 else IndexKey(position[0], RawKey(*position[1:]))

    @staticmethod
    def _encoded(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
