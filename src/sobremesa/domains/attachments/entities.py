"""The rows of files, and their access patterns. The bytes are in a file store, under keys that clients never see."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Lookup, WritePattern

FileId = NewType("FileId", str)
FileKind: TypeAlias = Literal["preview", "manifest"]
"""A `preview` is an image with a small version; a `manifest` is shown by its name and size."""
FileState: TypeAlias = Literal["waiting", "ready"]


class Attachment(Entity):
    """An uploaded file. Until it is attached to a message, only its owner may fetch it, and it expires after a day."""

    keys = Keys(pk="FILE#{file_id}", sk="META")
    expires = "ttl"
    redacted = ("storage_key", "preview_key")

    file_id: FileId
    owner_id: UserId
    tenant: Tenant | None = None
    """The tenant of the owner; absent for the default one."""
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
    """An avatar or an icon: all signed-in users of the tenant may fetch it."""
    room_kind: str | None = None
    room_id: str | None = None
    message_id: str | None = None
    is_kept: bool = False
    """Part of a record: it stays when its message is deleted."""
    created_at: Instant
    ttl: int | None = None

    @property
    def stored_keys(self) -> list[str]:
        """The storage keys of the file and its preview."""
        return list(dict.fromkeys(key for key in (self.storage_key, self.preview_key) if key is not None))

    def is_hidden_from(self, actor: Actor) -> bool:
        """Return whether this is a public file of another tenant. Other files are their owner's and their room's."""
        return self.public and self.owner_id != actor.user_id and not actor.is_of(self.tenant)


file_by_id = Lookup("FILE.1", "Which file is this?", Attachment, consistent=True)

keep_file = WritePattern("FILE.2", "Store a file that was uploaded, or will be by a presigned request", Attachment)
complete_file = WritePattern("FILE.3", "Complete a file that was uploaded directly to the file store", Attachment)
discard_file = WritePattern("FILE.4", "Delete a file", Attachment)
