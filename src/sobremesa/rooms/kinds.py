"""Kinds of room: what each kind passes to the shared services, and the patterns that follow from its entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId, RoomKindName, first_of
from sobremesa.rooms.entities import Flags, Head, Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.nonces import RoomNonce
from sobremesa.table import Key, Lookup, Pattern, PatternGroup, WritePattern

READS: Final = (
    "nonce_in_room",
    "pins",
    "pin_by_key",
    "reactions_of_page",
    "reactions_of_message",
    "reaction_by_key",
    "reactors",
    "reactions",
    "reactions_to",
)
WRITES: Final = ("edit", "delete", "react", "set_pin", "mark_read")


class PatternIds(NamedTuple):
    """The ids of the patterns that a kind derives: a prefix, and the numbers of `READS` and of `WRITES` in order."""

    prefix: str
    reads: Sequence[int]
    writes: Sequence[int]

    def of(self, name: str) -> str:
        """Return the id of a pattern."""
        numbers = dict(zip((*READS, *WRITES), (*self.reads, *self.writes), strict=True))
        return f"{self.prefix}.{numbers[name]}"


class RoomKind(PatternGroup, frozen=True, kw_only=True, dict=True):
    """The entities of one kind of room, the access patterns that are its own, and those that all kinds have."""

    name: RoomKindName
    plural: str
    ids: PatternIds
    questions: Mapping[str, str] = {}
    """The questions of derived patterns that this kind words differently."""

    message: type[Message]
    head: type[Head]
    cursor: type[ReadCursor]
    nonce: type[RoomNonce]
    """The nonces of earlier versions."""
    pin: type[Pin]
    reaction: type[Reaction]
    summary: type[ReactionSummary]
    has_preview: bool = False
    """Whether the head has the text of the last message, so that an edit or a deletion changes it."""
    stores_clean: bool = False
    """Whether a clean message stores its flags. Documented for threads; elsewhere a message without flags is clean."""
    stores_update: bool = False
    """Whether a new message stores `updatedAt`. Documented for channels; elsewhere an edit adds it."""
    cursor_is_seat: bool = False
    """Whether a user's cursor is also their seat in the room, so that reading must never create one."""

    messages: Pattern[Message]
    messages_by_id: Pattern[Message] | None = None
    """Finds a message by its id alone; without it the reader's rooms are searched."""
    rooms_of: Pattern[ReadCursor] | None = None
    """The rooms that a user is in."""
    head_by_key: Lookup[Head]
    message_by_key: Lookup[Message]
    pointer_by_id: Lookup[Any] | None = None
    """The pointer to another writer's message, for kinds whose keys hold a time and that have no index by id."""
    read_cursor: Lookup[ReadCursor]
    readers: Pattern[ReadCursor]
    send: WritePattern
    import_messages: WritePattern

    def patterns(self) -> list[Pattern[Any] | Lookup[Any] | WritePattern]:
        """Return the patterns that follow from the entities."""
        return [getattr(self, name) for name in (*READS, *WRITES)]

    @cached_property
    def nonce_in_room(self) -> Lookup[RoomNonce]:
        asked = self._asked("nonce_in_room", "Which message did this nonce of an earlier version create?")
        return Lookup(*asked, self.nonce, consistent=True)

    @cached_property
    def pins(self) -> Pattern[Pin]:
        return Pattern(*self._asked("pins", f"What is pinned in this {self.name}?"), self.pin, newest_first=True)

    @cached_property
    def pin_by_key(self) -> Lookup[Pin]:
        return Lookup(*self._asked("pin_by_key", "Is this message pinned?"), self.pin)

    @cached_property
    def reactions_of_page(self) -> Pattern[ReactionSummary]:
        asked = self._asked("reactions_of_page", "What are the reactions to the messages from one to another?")
        return Pattern(*asked, self.summary, between=("RSUM#{oldest}", "RSUM#{newest}$"))

    @cached_property
    def reactions_of_message(self) -> Pattern[ReactionSummary]:
        asked = self._asked("reactions_of_message", "What are the reactions to this message?")
        return Pattern(*asked, self.summary, prefix="RSUM#{message_id}#", consistent=True)

    @cached_property
    def reaction_by_key(self) -> Lookup[Reaction]:
        return Lookup(*self._asked("reaction_by_key", "Did this user react with this emoji?"), self.reaction)

    @cached_property
    def reactors(self) -> Pattern[Reaction]:
        asked = self._asked("reactors", "Who reacted with this emoji?")
        return Pattern(*asked, self.reaction, prefix="REACT#{message_id}#{emoji_hex}#")

    @cached_property
    def reactions(self) -> Pattern[Reaction]:
        return Pattern(*self._asked("reactions", f"Who reacted to what in this {self.name}?"), self.reaction)

    @cached_property
    def reactions_to(self) -> Pattern[Reaction]:
        asked = self._asked("reactions_to", "Who reacted to this message?")
        return Pattern(*asked, self.reaction, prefix="REACT#{message_id}#", consistent=True)

    @cached_property
    def edit(self) -> WritePattern:
        return WritePattern(*self._asked("edit", f"Edit a message{self._and_preview}"), *self._changed)

    @cached_property
    def delete(self) -> WritePattern:
        asked = f"Delete a message, leaving a tombstone without pin and reactions{self._and_preview}"
        return WritePattern(*self._asked("delete", asked), *self._changed, self.pin, self.reaction, self.summary)

    @cached_property
    def react(self) -> WritePattern:
        return WritePattern(*self._asked("react", "Add or remove a reaction"), self.reaction, self.summary)

    @cached_property
    def set_pin(self) -> WritePattern:
        return WritePattern(*self._asked("set_pin", "Pin or unpin a message"), self.pin, self.message)

    @cached_property
    def mark_read(self) -> WritePattern:
        asked = f"Move a read cursor forward, or mute a {self.name}"
        return WritePattern(*self._asked("mark_read", asked), self.cursor)

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

    def cursor_key(self, room_id: RoomId, user_id: UserId) -> Key[ReadCursor]:
        return self.read_cursor(room_id=room_id, user_id=user_id)

    @property
    def _changed(self) -> tuple[type[Message], type[Head]]:
        return (self.message, self.head)

    @property
    def _and_preview(self) -> str:
        return ", and the preview of it" if self.has_preview else ""

    def _asked(self, name: str, question: str) -> tuple[str, str]:
        """Return the id of a pattern, and its question."""
        return self.ids.of(name), self.questions.get(name, question)
