"""Issuers: a product's own people come in by the product's own tokens.

Each issuer is known by settings: its exact name, the audience it must name, and its public keys, from a file, an
address, or given at once. Keys are read again when a token names one that is not known, not more often than every half
minute, and now and then so that a key that the issuer took back is gone here too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import structlog
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Unauthenticated
from sobremesa.core.settings import BadSetting, Issuer
from sobremesa.domains.accounts.jwks import check_address, fetch, read
from sobremesa.domains.accounts.signatures import Header, PublicKey, good_until_ms, proven
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part

ALGORITHMS = ("EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
LOOK_FOR_UNKNOWN_SECONDS = 30
LOOK_AGAIN_SECONDS = 3600
MAX_SUBJECT = 255
MIN_RSA_BITS = 2048

_KINDS: Mapping[str, type[PublicKey]] = {"OKP": OKPKey, "EC": ECKey, "RSA": RSAKey}
_log = structlog.get_logger("sobremesa.domains.accounts")


class KeySet(msgspec.Struct, frozen=True):
    """The public keys of an issuer, as it publishes them."""

    keys: list[dict[str, Any]]


class ExternalUser(msgspec.Struct, frozen=True, kw_only=True):
    """A person as their issuer's token tells."""

    issuer: str
    subject: str
    tenant: Tenant
    names: tuple[str, ...]
    """What they may be called, the best first."""
    good_until_ms: int


class Issuers:
    """All issuers that are believed."""

    def __init__(
        self, issuers: Sequence[Issuer], clock: Clock, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._issuers = {issuer.issuer: _KnownIssuer(issuer, monotonic) for issuer in issuers}
        if len(self._issuers) != len(issuers):
            raise BadSetting("two issuers have the same name")

    async def verify(self, token: str, header: Header, issuer: str) -> ExternalUser:
        """The person of a token; Unauthenticated unless that issuer signed it for us, and it is good now."""
        known = self._issuers.get(issuer)
        if known is None or header.alg not in ALGORITHMS:
            raise Unauthenticated
        claims = proven(token, await known.key(header.kid), ALGORITHMS)

        good_until = good_until_ms(claims, self._clock.now_ms())
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        subject = claims.get("sub")
        if claims.get("iss") != issuer or known.settings.audience not in audiences:
            raise Unauthenticated
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
            raise Unauthenticated
        return ExternalUser(
            issuer=issuer,
            subject=subject,
            tenant=_tenant(known.settings, claims),
            names=tuple(
                name for claim in ("preferred_username", "name", "sub") if isinstance(name := claims.get(claim), str)
            ),
            good_until_ms=good_until,
        )


class _KnownIssuer:
    """One issuer, and its keys as they were last read."""

    def __init__(self, settings: Issuer, monotonic: Callable[[], float]) -> None:
        self.settings = settings
        self._monotonic = monotonic
        self._looking = asyncio.Lock()
        self._looked: float | None = None
        self._keys: dict[str | None, PublicKey] = {}
        sources = [source for source in (settings.jwks_url, settings.jwks_file, settings.public_key) if source]
        if len(sources) != 1:
            raise BadSetting(f"the issuer {settings.issuer} needs one of jwks_url, jwks_file and public_key")
        if settings.public_key:
            self._keys = {None: _single_key(settings)}
        if settings.jwks_url:
            try:
                check_address(settings.jwks_url)
            except ValueError as error:
                raise BadSetting(f"the keys of the issuer {settings.issuer}: {error}") from None

    async def key(self, kid: str | None) -> PublicKey:
        """The key with this id; the only one there is for a token that names none."""
        if self.settings.public_key:
            return self._keys[None]
        key = self._find(kid)
        if key is None or self._age() > LOOK_AGAIN_SECONDS:
            await self._look(LOOK_FOR_UNKNOWN_SECONDS)
            key = self._find(kid)
        if key is None:
            if not self._keys:
                raise Busy("The keys of this token's issuer cannot be read at the moment.")
            raise Unauthenticated
        return key

    def _find(self, kid: str | None) -> PublicKey | None:
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    def _age(self) -> float:
        return float("inf") if self._looked is None else self._monotonic() - self._looked

    async def _look(self, not_within: float) -> None:
        async with self._looking:
            if self._age() < not_within:
                return
            # Also after a failure: an issuer that is down is not asked by every request.
            self._looked = self._monotonic()
            try:
                self._keys = _read_keys(await self._raw())
            except (OSError, ValueError, msgspec.DecodeError) as error:
                _log.warning("the keys of an issuer cannot be read", issuer=self.settings.issuer, error=str(error))

    async def _raw(self) -> bytes:
        if self.settings.jwks_url:
            return await fetch(self.settings.jwks_url)
        return await read(str(self.settings.jwks_file))


def _read_keys(raw: bytes) -> dict[str | None, PublicKey]:
    """The signing keys of a set; one that we cannot use is left out."""
    keys: dict[str | None, PublicKey] = {}
    for entry in msgspec.json.decode(raw, type=KeySet).keys:
        if entry.get("use", "sig") != "sig" or entry.get("kty") not in _KINDS:
            continue
        try:
            keys[entry.get("kid")] = _imported(entry)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            _log.warning("a key of an issuer cannot be used", kid=str(entry.get("kid")), error=str(error))
    return keys


def _imported(entry: dict[str, Any]) -> PublicKey:
    # Only the public part: a private key has no business here.
    public = {name: value for name, value in entry.items() if name in ("kty", "crv", "x", "y", "n", "e", "kid")}
    return _strong(_KINDS[entry["kty"]].import_key(public))


def _strong(key: PublicKey) -> PublicKey:
    if isinstance(key, RSAKey) and key.public_key.key_size < MIN_RSA_BITS:
        raise ValueError(f"an RSA key has at least {MIN_RSA_BITS} bits")
    return key


def _single_key(settings: Issuer) -> PublicKey:
    """The public key of the settings, as PEM or as JWK."""
    text = str(settings.public_key).strip()
    try:
        if text.startswith("{"):
            return _imported(msgspec.json.decode(text, type=dict[str, Any]))
        for kind in _KINDS.values():
            try:
                return _strong(kind.import_key(text))
            except JoseError:
                continue
    except (JoseError, KeyError, ValueError, msgspec.DecodeError) as error:
        raise BadSetting(f"the public key of the issuer {settings.issuer} cannot be read: {error}") from None
    raise BadSetting(f"the public key of the issuer {settings.issuer} is neither PEM nor JWK")


def _tenant(settings: Issuer, claims: Mapping[str, Any]) -> Tenant:
    if settings.tenant_claim is None:
        return Tenant(settings.tenant)
    named = claims.get(settings.tenant_claim)
    if not isinstance(named, str):
        raise Unauthenticated("This token names no tenant.")
    try:
        check_part("tenant", named)
    except BadKey:
        raise Unauthenticated("This token names no tenant.") from None
    return Tenant(named)
