"""Positions in the stream: how far each shard was read, as text that another process can go on from."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from sobremesa.table.engines.protocol import Position
from sobremesa.table.errors import BadCursor


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True, rename=lambda name: name[0]):
    """How far one shard was read; from its beginning on if nothing else is said."""

    after: str = ""
    """The sequence number of the last change that was read."""

    iterator: str = ""
    """While nothing was read after NEWEST: where that was. The service forgets it after 15 minutes."""

    since_ms: int = 0
    """The time of NEWEST, to find the place again when the iterator is forgotten."""

    done: bool = False
    """The shard was read to its end."""


class StreamPosition(msgspec.Struct, frozen=True, array_like=True):
    """How far a stream was read, and when that was said."""

    label: str
    at_ms: int
    shards: dict[str, Checkpoint]

    def to_text(self) -> Position:
        """The position as one word of URL-safe text."""
        return Position(urlsafe_b64encode(_encode(self)).decode().rstrip("="))

    def has_reached(self, goal: StreamPosition) -> bool:
        """Was everything read here that had been read there? A shard that is done there and unknown here is over."""
        for shard_id, there in goal.shards.items():
            here = self.shards.get(shard_id, there if there.done else _UNREAD)
            if here.done or not (there.done or there.after):
                continue
            if there.done or not here.after or int(here.after) < int(there.after):
                return False
        return True


_UNREAD = Checkpoint()
_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(StreamPosition)


def position_from(text: Position) -> StreamPosition:
    """The position that `to_text` wrote so; BadCursor if it did not."""
    try:
        return _decoder.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise BadCursor(f"{text[:40]!r} is no position in a stream of DynamoDB") from None
