"""Kinds of room: the entities and access patterns that each kind passes to the shared services."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.rooms.entities import Flags, Head, Message, Nonce, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.table import Key, Lookup, Pattern, WritePattern

RoomKindName: TypeAlias = Literal["channel", "conversation", "thread"]


class RoomKind(msgspec.Struct, frozen=True, kw_only=True):
    """The entities and access patterns of one kind of room."""

    name: RoomKindName
    plural: str

    message: type[Message]
    head: type[Head]
    cursor: type[ReadCursor]
    stores_clean: bool = False
    """Whether a clean message stores its flags. Documented for threads; elsewhere a message without flags is clean."""
    stores_update: bool = False
    """Whether a new message stores `updatedAt`. Documented for channels; elsewhere an edit adds it."""
    cursor_is_seat: bool = False
    """Whether a user's cursor is also their seat in the room, so that reading must never create one."""
    nonce: type[Nonce]
    pin: type[Pin]
    reaction: type[Reaction]
    summary: type[ReactionSummary]

    messages: Pattern[Any]
    messages_by_id: Pattern[Any] | None
    """Finds a message by its id alone; without it the reader's rooms are searched."""
    rooms_of: Pattern[Any] | None = None
    """The rooms that a user is in."""
    head_by_key: Lookup[Any] | None = None
    message_by_key: Lookup[Any]
    pointer_by_id: Lookup[Any] | None = None
    """The pointer to another writer's message, for kinds whose keys hold a time and that have no index by id."""
    read_cursor: Lookup[Any]
    readers: Pattern[Any]
    nonce_by_key: Lookup[Any]
    pins: Pattern[Any]
    pin_by_key: Lookup[Any]
    reactions_of_page: Pattern[Any]
    reactions_of_message: Pattern[Any]
    reaction_by_key: Lookup[Any]
    reactors: Pattern[Any]
    reactions: Pattern[Any]
    reactions_to: Pattern[Any]

    send: WritePattern
    edit: WritePattern
    delete: WritePattern
    react: WritePattern
    set_pin: WritePattern
    mark_read: WritePattern

    def message_key(self, room_id: RoomId, message_id: MessageId) -> Key[Message]:
        """Return the key of a message; ValueError for an id that is not a ULID."""
        return self.message_by_key(room_id=room_id, message_id=message_id, **self.message.time_parts(message_id))

    def stored_verdict(self, flags: Flags | None, nsfw_band: int | None) -> dict[str, Any]:
        """Return the fields of a verdict that a message stores."""
        if not self.stores_clean:
            return {"flags": flags, "nsfw_band": nsfw_band}
        return {"flags": flags or Flags(), "nsfw_band": nsfw_band or 0}

    @property
    def has_time_in_keys(self) -> bool:
        """Whether the key of a message holds a time besides its id."""
        return bool(self.message.time_parts(MessageId(first_of(0))))

    def head_key(self, room_id: RoomId) -> Key[Head]:
        return self.head.key(room_id=room_id) if self.head_by_key is None else self.head_by_key(room_id=room_id)

    def cursor_key(self, room_id: RoomId, user_id: UserId) -> Key[ReadCursor]:
        return self.read_cursor(room_id=room_id, user_id=user_id)
