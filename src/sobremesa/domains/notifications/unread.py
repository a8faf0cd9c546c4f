"""What a digest is made of: places with something unread, as the user may see it now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.mail.content import Excerpt
from sobremesa.domains.notifications.entities import Level

Unit: TypeAlias = Literal["message", "mention", "notification"]


class UnreadPlace(NamedTuple):
    """A conversation, thread, channel or inbox with something unread."""

    title: str
    path: str
    """The path in the web client."""
    unit: Unit
    times_ms: Sequence[int]
    """The times of what is unread, up to a limit."""
    is_capped: bool
    """Whether there is more."""
    excerpts: Sequence[Excerpt]


class UnreadPlaces(Protocol):
    """Finds what a user has not read."""

    async def find(self, actor: Actor, levels: Mapping[RoomId, Level]) -> Sequence[UnreadPlace]:
        """Return the places with something unread that is worth a digest, most important first."""
        ...


class Connections(Protocol):
    """Knows which users are connected."""

    async def is_online(self, user_id: UserId) -> bool: ...
