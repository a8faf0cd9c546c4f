"""How secrets of our own making are kept: they are long and drawn by chance, so that a plain digest will do."""

from __future__ import annotations

import hashlib


def secret_hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
