"""The lines of an import: messages, and the servers and rooms that they are in."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.errors import Invalid
from sobremesa.core.ids import RoomKindName
from sobremesa.http.endpoints import Input
from sobremesa.rooms.service import MAX_CONTENT

MAX_ATTACHMENTS = 10
MAX_MEMBERS = 1000
MAX_PARTICIPANTS = 91

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Topic: TypeAlias = Annotated[str, msgspec.Meta(max_length=1024)]
Reference: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]


class FileRecord(Input):
    """A file of a message: a path beside the imported file, or a URL."""

    path: Annotated[str, msgspec.Meta(min_length=1, max_length=1024)] | None = None
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=2048)] | None = None
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=1024)] | None = None


class MessageRecord(Input):
    """A message."""

    room: Reference
    author: Reference
    created_at: Time
    nonce: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    content: Annotated[str, msgspec.Meta(max_length=MAX_CONTENT)] = ""
    reply_to: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    reply_to_created_at: Time | None = None
    attachments: Annotated[list[FileRecord], msgspec.Meta(max_length=MAX_ATTACHMENTS)] = []
    type: Literal["text", "system"] = "text"
    room_kind: RoomKindName | None = None


class ServerRecord(Input):
    """A server to create, with its members."""

    type: Literal["server"]
    key: Reference
    name: Name
    owner: Reference
    members: Annotated[list[Reference], msgspec.Meta(max_length=MAX_MEMBERS)] = []


class ChannelRecord(Input):
    """A channel to create."""

    type: Literal["channel"]
    key: Reference
    server: Reference
    name: Name
    topic: Topic | None = None


class ConversationRecord(Input):
    """A conversation to create. The first member is the admin of a group; a direct one has two members."""

    type: Literal["conversation"]
    key: Reference
    members: Annotated[list[Reference], msgspec.Meta(min_length=2, max_length=MAX_PARTICIPANTS)]
    name: Name | None = None
    direct: bool = False


RoomRecord: TypeAlias = ServerRecord | ChannelRecord | ConversationRecord


class Line(NamedTuple):
    """A line of an import."""

    number: int
    text: bytes | None
    """None for a line that is too long."""


class _Typed(msgspec.Struct):
    type: Any = "text"


_decode_type = msgspec.json.Decoder(_Typed).decode
_decode_message = msgspec.json.Decoder(MessageRecord).decode
_decoders: dict[object, Any] = {
    "server": msgspec.json.Decoder(ServerRecord).decode,
    "channel": msgspec.json.Decoder(ChannelRecord).decode,
    "conversation": msgspec.json.Decoder(ConversationRecord).decode,
}


def decode(text: bytes) -> MessageRecord | RoomRecord:
    """Return the record of a line; Invalid with the field that is wrong."""
    try:
        if b'"type"' in text:
            kind = _decode_type(text).type
            if isinstance(kind, str) and kind in _decoders:
                record: RoomRecord = _decoders[kind](text)
                return record
        return _decode_message(text)
    except msgspec.ValidationError as error:
        raise Invalid(f"{error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Invalid("The line is not valid JSON.") from None
