"""Hashes of generated secrets. They are long and random, so a plain digest is enough."""

from __future__ import annotations

import hashlib


def secret_hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
