"""Ids: ULIDs that always increase, even when the clock goes back.

A ULID is 48 bits of milliseconds and 80 random bits in Crockford's base 32: 26 characters that sort by time.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NewType, TypeAlias

from sobremesa.core.clock import Clock

RoomId = NewType("RoomId", str)
MessageId = NewType("MessageId", str)
RoomKindName: TypeAlias = Literal["channel", "conversation", "thread"]

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
RANDOM_BITS = 80
POOL_BYTES = 1024
MAX_MS = 253_402_300_799_999
"""The last millisecond of the year 9999."""

# Python's own digits in base 32, in place of Crockford's; a character outside his alphabet becomes an invalid one.
_PYTHONS = "0123456789abcdefghijklmnopqrstuv"
_DIGITS = dict.fromkeys(range(128), "!") | dict(zip(map(ord, ALPHABET), _PYTHONS, strict=True))
_SHIFTS = range(5 * (LENGTH - 2), -1, -10)
_PAIRS = [high + low for high in ALPHABET for low in ALPHABET]


class Ids:
    """Mints ULIDs, each greater than all before it in this process."""

    def __init__(self, clock: Clock, random_bits: Callable[[int], int] | None = None) -> None:
        self._clock = clock
        self._random_bits = random_bits or RandomBits()
        self._last = 0
        self._last_text = ""

    def mint(self) -> str:
        """Return a new id: of the clock's millisecond, or just after the last id if the clock has not advanced."""
        now = self._clock.now_ms()
        if now > self._last >> RANDOM_BITS:
            fresh = (now << RANDOM_BITS) | self._random_bits(RANDOM_BITS)
        else:
            # A random step keeps ids hard to guess, where adding one would not.
            fresh = self._last + 1 + self._random_bits(RANDOM_BITS - 20)
        self._last = fresh
        self._last_text = text = encode(fresh)
        return text

    def mint_after(self, other: str) -> str:
        """Return a new id that is also greater than `other`, which another process may have minted.

        An id that is not a ULID has no position in this order and is ignored; the table compares the texts.
        """
        if other > self._last_text:  # ULIDs have the order of their texts
            with contextlib.suppress(ValueError):
                self._last = max(self._last, decode(other))
        return self.mint()


class RandomBits:
    """The system's own randomness, fetched for many ids at once."""

    def __init__(self) -> None:
        self._pool = b""
        self._drawn = 0

    def __call__(self, bits: int) -> int:
        size = (bits + 7) // 8
        if len(self._pool) < self._drawn + size:
            self._pool, self._drawn = secrets.token_bytes(POOL_BYTES), 0
        drawn = self._pool[self._drawn : self._drawn + size]
        self._drawn += size
        return int.from_bytes(drawn, "big") >> (size * 8 - bits)


def encode(number: int) -> str:
    """Return the 26 characters of a 128-bit number."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def decode(ulid: str) -> int:
    """Return the number of a ULID; raise ValueError if it is not one, or its time is after the year 9999.

    Such a time has no fixed-width text, and as the last minted id it would push every later id past the year 9999.
    """
    if len(ulid) != LENGTH or ulid[0] > "7" or not ulid.isascii():
        raise ValueError(f"not a ULID: {ulid!r}")
    try:
        number = int(ulid.translate(_DIGITS), 32)
    except ValueError:
        raise ValueError(f"not a ULID: {ulid!r}") from None
    if number >> RANDOM_BITS > MAX_MS:
        raise ValueError(f"not a ULID: {ulid!r}")
    return number


def is_ulid(text: str) -> bool:
    """Return whether this text is a ULID."""
    try:
        decode(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1024)
def time_of(ulid: str) -> int:
    """Return the millisecond in which a ULID was minted. Cached: a new id is asked for it several times."""
    return decode(ulid) >> RANDOM_BITS


def first_of(milliseconds: int) -> str:
    """Return the lowest id of a millisecond: a bound for ranges, never the id of a row."""
    return encode(milliseconds << RANDOM_BITS)
