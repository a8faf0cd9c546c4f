"""The secrets of webhooks as they are stored: encrypted by a secret of the server's keyring.

A stored secret is a JWE (`dir`, A256GCM) of the secret and the id of its webhook, so that it is of no use in another
row. Rows from before have plain secrets, which are read as they are; a rotation encrypts both.
"""

from __future__ import annotations

import msgspec
from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from sobremesa.core.webhook_signature import PREFIX
from sobremesa.domains.webhooks.entities import HookId

_HEADER = {"alg": "dir", "enc": "A256GCM"}
_ALGORITHMS = list(_HEADER.values())


class UnreadableSecret(Exception):
    """A stored secret was encrypted with the keyring of another store, or belongs to another webhook."""


class StoredSecrets:
    """Encrypts and decrypts the secrets of webhooks."""

    def __init__(self, key: bytes) -> None:
        self._key = OctKey.import_key(key)

    def encrypt(self, hook_id: HookId, secret: str) -> str:
        """Return a secret in the form in which its webhook stores it."""
        return jwe.encrypt_compact(_HEADER, msgspec.json.encode((hook_id, secret)), self._key, _ALGORITHMS)

    def decrypt(self, hook_id: HookId, stored: str) -> str:
        """Return the secret that a webhook stores; raise UnreadableSecret if this keyring cannot decrypt it."""
        if stored.startswith(PREFIX):
            return stored
        try:
            content = jwe.decrypt_compact(stored, self._key, _ALGORITHMS).plaintext
            owner, secret = msgspec.json.decode(content or b"", type=tuple[str, str])
        except (JoseError, ValueError):
            raise UnreadableSecret from None
        if owner != hook_id:
            raise UnreadableSecret
        return secret
