"""The parts of a message: content, taxonomy and audience."""

from __future__ import annotations

from typing import Any

import msgspec


class Taxonomy(msgspec.Struct, frozen=True):
    """The classification of a message."""

    category: str | None = None


class Content(msgspec.Struct, frozen=True):
    """The content of a message; the body is text or any JSON value."""

    title: str = ""
    body: Any = None
    cta_uri: str | None = None


class Audience(msgspec.Struct, frozen=True):
    """The recipients of a message. A user's copy lists that user alone."""

    kind: str = "users"
    label: str | None = None
    uids: list[str] = []
