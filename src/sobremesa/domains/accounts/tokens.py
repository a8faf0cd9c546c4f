"""Access tokens: short-lived, signed, for one session."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from sobremesa.core.actor import SessionId, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.domains.accounts.errors import TokenRefused
from sobremesa.domains.accounts.keyring import ACCESS_SECONDS, Keyring
from sobremesa.domains.accounts.signatures import good_until_ms, peek, proven, signed

ALGORITHM = "EdDSA"
AUDIENCE: Final = "sobremesa"


class AccessClaims(msgspec.Struct, frozen=True):
    """The claims of an access token."""

    iss: str
    aud: Literal["sobremesa"]
    sub: UserId
    sid: SessionId
    tenant: Tenant
    iat: int
    exp: int


class Tokens:
    """Issues and verifies access tokens."""

    def __init__(self, keyring: Keyring, clock: Clock, issuer: str) -> None:
        self._keyring = keyring
        self._clock = clock
        self.issuer = issuer

    async def issue(self, user_id: UserId, session_id: SessionId, tenant: Tenant) -> str:
        """Return an access token for a session."""
        now = self._clock.now_seconds()
        claims = AccessClaims(
            iss=self.issuer,
            aud=AUDIENCE,
            sub=user_id,
            sid=session_id,
            tenant=tenant,
            iat=now,
            exp=now + ACCESS_SECONDS,
        )
        kid, key = await self._keyring.signing_key()
        return signed(msgspec.to_builtins(claims), key, kid=kid, algorithm=ALGORITHM)

    async def verify(self, token: str) -> AccessClaims:
        """Return the claims of an access token; Unauthenticated unless its signature and claims are valid now."""
        header, _ = peek(token)
        if header.alg != ALGORITHM or header.kid is None:
            raise TokenRefused("bad_algorithm", algorithm=header.alg)
        key = await self._keyring.find_key(header.kid)
        if key is None:
            raise TokenRefused("unknown_kid", kid=header.kid)
        claims = proven(token, key, [ALGORITHM])

        good_until_ms(claims, self._clock.now_ms())
        try:
            access = msgspec.convert(claims, AccessClaims)
        except msgspec.ValidationError:
            raise TokenRefused("malformed") from None
        if access.iss != self.issuer:
            raise TokenRefused("unknown_issuer", issuer=access.iss)
        return access
