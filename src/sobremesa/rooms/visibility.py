"""Visibility: who may see what a message says. Every way out of a room asks here: history, previews, events, search.

A blocked message is for its author and the moderators only. In a room with safe mode, so is one that is flagged or may
not be for everybody (`nsfwBand` above 0). What is withheld keeps its place, as a tombstone does.
"""

from __future__ import annotations

from sobremesa.rooms.door import Seat
from sobremesa.rooms.entities import BLOCKED, CLEAN, Message


def withholds(moderation: str, nsfw_band: int | None, *, safe_mode: bool) -> bool:
    """Is a message of which moderation says this kept from ordinary readers?"""
    if moderation == BLOCKED:
        return True
    return safe_mode and (moderation != CLEAN or bool(nsfw_band))


def is_withheld(message: Message, *, safe_mode: bool) -> bool:
    """Is what it says kept from ordinary readers?"""
    return withholds(message.moderation, message.nsfw_band, safe_mode=safe_mode)


def may_see(seat: Seat, message: Message) -> bool:
    """May the person on this seat see what it says?"""
    if not is_withheld(message, safe_mode=seat.safe_mode):
        return True
    return message.author_id == seat.user_id or "moderate" in seat.rights


def shown_text(message: Message, *, safe_mode: bool) -> str | None:
    """What everybody in the room may see of it: for previews."""
    if message.deleted or is_withheld(message, safe_mode=safe_mode):
        return None
    return message.content
