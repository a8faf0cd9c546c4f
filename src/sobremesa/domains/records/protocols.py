"""The interfaces that records need: the tabs and participants of threads, and files."""

from __future__ import annotations

from typing import Any, Protocol

from sobremesa.core.actor import Actor
from sobremesa.domains.records.views import Tab


class Panels(Protocol):
    """Writes the tabs of threads."""

    async def put_snapshot(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
        """Write a snapshot to a tab; False if the tab has one as new or newer, or the thread does not exist."""


class Parties(Protocol):
    """Knows the participants of threads."""

    async def require_party(self, actor: Actor, thread_id: str) -> str:
        """Return the actor's role in the thread ("buyer", "seller", "admin"); NotFound if they are not in it."""


class Files(Protocol):
    """Keeps uploaded files."""

    async def keep(self, actor: Actor, file_id: str, thread_id: str) -> str | None:
        """Keep a file of the actor or the thread permanently; return its SHA-256 in hex. NotFound for other files."""
