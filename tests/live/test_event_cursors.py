"""Event cursors: what a feed formats, it parses; everything else is refused."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from itertools import pairwise

import pytest

from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.feed import BadEventCursor, FeedPosition
from sobremesa.table.cursor import Seal

CURSORS = EventCursors(b"secret")


@pytest.mark.parametrize(
    "position",
    [
        FeedPosition(0, 0, "0123456789abcdef", 7, offset=1 << 30),
        FeedPosition(0, 0, "1fedcba987654", 12, 4_294_967_295, 3),
        FeedPosition(0, 0, "epoch", 1_790_000_000_000, offset=2),
    ],
)
def test_a_formatted_position_is_parsed_to_the_same(position: FeedPosition) -> None:
    assert CURSORS.parse(CURSORS.format(position, 1_790_000_000_123)) == (position, 1_790_000_000_123)


@pytest.mark.parametrize("text", ["store", "store.1.2.3", "store.1.2.3.4.5", "store.1-2-3.4", "store.1.0.x.3"])
def test_a_signed_text_of_another_form_is_refused(text: str) -> None:
    signature = urlsafe_b64encode(Seal(b"secret of places").sign(text.encode())).decode()
    with pytest.raises(BadEventCursor):
        CURSORS.parse(f"{text}.{signature}")


def test_positions_are_ordered_by_generation_then_number_then_offset() -> None:
    ordered = [
        FeedPosition(0, 1, "z", 9, offset=9),
        FeedPosition(0, 99, "b", 1),
        FeedPosition(1, 0, "a", 1),
        FeedPosition(1, 0, "a", 1, stretch=5, offset=1),
        FeedPosition(1, 0, "a", 1, stretch=5, offset=2),
        FeedPosition(1, 0, "a", 2),
    ]
    assert all(before < after for before, after in pairwise(ordered))
