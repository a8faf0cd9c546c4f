"""Mentions: the names that a text mentions with @."""

from __future__ import annotations

import re

MAX_MENTIONS = 50

_MENTION = re.compile(r"(?<![\w@\\])@([\w.-]{2,32})")
"""An escaped `\\@` is shown as it is, and mentions no user."""


def mentioned_names(content: str, at_most: int = MAX_MENTIONS) -> list[str]:
    """Return the names that a text mentions with @, whether users have them or not."""
    if "@" not in content:
        return []
    return [name.rstrip(".-") for name in list(dict.fromkeys(_MENTION.findall(content)))[:at_most]]
