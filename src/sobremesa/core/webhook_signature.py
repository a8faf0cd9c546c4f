"""Standard Webhooks: secrets, and the headers that sign a request (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32
MIN_BYTES, MAX_BYTES = 24, 64
"""The sizes of a secret that the standard allows."""


def new_secret() -> str:
    """Return a new secret, as text."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def secret_bytes(secret: str) -> bytes:
    """Return the bytes of a secret; raise ValueError if it is not one."""
    if not secret.startswith(PREFIX):
        raise ValueError(f"a secret starts with {PREFIX}")
    try:
        found = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise ValueError(f"a secret is base64 after {PREFIX}") from None
    if not MIN_BYTES <= len(found) <= MAX_BYTES:
        raise ValueError(f"a secret has {MIN_BYTES} to {MAX_BYTES} bytes")
    return found


def signed_headers(keys: Iterable[str], *, id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a request, with one signature for each secret; a receiver accepts any of them."""
    content = f"{id}.{seconds}.".encode() + body
    signatures = [hmac.digest(secret_bytes(key), content, hashlib.sha256) for key in keys]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(each).decode()}" for each in signatures),
    }
