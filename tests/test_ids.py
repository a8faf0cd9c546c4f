"""Invalid ids do no harm."""

from __future__ import annotations

import pytest

from sobremesa.core.clock import SetClock, instant
from sobremesa.core.ids import MAX_MS, Ids, encode, first_of, is_ulid, time_of

LATEST = encode((1 << 128) - 1)
LAST_OF_9999 = encode((MAX_MS << 80) | ((1 << 80) - 1))


def test_an_id_of_a_time_after_the_year_9999_is_none() -> None:
    assert not is_ulid(LATEST)
    assert not is_ulid(first_of(MAX_MS + 1))
    with pytest.raises(ValueError, match="not a ULID"):
        time_of(LATEST)
    assert instant(time_of(LAST_OF_9999)) == "9999-12-31T23:59:59.999Z"


def test_an_id_of_the_far_future_does_not_move_those_that_are_minted_after_it() -> None:
    """Such an id may stand in a table that others write to."""
    clock = SetClock()
    minted = Ids(clock).mint_after(LATEST)
    assert time_of(minted) == clock.now_ms()
