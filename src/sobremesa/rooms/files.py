"""The interface of rooms to attachments."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from sobremesa.core.actor import Actor, UserId
from sobremesa.rooms.entities import Message
from sobremesa.table import Operation


class Files(Protocol):
    """Uploaded files."""

    async def attachable(self, actor: Actor, file_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return what a message stores about files; refused unless the actor owns all of them and none is attached."""
        ...

    def attaching(self, file_id: str, *, room_kind: str, room_id: str, message_id: str, owner_id: UserId) -> Operation:
        """Return the operation that attaches a file to a message, for the message's transaction."""
        ...

    def deleting(self, file_ids: Sequence[str]) -> AbstractAsyncContextManager[list[Operation]]:
        """Yield the operations that delete files, for a transaction inside the block; then delete their bytes."""
        ...


def files_of(message: Message) -> list[str]:
    """Return the ids of a message's files."""
    return [file["fileId"] for file in message.attachments or () if "fileId" in file]
