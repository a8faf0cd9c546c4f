"""Positions in the stream: how far each shard was read, as text from which another process can resume."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from sobremesa.table.engines.protocol import Position, RawChange
from sobremesa.table.errors import BadCursor


class Checkpoint(msgspec.Struct, frozen=True, omit_defaults=True, rename=lambda name: name[0]):
    """How far one shard was read; empty means from its start."""

    after: str = ""
    """The sequence number of the last change that was read."""

    iterator: str = ""
    """The iterator of NEWEST until a first change is read. It expires after 15 minutes."""

    since_ms: int = 0
    """The time of NEWEST, to find the position again when the iterator has expired."""

    done: bool = False
    """The shard was read to its end."""


class StreamPosition(msgspec.Struct, frozen=True, array_like=True):
    """How far a stream was read, and when."""

    label: str
    at_ms: int
    shards: dict[str, Checkpoint]

    def to_text(self) -> Position:
        """Return the position as URL-safe text."""
        return Position(urlsafe_b64encode(_encode(self)).decode().rstrip("="))

    def has_reached(self, goal: StreamPosition) -> bool:
        """Return whether this position is at or after another. A shard that is done there and unknown here is done."""
        for shard_id, there in goal.shards.items():
            here = self.shards.get(shard_id, there if there.done else _UNREAD)
            if here.done or not (there.done or there.after):
                continue
            if there.done or not here.after or int(here.after) < int(there.after):
                return False
        return True

    def includes(self, change: RawChange) -> bool:
        """Return whether a change is before this position. One of a shard that is unknown here comes after it."""
        read = self.shards.get(change.shard_id, _UNREAD)
        return read.done or (bool(read.after) and int(change.sequence) <= int(read.after))


_UNREAD = Checkpoint()
_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(StreamPosition)


def position_from(text: Position) -> StreamPosition:
    """Parse the text of a position; raise BadCursor if it is invalid."""
    try:
        return _decoder.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise BadCursor(f"{text[:40]!r} is not a position in a stream of DynamoDB") from None
