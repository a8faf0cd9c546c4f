"""The keyring: the keys that sign access tokens, and the server's own secrets.

They are created on the first start and stored by `key_stores`: in a file beside an embedded store, in rows on DynamoDB,
in memory for a store in memory. The newest key signs. Older keys remain valid until the last token that they signed has
expired. A key that another node created is loaded when a token names it.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import secrets
from typing import Final

from joserfc.jwk import OKPKey

from sobremesa.core.clock import Clock
from sobremesa.domains.accounts.key_stores import FileKeys, KeyRecord, KeyStore, Material, MemoryKeys, TableKeys
from sobremesa.table import Table
from sobremesa.table.opening import parse_store

SECRETS = ("refresh", "cursors", "files", "gateway", "addresses", "unsubscribe", "webhooks")
SECRET_BYTES = 32
CURVE: Final = "Ed25519"

ACCESS_SECONDS = 600
"""How long an access token is valid."""
RELOAD_SECONDS = 60
"""How long a node may sign without checking for a newer key."""
UNKNOWN_KEY_RELOAD_SECONDS = 5
"""How often a node reloads the keys for unknown key ids, which any client can send."""
RETIRED_AFTER_SECONDS = ACCESS_SECONDS + RELOAD_SECONDS + 60


async def open_keyring(store: str, table: Table, clock: Clock) -> Keyring:
    """Open the keyring of a store; missing keys and secrets are created and stored."""
    address = parse_store(store)
    if address.path is None:
        return await Keyring.open(TableKeys(table), clock)
    if address.in_memory:
        return await Keyring.open(MemoryKeys(), clock)
    return await Keyring.open(FileKeys(address.path + ".keys"), clock)


class Keyring:
    """The keys and secrets that all nodes of a server share."""

    def __init__(self, store: KeyStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._reloading = asyncio.Lock()
        self._loaded_ms = 0
        self._keys: dict[str, OKPKey] = {}
        self._retired_ms: dict[str, int] = {}
        self._newest = ""
        self._material = Material()

    @classmethod
    async def open(cls, store: KeyStore, clock: Clock) -> Keyring:
        """Load the keyring and create what is missing, unless another process was first."""
        keyring = cls(store, clock)
        await keyring._reload()
        while (missing := keyring._missing()) is not None:
            keyring._apply(await store.store_missing(missing))
        return keyring

    def secret(self, name: str) -> bytes:
        """Return a secret of 32 bytes, the same on every node and after every restart."""
        return base64.b64decode(self._material.secrets[name])

    async def signing_key(self) -> tuple[str, OKPKey]:
        """Return the id of the current signing key, and the key."""
        if not 0 <= self._clock.now_ms() - self._loaded_ms < RELOAD_SECONDS * 1000:
            await self._reload_unless_recent(RELOAD_SECONDS)
        return self._newest, self._keys[self._newest]

    async def find_key(self, kid: str) -> OKPKey | None:
        """Return the key with this id if tokens that it signed can still be valid."""
        if kid not in self._keys:
            await self._reload_unless_recent(UNKNOWN_KEY_RELOAD_SECONDS)
        retired_ms = self._retired_ms.get(kid)
        if retired_ms is not None and retired_ms <= self._clock.now_ms():
            return None
        return self._keys.get(kid)

    async def rotate(self) -> str:
        """Add a new signing key, drop the keys whose tokens have expired, and return the new key's id."""
        await self._reload()
        now = self._clock.now_ms()
        created = _new_key(max(now, self._material.keys[self._newest].created_ms + 1))
        expired = [kid for kid, retired_ms in self._retired_ms.items() if retired_ms <= now]

        self._apply(await self._store.add(created, drop=expired))

        return created.kid

    async def _reload_unless_recent(self, seconds: int) -> None:
        async with self._reloading:
            if not 0 <= self._clock.now_ms() - self._loaded_ms < seconds * 1000:
                await self._reload()

    async def _reload(self) -> None:
        now = self._clock.now_ms()
        self._apply(await self._store.load())
        self._loaded_ms = now

    def _apply(self, material: Material) -> None:
        self._material = material
        by_age = sorted(material.keys.values(), key=lambda record: (record.created_ms, record.kid))
        self._keys = {record.kid: self._keys.get(record.kid) or _imported(record) for record in by_age}
        self._retired_ms = {
            older.kid: newer.created_ms + RETIRED_AFTER_SECONDS * 1000 for older, newer in itertools.pairwise(by_age)
        }
        self._newest = by_age[-1].kid if by_age else ""

    def _missing(self) -> Material | None:
        """Return newly created keys and secrets for what is missing; None if nothing is."""
        created = Material()
        if not self._material.keys:
            key = _new_key(self._clock.now_ms())
            created.keys[key.kid] = key
        for name in SECRETS:
            if name not in self._material.secrets:
                created.secrets[name] = base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
        return created if created.keys or created.secrets else None


def _new_key(created_ms: int) -> KeyRecord:
    parts = OKPKey.generate_key(CURVE).as_dict(private=True)
    kid = secrets.token_urlsafe(12)
    return KeyRecord(kid=kid, private=str(parts["d"]), public=str(parts["x"]), created_ms=created_ms)


def _imported(record: KeyRecord) -> OKPKey:
    return OKPKey.import_key({"kty": "OKP", "crv": CURVE, "x": record.public, "d": record.private, "kid": record.kid})
