"""Addresses: a signed token says which bytes somebody may fetch, until when. Whether they still may is asked again."""

from __future__ import annotations

import base64
import hmac
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import NotFound
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.errors import AddressExpired

What: TypeAlias = Literal["content", "preview"]

SECONDS = 300
PUBLIC_SECONDS = 6 * 3600
"""So long the address of a public picture is the same, so that browsers can cache it; it ends one such time later."""
SIGNATURE_BYTES = 32


class _Claim(NamedTuple):
    """What a token says."""

    file_id: FileId
    user_id: UserId
    what: What
    until_ms: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Claim).decode


class Addresses:
    """Makes addresses and reads them."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock

    def until(self, *, public: bool = False) -> Instant:
        """Until when an address is good that is made now."""
        return instant(self._until_ms(public))

    def of(self, file_id: FileId, user_id: UserId, what: What, *, public: bool = False) -> str:
        """Where this person can fetch the bytes; a path, since only the client knows by which name it reaches us."""
        said = _encode(_Claim(file_id, user_id, what, self._until_ms(public)))
        token = base64.urlsafe_b64encode(self._signature(said) + said).rstrip(b"=").decode()
        return f"/v1/attachments/{file_id}/{what}?token={token}"

    def read(self, token: str, file_id: FileId, what: What) -> UserId:
        """Whose address it is; NotFound if we did not make it for this, AddressExpired if it is too old."""
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            raise NotFound from None
        signature, said = raw[:SIGNATURE_BYTES], raw[SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(said)):
            raise NotFound
        claim = _decode(said)
        if (claim.file_id, claim.what) != (file_id, what):
            raise NotFound
        if claim.until_ms <= self._clock.now_ms():
            raise AddressExpired
        return claim.user_id

    def _until_ms(self, public: bool) -> int:
        now = self._clock.now_ms()
        if not public:
            return now + SECONDS * 1000
        window = PUBLIC_SECONDS * 1000
        return (now // window + 2) * window

    def _signature(self, said: bytes) -> bytes:
        return hmac.digest(self._secret, said, "sha256")
