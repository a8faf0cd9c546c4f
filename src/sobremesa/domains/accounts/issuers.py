"""Issuers: users of a product authenticate with the product's own tokens.

The settings of an issuer are its exact name, the expected audience, and its public keys: a file, a URL, or the key
itself. Keys are reloaded when a token names an unknown one, at most every 30 seconds, and every hour, so that a key
that the issuer has withdrawn is no longer accepted.
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
from sobremesa.core.errors import Busy
from sobremesa.core.settings import BadSetting, Issuer
from sobremesa.domains.accounts.errors import TokenRefused
from sobremesa.domains.accounts.jwks import check_address, fetch, read
from sobremesa.domains.accounts.signatures import Header, PublicKey, good_until_ms, issued_ms, proven
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part

ALGORITHMS = ("EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
UNKNOWN_KEY_RELOAD_SECONDS = 30
RELOAD_SECONDS = 3600
MAX_SUBJECT = 255
MIN_RSA_BITS = 2048

_KINDS: Mapping[str, type[PublicKey]] = {"OKP": OKPKey, "EC": ECKey, "RSA": RSAKey}
_log = structlog.get_logger("sobremesa.domains.accounts")


class KeySet(msgspec.Struct, frozen=True):
    """The public keys of an issuer, as it publishes them."""

    keys: list[dict[str, Any]]


class ExternalUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user as a token of another issuer describes them."""

    issuer: str
    subject: str
    tenant: Tenant
    names: tuple[str, ...]
    """Candidates for the username, the best first."""
    maps_subject: bool = True
    """Whether the subject is the external id of the user."""
    issued_ms: int | None = None
    good_until_ms: int


class Issuers:
    """All trusted issuers."""

    def __init__(
        self, issuers: Sequence[Issuer], clock: Clock, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._issuers = {issuer.issuer: _KnownIssuer(issuer, monotonic) for issuer in issuers}
        if len(self._issuers) != len(issuers):
            raise BadSetting("two issuers have the same name")

    async def verify(self, token: str, header: Header, issuer: str) -> ExternalUser:
        """Verify a token; Unauthenticated unless this issuer signed it for our audience and it is valid now."""
        known = self._issuers.get(issuer)
        if known is None:
            raise TokenRefused("unknown_issuer", issuer=issuer)
        if header.alg not in ALGORITHMS:
            raise TokenRefused("bad_algorithm", issuer=issuer, algorithm=header.alg)
        claims = proven(token, await known.key(header.kid), ALGORITHMS)

        good_until = good_until_ms(claims, self._clock.now_ms())
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        subject = claims.get("sub")
        if claims.get("iss") != issuer or known.settings.audience not in audiences:
            raise TokenRefused(
                "wrong_audience", issuer=issuer, audience=str(audience), expected=known.settings.audience
            )
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
            raise TokenRefused("bad_subject", issuer=issuer)
        return ExternalUser(
            issuer=issuer,
            subject=subject,
            tenant=_tenant(known.settings, claims),
            names=tuple(
                name for claim in ("preferred_username", "name", "sub") if isinstance(name := claims.get(claim), str)
            ),
            maps_subject=known.settings.map_subject,
            issued_ms=issued_ms(claims),
            good_until_ms=good_until,
        )


class _KnownIssuer:
    """An issuer, and its cached keys."""

    def __init__(self, settings: Issuer, monotonic: Callable[[], float]) -> None:
        self.settings = settings
        self._monotonic = monotonic
        self._reloading = asyncio.Lock()
        self._loaded: float | None = None
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
        """Return the key with this id, or the only key for a token without a key id."""
        if self.settings.public_key:
            return self._keys[None]
        key = self._find(kid)
        if key is None or self._age() > RELOAD_SECONDS:
            await self._reload(UNKNOWN_KEY_RELOAD_SECONDS)
            key = self._find(kid)
        if key is None:
            if not self._keys:
                raise Busy("The keys of the token's issuer are not available. Try again later.")
            raise TokenRefused("unknown_kid", issuer=self.settings.issuer, kid=kid)
        return key

    def _find(self, kid: str | None) -> PublicKey | None:
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    def _age(self) -> float:
        return float("inf") if self._loaded is None else self._monotonic() - self._loaded

    async def _reload(self, not_within: float) -> None:
        async with self._reloading:
            if self._age() < not_within:
                return
            # Also after a failure, so that not every request calls an issuer that is down.
            self._loaded = self._monotonic()
            try:
                self._keys = _read_keys(await self._raw())
            except (OSError, ValueError, msgspec.DecodeError) as error:
                _log.warning("loading the keys of an issuer failed", issuer=self.settings.issuer, error=str(error))

    async def _raw(self) -> bytes:
        if self.settings.jwks_url:
            return await fetch(self.settings.jwks_url)
        return await read(str(self.settings.jwks_file))


def _read_keys(raw: bytes) -> dict[str | None, PublicKey]:
    """Return the signing keys of a key set, without unusable ones."""
    keys: dict[str | None, PublicKey] = {}
    for entry in msgspec.json.decode(raw, type=KeySet).keys:
        if entry.get("use", "sig") != "sig" or entry.get("kty") not in _KINDS:
            continue
        try:
            keys[entry.get("kid")] = _imported(entry)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            _log.warning("a key of an issuer is unusable", kid=str(entry.get("kid")), error=str(error))
    return keys


def _imported(entry: dict[str, Any]) -> PublicKey:
    # Only the public part, in case the issuer publishes a private key by mistake.
    public = {name: value for name, value in entry.items() if name in ("kty", "crv", "x", "y", "n", "e", "kid")}
    return _strong(_KINDS[entry["kty"]].import_key(public))


def _strong(key: PublicKey) -> PublicKey:
    if isinstance(key, RSAKey) and key.public_key.key_size < MIN_RSA_BITS:
        raise ValueError(f"an RSA key has at least {MIN_RSA_BITS} bits")
    return key


def _single_key(settings: Issuer) -> PublicKey:
    """Return the public key of the settings, as PEM or as JWK."""
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
        raise TokenRefused("no_tenant", "This token has no valid tenant.", issuer=settings.issuer)
    try:
        check_part("tenant", named)
    except BadKey:
        raise TokenRefused("no_tenant", "This token has no valid tenant.", issuer=settings.issuer) from None
    return Tenant(named)
