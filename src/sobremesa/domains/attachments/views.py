"""Files as clients see them, without their storage keys."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.clock import Instant
from sobremesa.domains.attachments.entities import Attachment, FileId, FileKind
from sobremesa.domains.attachments.stores import Presigned
from sobremesa.http.endpoints import Output

Name = Annotated[str, msgspec.Meta(examples=["table.png"])]
Mime = Annotated[str, msgspec.Meta(examples=["image/png"])]
Url = Annotated[
    str, msgspec.Meta(description="A path on this server, valid until `expiresAt`.", examples=["/v1/attachments/..."])
]


class AttachmentView(Output):
    """A file, with URLs to fetch it."""

    file_id: FileId
    name: Name
    kind: FileKind
    mime: Mime
    size: int
    width: int | None
    height: int | None
    url: Url
    preview_url: Url | None
    expires_at: Instant


class ReceivedView(Output):
    """An uploaded file; or only its id and the `presigned` request, if one was requested."""

    file_id: FileId
    name: Name | UnsetType = UNSET
    kind: FileKind | UnsetType = UNSET
    mime: Mime | UnsetType = UNSET
    size: int | UnsetType = UNSET
    width: int | UnsetType | None = UNSET
    height: int | UnsetType | None = UNSET
    url: Url | UnsetType = UNSET
    preview_url: Url | UnsetType | None = UNSET
    expires_at: Instant | UnsetType = UNSET
    presigned: Presigned | UnsetType = UNSET


def received(view: AttachmentView) -> ReceivedView:
    return ReceivedView(**msgspec.structs.asdict(view))


def in_message(file: Attachment) -> dict[str, Any]:
    """Return a file as a message stores and shows it, without absent values."""
    shown = {
        "kind": file.kind,
        "fileId": file.file_id,
        "name": file.name,
        "mime": file.mime,
        "size": file.size,
        "w": file.width,
        "h": file.height,
    }
    return {name: value for name, value in shown.items() if value is not None}
