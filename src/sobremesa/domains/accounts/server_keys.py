"""Server keys: how a product's backend authenticates. Only a hash of the secret is stored."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import Literal, get_args

import msgspec

from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.actor_cache import ActorCache, KeyProof
from sobremesa.domains.accounts.audit import OPERATOR, Audit, tenant_scope
from sobremesa.domains.accounts.bot_accounts import NEVER
from sobremesa.domains.accounts.entities import ApiKey, api_key_by_id, api_keys_of, create_api_key, revoke_api_key
from sobremesa.domains.accounts.errors import TokenRefused, invalid
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.table import Create, Delete, Page, Table
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.table.keys import check_part

PREFIX = "sbk_"
SECRET_BYTES = 32
MAX_TOKEN = 256
MAX_LABEL = 64
ALWAYS_MS = NEVER * 1000

Scope = Literal[
    "inbox:publish",
    "inbox:admin",
    "inbox:read",
    "users:read",
    "users:write",
    "rooms:read",
    "rooms:write",
    "messages:send",
    "messages:moderate",
    "webhooks:admin",
    "table:read",
    "admin",
]
SCOPES: frozenset[str] = frozenset(get_args(Scope))


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A new key; its text is available only here."""

    key: ApiKey
    text: str


class ServerKeys:
    """The server keys of all tenants."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, actor_cache: ActorCache, audit: Audit) -> None:
        self._table = table
        self._audit = audit
        self._clock = clock
        self._ids = ids
        self._actor_cache = actor_cache

    async def create_key(
        self,
        tenant: Tenant,
        scopes: Iterable[str],
        *,
        label: str | None = None,
        expires_in_seconds: int | None = None,
    ) -> NewKey:
        """Create a key for a tenant. The first key creates the tenant."""
        requested = frozenset(scopes)
        try:
            check_part("tenant", tenant)
        except BadKey as error:
            raise invalid("tenant", str(error)) from None
        if not requested or requested - SCOPES:
            raise invalid("scopes", f"Expected one or more of {', '.join(sorted(SCOPES))}")
        if label is not None and len(label) > MAX_LABEL:
            raise invalid("label", f"Expected at most {MAX_LABEL} characters")
        if expires_in_seconds is not None and expires_in_seconds <= 0:
            raise invalid("expiresInSeconds", "Expected a number above zero")
        now = self._clock.now_ms()
        key_id = KeyId(self._ids.mint())
        text = f"{PREFIX}{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        key = ApiKey(
            key_id=key_id,
            tenant=tenant,
            hash=secret_hash(text),
            scopes=requested,
            label=label,
            created_at=instant(now),
            expires_at=None if expires_in_seconds is None else now // 1000 + expires_in_seconds,
        )

        details = {"scopes": " ".join(sorted(requested))} | ({} if label is None else {"label": label})
        entry = self._audit.entry(tenant_scope(tenant), OPERATOR, "key.create", target=key_id, details=details)
        await self._table.write(key=Create(key), audit=entry, pattern=create_api_key)

        return NewKey(key=key, text=text)

    async def list_keys(self, tenant: Tenant, *, limit: int = 50, cursor: str | None = None) -> Page[ApiKey]:
        """Return a page of the keys of a tenant, oldest first."""
        return await self._table.query(api_keys_of(tenant=tenant), limit=limit, cursor=cursor)

    async def revoke_key(self, key_id: KeyId) -> None:
        """Revoke a key; NotFound if there is none."""
        try:
            key = await self._table.get(api_key_by_id(key_id=key_id))
            if key is None:
                raise NotFound
            entry = self._audit.entry(tenant_scope(key.tenant), OPERATOR, "key.revoke", target=key_id)
            await self._table.write(key=Delete(key.own_key()), audit=entry, pattern=revoke_api_key)
        except (ConditionFailed, BadKey):
            raise NotFound from None
        finally:
            self._actor_cache.invalidate(key_id)

    def prove(self, token: str) -> KeyProof:
        """Parse the key id of a token. `read` checks the secret."""
        key_id, _, secret = token.removeprefix(PREFIX).partition("_")
        if not key_id or not secret or len(token) > MAX_TOKEN or not token.isascii():
            raise TokenRefused("malformed_key")
        return KeyProof(key_id=KeyId(key_id), hash=secret_hash(token), good_until_ms=ALWAYS_MS)

    async def read(self, proof: KeyProof) -> Actor:
        """Return the actor of a key; Unauthenticated if it is unknown, revoked or expired, or the secret is wrong."""
        try:
            key = await self._table.get(api_key_by_id(key_id=proof.key_id))
        except BadKey:
            raise TokenRefused("malformed_key") from None
        if key is None or not hmac.compare_digest(key.hash, proof.hash):
            raise TokenRefused("unknown_key", key_id=proof.key_id)
        return Actor(tenant=key.tenant, key_id=key.key_id, scopes=key.scopes)
