"""Visibility: who may see what was written. Every way out of a room asks here: history, previews, events, cards, tabs.

What is blocked, be it a message, a card or a tab, is for its author and the moderators only. In a room with safe mode,
so is what is flagged or may not be for everybody (`nsfwBand` above 0). What is withheld keeps its place, as a tombstone
does.
"""

from __future__ import annotations

from typing import Protocol

from sobremesa.core.actor import UserId
from sobremesa.rooms.access import Seat
from sobremesa.rooms.entities import BLOCKED, CLEAN, Message


class Moderated(Protocol):
    """What moderation has an opinion of: a message, a card, a tab."""

    @property
    def moderation(self) -> str: ...

    @property
    def nsfw_band(self) -> int | None: ...

    @property
    def author_id(self) -> UserId | None: ...


def withholds(moderation: str, nsfw_band: int | None, *, safe_mode: bool) -> bool:
    """Is a message of which moderation says this kept from ordinary readers?"""
    if moderation == BLOCKED:
        return True
    return safe_mode and (moderation != CLEAN or bool(nsfw_band))


def is_withheld(written: Moderated, *, safe_mode: bool) -> bool:
    """Is its content kept from ordinary readers?"""
    return withholds(written.moderation, written.nsfw_band, safe_mode=safe_mode)


def may_see(seat: Seat, written: Moderated) -> bool:
    """May the person on this seat see its content?"""
    if not is_withheld(written, safe_mode=seat.safe_mode):
        return True
    return written.author_id == seat.user_id or "moderate" in seat.rights


def shown_text(message: Message, *, safe_mode: bool) -> str | None:
    """What everybody in the room may see of it: for previews."""
    if message.deleted or is_withheld(message, safe_mode=safe_mode):
        return None
    return message.content
