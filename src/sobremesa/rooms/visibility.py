"""Visibility: who may see content. History, previews, events, cards and tabs all use this rule.

Blocked content, be it a message, a card or a tab, is visible only to its author and to moderators. In a room with safe
mode, so is content that is flagged or has an `nsfwBand` above 0. A withheld message stays in the history without
content, as a tombstone does.
"""

from __future__ import annotations

from typing import Protocol

from sobremesa.core.actor import UserId
from sobremesa.rooms.access import Seat
from sobremesa.rooms.entities import BLOCKED, CLEAN, Message


class Moderated(Protocol):
    """Moderated content: a message, a card or a tab."""

    @property
    def moderation(self) -> str: ...

    @property
    def nsfw_band(self) -> int | None: ...

    @property
    def author_id(self) -> UserId | None: ...


def withholds(moderation: str, nsfw_band: int | None, *, safe_mode: bool) -> bool:
    """Return whether content in this moderation state is withheld from ordinary readers."""
    if moderation == BLOCKED:
        return True
    return safe_mode and (moderation != CLEAN or bool(nsfw_band))


def is_withheld(written: Moderated, *, safe_mode: bool) -> bool:
    """Return whether content is withheld from ordinary readers."""
    return withholds(written.moderation, written.nsfw_band, safe_mode=safe_mode)


def may_see(seat: Seat, written: Moderated) -> bool:
    """Return whether the user on this seat may see content."""
    if not is_withheld(written, safe_mode=seat.safe_mode):
        return True
    return written.author_id == seat.user_id or "moderate" in seat.rights


def shown_text(message: Message, *, safe_mode: bool) -> str | None:
    """Return the content that all users in the room may see, for previews."""
    if message.deleted or is_withheld(message, safe_mode=safe_mode):
        return None
    return message.content
