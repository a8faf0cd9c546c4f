"""Ids of inbox messages: the time in base 36, then random digits, both of fixed width and in lower case.

They are ULIDs in base 36, so they are as unique, and strictly increasing in a process. Eight digits of milliseconds
last until 2059, and sort correctly among older ids, whose time has no fixed width.
"""

from __future__ import annotations

from typing import Annotated, NewType

import msgspec

from sobremesa.core.ids import RANDOM_BITS, Ids, decode, encode

InboxMessageId = NewType("InboxMessageId", str)
ShownInboxMessageId = Annotated[InboxMessageId, msgspec.Meta(examples=["mi1jbgy8050k1x9d3w7z2q4t"])]
"""The id in the API, with an example: unlike most ids it is not a ULID."""

TIME_DIGITS = 8
RANDOM_DIGITS = 16
LENGTH = TIME_DIGITS + RANDOM_DIGITS

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class MessageIds:
    """Mints ids, each greater than all before it in this process."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def mint(self) -> InboxMessageId:
        return _of_ulid(self._ids.mint())

    def mint_after(self, other: str | None) -> InboxMessageId:
        """Return an id that is also greater than another one, which may have another format."""
        minted = self.mint()
        if other is None or minted > other:
            return minted
        try:
            return _of_ulid(self._ids.mint_after(_ulid_of(other)))
        except ValueError:
            # Another format: any id of the next millisecond is greater.
            return _of_ulid(self._ids.mint_after(encode((int(other[:TIME_DIGITS], 36) + 1) << RANDOM_BITS)))


def first_after(milliseconds: int) -> str:
    """Return a string that sorts before every id of a millisecond, and after all earlier ids."""
    return base36(milliseconds, TIME_DIGITS)


def base36(number: int, width: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits.rjust(width, "0")


def _of_ulid(ulid: str) -> InboxMessageId:
    number = decode(ulid)
    random = number & ((1 << RANDOM_BITS) - 1)
    return InboxMessageId(base36(number >> RANDOM_BITS, TIME_DIGITS) + base36(random, RANDOM_DIGITS))


def _ulid_of(message_id: str) -> str:
    if len(message_id) != LENGTH:
        raise ValueError(f"not an inbox message id: {message_id!r}")
    return encode((int(message_id[:TIME_DIGITS], 36) << RANDOM_BITS) | int(message_id[TIME_DIGITS:], 36))
