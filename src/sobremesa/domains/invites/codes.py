"""Invite codes. Servers and workspaces share one space of codes."""

from __future__ import annotations

import secrets
from typing import NewType

InviteCode = NewType("InviteCode", str)

# Without characters that look alike; twelve of 57 are 70 bits.
CODE_ALPHABET = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 12


def new_code() -> InviteCode:
    """Return a new random code."""
    return InviteCode("".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH)))
