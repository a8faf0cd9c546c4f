"""Signatures: reading and checking signed tokens (JWT), the same way for our own and for other issuers'.

What a token says about itself is only used to find out whom to ask for the key. The key never comes from the token,
and the algorithm must be one of those that were asked for, all of them asymmetric.
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

from sobremesa.core.errors import Unauthenticated

MAX_TOKEN = 8192
NOT_YET_LEEWAY_SECONDS = 5
"""Clocks differ a little: a token may be this much younger than now. What has expired has expired."""

PublicKey: TypeAlias = OKPKey | ECKey | RSAKey


class Header(msgspec.Struct, frozen=True):
    """What a token says about its signature."""

    alg: str
    kid: str | None = None


class Hint(msgspec.Struct, frozen=True):
    """Who a token says it is from; not proven."""

    iss: str


class Times(msgspec.Struct, frozen=True):
    """From when until when a token is good, in seconds."""

    exp: int | float
    nbf: int | float | None = None


class _Allowed(JWSRegistry):
    """Exactly these algorithms. The library warns of the name EdDSA, which is what our tokens carry."""

    def get_alg(self, name: str) -> Any:
        if self.allowed is None or name not in self.allowed:
            raise UnsupportedAlgorithmError(f"{name} is not accepted")
        return self.algorithms[name]


def peek(token: str) -> tuple[Header, Hint]:
    """What a token says about itself, not proven; Unauthenticated if it is no token at all."""
    if len(token) > MAX_TOKEN or token.count(".") != 2:
        raise Unauthenticated
    header, claims, _ = token.split(".")
    try:
        return _decoded(header, Header), _decoded(claims, Hint)
    except (msgspec.DecodeError, msgspec.ValidationError, binascii.Error, ValueError, RecursionError):
        raise Unauthenticated from None


def proven(token: str, key: PublicKey, algorithms: Sequence[str]) -> dict[str, Any]:
    """The claims of a token that this key signed; Unauthenticated if it did not."""
    registry = _Allowed(algorithms=algorithms, strict_check_header=False)
    try:
        return jwt.decode(token, key, registry=registry).claims
    except (JoseError, ValueError, TypeError, KeyError, RecursionError):
        raise Unauthenticated from None


def signed(claims: dict[str, Any], key: OKPKey, *, kid: str, algorithm: str) -> str:
    """A token with these claims."""
    return jwt.encode({"alg": algorithm, "kid": kid}, claims, key, registry=_Allowed(algorithms=[algorithm]))


def good_until_ms(claims: dict[str, Any], now_ms: int) -> int:
    """When a token ends; Unauthenticated unless it is good now."""
    try:
        times = msgspec.convert(claims, Times)
    except msgspec.ValidationError:
        raise Unauthenticated from None
    if not times.exp * 1000 > now_ms:
        raise Unauthenticated("This token has expired.")
    if times.nbf is not None and times.nbf * 1000 > now_ms + NOT_YET_LEEWAY_SECONDS * 1000:
        raise Unauthenticated("This token is not good yet.")
    return int(min(times.exp * 1000, 1 << 53))


def _decoded(part: str, kind: type[Any]) -> Any:
    raw = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    return msgspec.json.decode(raw, type=kind)
