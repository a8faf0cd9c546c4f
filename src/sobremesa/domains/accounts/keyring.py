"""The keyring: the keys that sign access tokens, and the server's own secrets.

Made on the first start and kept: beside an embedded store in a file of its own, on DynamoDB in rows, for a store in
memory in memory. `key_stores` says how; here is what it means: the newest key signs, older ones are good until the last
token that they signed is out, and a key that another node made is found when a token names it.
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

SECRETS = ("refresh", "cursors", "files", "gateway", "addresses")
SECRET_BYTES = 32
CURVE: Final = "Ed25519"

ACCESS_SECONDS = 600
"""How long an access token is good."""
LOOK_AGAIN_SECONDS = 60
"""How long a node may sign without looking whether there is a newer key."""
LOOK_FOR_UNKNOWN_SECONDS = 5
"""How long a node does not look again because of a key that it does not know: anybody can name one."""
RETIRED_AFTER_SECONDS = ACCESS_SECONDS + LOOK_AGAIN_SECONDS + 60


async def open_keyring(store: str, table: Table, clock: Clock) -> Keyring:
    """The keyring of a store; what is missing is made and kept."""
    address = parse_store(store)
    if address.path is None:
        return await Keyring.open(TableKeys(table), clock)
    if address.in_memory:
        return await Keyring.open(MemoryKeys(), clock)
    return await Keyring.open(FileKeys(address.path + ".keys"), clock)


class Keyring:
    """All keys and secrets of one server, however many nodes it has."""

    def __init__(self, store: KeyStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._looking = asyncio.Lock()
        self._looked_ms = 0
        self._keys: dict[str, OKPKey] = {}
        self._retired_ms: dict[str, int] = {}
        self._newest = ""
        self._material = Material()

    @classmethod
    async def open(cls, store: KeyStore, clock: Clock) -> Keyring:
        """The keyring of what is kept there, complete: another process may have been first with any part of it."""
        keyring = cls(store, clock)
        await keyring._look()
        while (missing := keyring._missing()) is not None:
            keyring._take_in(await store.found(missing))
        return keyring

    def secret(self, name: str) -> bytes:
        """A secret of 32 bytes, the same on every node and after every restart."""
        return base64.b64decode(self._material.secrets[name])

    async def signing_key(self) -> tuple[str, OKPKey]:
        """The key that signs now, and its id."""
        if not 0 <= self._clock.now_ms() - self._looked_ms < LOOK_AGAIN_SECONDS * 1000:
            await self._look_unless_since(LOOK_AGAIN_SECONDS)
        return self._newest, self._keys[self._newest]

    async def find_key(self, kid: str) -> OKPKey | None:
        """The key with this id, if it is ours and a token that it signed can still be good."""
        if kid not in self._keys:
            await self._look_unless_since(LOOK_FOR_UNKNOWN_SECONDS)
        retired_ms = self._retired_ms.get(kid)
        if retired_ms is not None and retired_ms <= self._clock.now_ms():
            return None
        return self._keys.get(kid)

    async def rotate(self) -> str:
        """Add a key that signs from now on, and forget those whose tokens are out; the new key's id."""
        await self._look()
        now = self._clock.now_ms()
        made = _new_key(max(now, self._material.keys[self._newest].created_ms + 1))
        out = [kid for kid, retired_ms in self._retired_ms.items() if retired_ms <= now]

        self._take_in(await self._store.add(made, drop=out))

        return made.kid

    async def _look_unless_since(self, seconds: int) -> None:
        async with self._looking:
            if not 0 <= self._clock.now_ms() - self._looked_ms < seconds * 1000:
                await self._look()

    async def _look(self) -> None:
        now = self._clock.now_ms()
        self._take_in(await self._store.load())
        self._looked_ms = now

    def _take_in(self, material: Material) -> None:
        self._material = material
        by_age = sorted(material.keys.values(), key=lambda record: (record.created_ms, record.kid))
        self._keys = {record.kid: self._keys.get(record.kid) or _imported(record) for record in by_age}
        self._retired_ms = {
            older.kid: newer.created_ms + RETIRED_AFTER_SECONDS * 1000 for older, newer in itertools.pairwise(by_age)
        }
        self._newest = by_age[-1].kid if by_age else ""

    def _missing(self) -> Material | None:
        """What must still be made, freshly made; None if all is there."""
        made = Material()
        if not self._material.keys:
            key = _new_key(self._clock.now_ms())
            made.keys[key.kid] = key
        for name in SECRETS:
            if name not in self._material.secrets:
                made.secrets[name] = base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
        return made if made.keys or made.secrets else None


def _new_key(created_ms: int) -> KeyRecord:
    parts = OKPKey.generate_key(CURVE).as_dict(private=True)
    kid = secrets.token_urlsafe(12)
    return KeyRecord(kid=kid, private=str(parts["d"]), public=str(parts["x"]), created_ms=created_ms)


def _imported(record: KeyRecord) -> OKPKey:
    return OKPKey.import_key({"kty": "OKP", "crv": CURVE, "x": record.public, "d": record.private, "kid": record.kid})
