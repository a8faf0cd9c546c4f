"""What else of a kind of room is decided about beside its messages: the cards and tabs of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sobremesa.core.clock import Instant
from sobremesa.http.endpoints import Output
from sobremesa.rooms.entities import Flags, Message, ModerationCase
from sobremesa.rooms.views import FlagsView
from sobremesa.table import Operation


class ReviewedTab(Output):
    """What the tab of a case contains now."""

    tab: str
    content: Any
    source_version: int
    flags: FlagsView | None
    nsfw_band: int | None
    updated_at: Instant | None


class Reviewed(Protocol):
    """Carries decisions to the rows of one kind of room."""

    async def related_operations(self, message: Message, flags: Flags | None) -> Sequence[Operation]:
        """Return what else changes with the flags of a message, for the transaction of the decision."""
        ...

    async def find_tab(self, case: ModerationCase) -> ReviewedTab | None:
        """Return the tab that a case is about, or None if it is gone."""
        ...

    async def decide_tab(self, case: ModerationCase, *, block: bool) -> Sequence[Operation]:
        """Return what a decision changes about the tab of a case, for its transaction."""
        ...
