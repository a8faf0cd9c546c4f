"""What records need of their neighbours: the tabs and the people of threads, and files."""

from __future__ import annotations

from typing import Any, Protocol

from sobremesa.core.actor import Actor
from sobremesa.domains.records.views import Tab


class Panels(Protocol):
    """The tabs of threads, in the one table."""

    async def show(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
        """Put a snapshot into a tab unless it has one as new; False if it did or the thread is gone."""


class Parties(Protocol):
    """Who is in a thread."""

    async def require_party(self, actor: Actor, thread_id: str) -> str:
        """The actor's role context in the thread ("buyer", "seller", "admin"); NotFound for a stranger."""


class Files(Protocol):
    """What was uploaded."""

    async def keep(self, actor: Actor, file_id: str, thread_id: str) -> str | None:
        """Keep a file of the actor's, or of the thread, for good; its SHA-256 in hexadecimal. NotFound for others."""
