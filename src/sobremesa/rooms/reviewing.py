"""Moderators' decisions about more than messages: the cards and tabs of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sobremesa.core.clock import Instant
from sobremesa.http.endpoints import Output
from sobremesa.rooms.entities import Flags, Message, ModerationCase
from sobremesa.rooms.views import FlagsView
from sobremesa.table import Operation


class ReviewedTab(Output):
    """The current content of the tab of a case."""

    tab: str
    content: Any
    source_version: int
    flags: FlagsView | None
    nsfw_band: int | None
    updated_at: Instant | None


class Reviewed(Protocol):
    """Applies decisions to the rows of one kind of room."""

    async def related_operations(self, message: Message, flags: Flags | None) -> Sequence[Operation]:
        """Return the operations that go with new flags of a message, for the transaction of the decision."""
        ...

    async def find_tab(self, case: ModerationCase) -> ReviewedTab | None:
        """Return the tab that a case is about, or None if it was deleted."""
        ...

    async def decide_tab(self, case: ModerationCase, *, block: bool) -> Sequence[Operation]:
        """Return the operations that apply a decision to the tab of a case, for its transaction."""
        ...
