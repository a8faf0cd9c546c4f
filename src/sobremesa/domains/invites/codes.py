"""Codes: what people pass on to let others in. One space of codes leads to servers and to workspaces."""

from __future__ import annotations

import secrets
from typing import NewType

InviteCode = NewType("InviteCode", str)

# Without what looks alike; twelve of 57 letters are 70 bits.
CODE_ALPHABET = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 12


def new_code() -> InviteCode:
    """A code that nobody guesses."""
    return InviteCode("".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH)))
