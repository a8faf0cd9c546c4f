"""The mail about what is unread."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.domains.mail.content import Block, Button, MailContent, Source, Text
from sobremesa.domains.notifications.unread import Unit, UnreadPlace

MAX_PLACES = 10
_UNITS: dict[Unit, tuple[str, str]] = {
    "mention": ("mention", "mentions"),
    "message": ("unread message", "unread messages"),
    "notification": ("notification", "notifications"),
}


def digest_mail(username: str, places: Sequence[UnreadPlace], public_url: str, unsubscribe_url: str) -> MailContent:
    """Return the digest of these places; the first of them are shown, the others counted."""
    shown = places[:MAX_PLACES]
    more = len(places) - len(shown)
    blocks: list[Block] = [Text(f"Hello {username},"), Text("this is waiting for you:")]
    blocks += [Source(place.title, _amount(place), public_url + place.path, place.excerpts) for place in shown]
    if more:
        blocks.append(Text(f"And {more} more {'place' if more == 1 else 'places'}."))
    blocks.append(Button("Open", f"{public_url}/"))
    return MailContent(
        subject=_subject(places),
        blocks=blocks,
        footer=[
            Text("You receive this because you have not read these messages yet."),
            Button("Settings", f"{public_url}/settings"),
            Button("Unsubscribe", unsubscribe_url),
        ],
    )


def _subject(places: Sequence[UnreadPlace]) -> str:
    counts = []
    for unit in _UNITS:
        of_unit = [place for place in places if place.unit == unit]
        if of_unit:
            total = sum(len(place.times_ms) for place in of_unit)
            counts.append(_count(unit, total, any(place.is_capped for place in of_unit)))
    *first, last = counts
    return f"You have {', '.join(first)} and {last}" if first else f"You have {last}"


def _amount(place: UnreadPlace) -> str:
    return _count(place.unit, len(place.times_ms), place.is_capped)


def _count(unit: Unit, count: int, is_capped: bool) -> str:
    one, many = _UNITS[unit]
    return f"{count}{'+' if is_capped else ''} {one if count == 1 and not is_capped else many}"
