"""The rows of files, and what can be asked about them. The bytes are in a store of files, under keys nobody sees."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Lookup, WritePattern

FileId = NewType("FileId", str)
FileKind: TypeAlias = Literal["preview", "manifest"]
"""With a small picture of it, or by its name and size alone."""
FileState: TypeAlias = Literal["waiting", "ready"]


class Attachment(Entity):
    """A file that somebody uploaded. Until a message has it, it is its owner's alone, and goes after a day."""

    keys = Keys(pk="FILE#{file_id}", sk="META")
    expires = "ttl"

    file_id: FileId
    owner_id: UserId
    name: str
    kind: FileKind = "manifest"
    mime: str
    size: int
    width: int | None = None
    height: int | None = None
    storage_key: str
    preview_key: str | None = None
    sha256: str | None = None
    state: FileState = "ready"
    public: bool = False
    """A face or an icon: everybody who is signed in may fetch it."""
    room_kind: str | None = None
    room_id: str | None = None
    message_id: str | None = None
    is_kept: bool = False
    """Part of a record: it stays when the message that brought it goes."""
    created_at: Instant
    ttl: int | None = None

    @property
    def stored_keys(self) -> list[str]:
        """Under which keys its bytes are."""
        return list(dict.fromkeys(key for key in (self.storage_key, self.preview_key) if key is not None))


file_by_id = Lookup("FILE.1", "Which file is this?", Attachment, consistent=True)

keep_file = WritePattern("FILE.2", "Keep a file that was uploaded, or the place of one that will be", Attachment)
complete_file = WritePattern("FILE.3", "Take in what was uploaded to the store of files directly", Attachment)
discard_file = WritePattern("FILE.4", "Let go of a file", Attachment)
