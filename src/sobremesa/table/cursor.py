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
from collections.abc import Sequence

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
    """Encodes and decodes cursors.

    `table.cursors` has the secret of the table. A list that the table does not read alone, because it is merged from
    several, has its own positions; its question must name the list and everything that selects its rows.
    """

    def __init__(self, secret: bytes = b"") -> None:
        self._seal = Seal(secret)

    def seal(self, position: Sequence[str], question: bytes) -> str:
        """Return the cursor for the page after this position of this question."""
        body = msgspec.msgpack.encode(position)
        return self._encoded(self._seal.sign(question + body) + body)

    def open(self, cursor: str, question: bytes, *sizes: int) -> list[str]:
        """Return the position of a cursor; raise BadCursor unless it is of this question and of such a size."""
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
        if len(position) not in sizes:
            raise BadCursor("this is not a valid cursor")
        return position

    def seal_key(self, last: RawKey | IndexKey, question: bytes) -> str:
        """Return the cursor for the page after the row `last` of a question of the table."""
        return self.seal([last.sk, *last.base] if isinstance(last, IndexKey) else [last.sk], question)

    def open_key(self, cursor: str, question: bytes, pk: str) -> RawKey | IndexKey:
        """Return the position of a cursor in a partition; raise BadCursor unless it was created for this question."""
        sk, *base = self.open(cursor, question, 1, 3)
        return IndexKey(sk, RawKey(*base)) if base else RawKey(pk, sk)

    @staticmethod
    def _encoded(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
