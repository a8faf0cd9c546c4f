"""What a message holds inside: what it says, what it is about, and whom it is for."""

from __future__ import annotations

from typing import Any

import msgspec


class Taxonomy(msgspec.Struct, frozen=True):
    """What a message is about."""

    category: str | None = None


class Content(msgspec.Struct, frozen=True):
    """What a message says; the body is text or any JSON."""

    title: str = ""
    body: Any = None
    cta_uri: str | None = None


class Audience(msgspec.Struct, frozen=True):
    """Whom a message is for. A person's copy names that person alone."""

    kind: str = "users"
    label: str | None = None
    uids: list[str] = []
