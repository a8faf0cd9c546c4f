"""Signed tokens (JWT), verified the same way for our own and for other issuers.

The unverified header and claims are only used to find the key. The key never comes from the token, and the algorithm
must be one of the expected ones, which are all asymmetric.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from sobremesa.domains.accounts.errors import TokenRefused

MAX_TOKEN = 8192
NOT_YET_LEEWAY_SECONDS = 5
"""The leeway of `nbf`, since clocks differ. There is none for `exp`."""

MAX_SECONDS = 253_402_300_800
"""The end of the year 9999."""

PublicKey: TypeAlias = OKPKey | ECKey | RSAKey


class Header(msgspec.Struct, frozen=True):
    """The header of a token."""

    alg: str
    kid: str | None = None


class Hint(msgspec.Struct, frozen=True):
    """The unverified issuer of a token."""

    iss: str


class Times(msgspec.Struct, frozen=True):
    """The validity period of a token, in epoch seconds."""

    exp: int | float
    nbf: int | float | None = None


class _Allowed(JWSRegistry):
    """Allows exactly these algorithms. The library warns about the name EdDSA, which our tokens use."""

    def get_alg(self, name: str) -> Any:
        if self.allowed is None or name not in self.allowed:
            raise UnsupportedAlgorithmError(f"{name} is not accepted")
        return self.algorithms[name]


def peek(token: str) -> tuple[Header, Hint]:
    """Return the unverified header and issuer of a token; Unauthenticated if it is malformed."""
    if len(token) > MAX_TOKEN or token.count(".") != 2:
        raise TokenRefused("malformed")
    header, claims, _ = token.split(".")
    try:
        return _decoded(header, Header), _decoded(claims, Hint)
    except (msgspec.DecodeError, msgspec.ValidationError, binascii.Error, ValueError, RecursionError):
        raise TokenRefused("malformed") from None


def proven(token: str, key: PublicKey, algorithms: Sequence[str]) -> dict[str, Any]:
    """Return the claims of a token that this key signed; Unauthenticated otherwise."""
    registry = _Allowed(algorithms=algorithms, strict_check_header=False)
    try:
        return jwt.decode(token, key, registry=registry).claims
    except (JoseError, ValueError, TypeError, KeyError, RecursionError):
        raise TokenRefused("bad_signature") from None


def signed(claims: dict[str, Any], key: OKPKey, *, kid: str, algorithm: str) -> str:
    """Return a signed token with these claims."""
    return jwt.encode({"alg": algorithm, "kid": kid}, claims, key, registry=_Allowed(algorithms=[algorithm]))


def good_until_ms(claims: dict[str, Any], now_ms: int) -> int:
    """Return when a token expires, in epoch milliseconds; Unauthenticated unless it is valid now."""
    try:
        times = msgspec.convert(claims, Times)
    except msgspec.ValidationError:
        raise TokenRefused("no_expiry") from None
    if not times.exp * 1000 > now_ms:
        raise TokenRefused("expired", "This token has expired.")
    if times.nbf is not None and times.nbf * 1000 > now_ms + NOT_YET_LEEWAY_SECONDS * 1000:
        raise TokenRefused("not_yet_valid", "This token is not valid yet.")
    return int(min(times.exp * 1000, 1 << 53))


def issued_ms(claims: dict[str, Any]) -> int | None:
    """Return when a token was issued, in epoch milliseconds; None if it has no valid time of issue."""
    issued = claims.get("iat")
    if isinstance(issued, bool) or not isinstance(issued, int | float) or not 0 <= issued < MAX_SECONDS:
        return None
    return int(issued * 1000)


def _decoded(part: str, kind: type[Any]) -> Any:
    raw = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    return msgspec.json.decode(raw, type=kind)
