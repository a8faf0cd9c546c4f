"""Signed URLs: a token names a file, a user and an expiry time; each request checks access again."""

from __future__ import annotations

import base64
import hmac
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import NotFound
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.errors import UrlExpired
from sobremesa.http.mounting import mount_prefix

Variant: TypeAlias = Literal["content", "preview"]

SECONDS = 300
PUBLIC_SECONDS = 6 * 3600
"""How long the URL of a public image stays the same, so that browsers can cache it. It expires one period later."""
SIGNATURE_BYTES = 32


class _Token(NamedTuple):
    """The signed content of a token."""

    file_id: FileId
    user_id: UserId
    variant: Variant
    until_ms: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Token).decode


class SignedUrls:
    """Creates and verifies signed URLs."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock

    def until(self, *, public: bool = False) -> Instant:
        """Return when a URL that is created now expires."""
        return instant(self._until_ms(public))

    def of(self, file_id: FileId, user_id: UserId, variant: Variant, *, public: bool = False) -> str:
        """Return the URL of a file for a user. It is a path, since only the client knows the server's host name.

        In a request to a site that is mounted in another application, it starts with the prefix of the mount.
        """
        claims = _encode(_Token(file_id, user_id, variant, self._until_ms(public)))
        token = base64.urlsafe_b64encode(self._signature(claims) + claims).rstrip(b"=").decode()
        return f"{mount_prefix()}/v1/attachments/{file_id}/{variant}?token={token}"

    def read(self, token: str, file_id: FileId, variant: Variant) -> UserId:
        """Return the user of a URL; NotFound if its token is not valid for this file, UrlExpired if it has expired."""
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            raise NotFound from None
        signature, claims = raw[:SIGNATURE_BYTES], raw[SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(claims)):
            raise NotFound
        decoded = _decode(claims)
        if (decoded.file_id, decoded.variant) != (file_id, variant):
            raise NotFound
        if decoded.until_ms <= self._clock.now_ms():
            raise UrlExpired
        return decoded.user_id

    def _until_ms(self, public: bool) -> int:
        now = self._clock.now_ms()
        if not public:
            return now + SECONDS * 1000
        window = PUBLIC_SECONDS * 1000
        return (now // window + 2) * window

    def _signature(self, claims: bytes) -> bytes:
        return hmac.digest(self._secret, claims, "sha256")
