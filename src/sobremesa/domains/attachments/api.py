"""The routes of files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.errors import (
    AttachmentInUse,
    NoPresignedUploads,
    OneFile,
    TooManyPixels,
    UnreadableImage,
    UnsafeArchive,
    UploadMissing,
    UrlExpired,
    WrongSize,
    WrongType,
)
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.attachments.serving import parse_range, response_headers
from sobremesa.domains.attachments.signed_urls import Variant
from sobremesa.domains.attachments.uploads import parse_upload
from sobremesa.domains.attachments.views import AttachmentView, ReceivedView, received
from sobremesa.http.endpoints import Content, Input, Listed, Routes, Upload
from sobremesa.http.problems import MalformedRequest

MAX_AT_ONCE = 50
FORM_BYTES = 16_384
"""How many bytes a form adds to the file."""

FileName = Annotated[str, msgspec.Meta(min_length=1, max_length=1024, examples=["table.png"])]
REFUSED = (WrongType, TooManyPixels, UnreadableImage, UnsafeArchive)


class UploadQuery(Input):
    """The name and purpose of the file."""

    name: Annotated[FileName, msgspec.Meta(description="The file name, if the body does not contain it.")] | None = None
    purpose: Annotated[
        Literal["message", "avatar"],
        msgspec.Meta(description="An avatar is an image that all signed-in users may fetch."),
    ] = "message"


class NewFile(Input):
    """A file that the client will upload directly to the file store."""

    name: FileName
    mime: Annotated[str, msgspec.Meta(min_length=1, max_length=200, examples=["image/png"])]
    size: Annotated[int, msgspec.Meta(ge=1, le=2**53, examples=[20_000])]


class SeveralQuery(Input):
    """The files to return."""

    ids: Annotated[
        str,
        msgspec.Meta(
            pattern=rf"^[0-9A-Z]{{26}}(,[0-9A-Z]{{26}}){{0,{MAX_AT_ONCE - 1}}}$",
            description=f"Up to {MAX_AT_ONCE} file ids, separated by commas.",
            examples=["01JGSYB3ZZ4Q0X5V6W7E8R9T0A"],
        ),
    ]


class TokenQuery(Input):
    """The token of a signed URL."""

    token: Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]


def routes(attachments: Attachments) -> Routes:
    """Return the routes of files."""
    api = Routes("Attachments", "Files of messages: upload, preview and download.")
    file = "/attachments/{file_id}"

    @api.post(
        "/attachments",
        status=201,
        errors=[*REFUSED, OneFile, NoPresignedUploads],
        limit="upload",
        max_upload=attachments.max_bytes + FORM_BYTES,
    )
    async def create_attachment(
        actor: Actor, query: UploadQuery, upload: Upload | None = None, body: NewFile | None = None
    ) -> ReceivedView:
        """Upload a file, to be sent with a message within 24 hours.

        Send a form with one part named `file`, or the bytes themselves with `name`. The content determines the type.
        With S3, a JSON body returns a `presigned` request instead: upload the file to S3 with it, then complete the
        attachment.
        """
        public = query.purpose == "avatar"
        if body is not None:
            file_id, presigned = await attachments.presign(
                actor, name=body.name, mime=body.mime, size=body.size, public=public
            )
            return ReceivedView(file_id=file_id, presigned=presigned)
        if upload is None:
            raise MalformedRequest
        return received(await attachments.receive(actor, await parse_upload(upload, query.name), public=public))

    @api.post(f"{file}/complete", errors=[*REFUSED, WrongSize, UploadMissing], limit="upload")
    async def complete_attachment(actor: Actor, file_id: FileId) -> AttachmentView:
        """Inspect and store a file that was uploaded by a presigned request."""
        return await attachments.complete(actor, file_id)

    @api.get("/attachments")
    async def list_attachments(actor: Actor, query: SeveralQuery) -> Listed[AttachmentView]:
        """List several files with new URLs, such as a room's avatars. Files that you may not fetch are left out."""
        file_ids = [FileId(file_id) for file_id in dict.fromkeys(query.ids.split(","))]
        return Listed(await attachments.get_several(actor, file_ids))

    @api.get(file)
    async def get_attachment(actor: Actor, file_id: FileId) -> AttachmentView:
        """Return a file with new URLs: your own, or one of a room that you may read."""
        return await attachments.get(actor, file_id)

    @api.delete(file, errors=[AttachmentInUse])
    async def delete_attachment(actor: Actor, file_id: FileId) -> None:
        """Delete your own file that is not attached to a message."""
        await attachments.remove(actor, file_id)

    @api.get(f"{file}/content", errors=[UrlExpired])
    async def get_content(file_id: FileId, query: TokenQuery, byte_range: str | None = None) -> Content:
        """Download a file by its signed URL. The user of the URL must still have access."""
        return await content(file_id, "content", query.token, byte_range)

    @api.get(f"{file}/preview", errors=[UrlExpired])
    async def get_preview(file_id: FileId, query: TokenQuery, byte_range: str | None = None) -> Content:
        """Download the preview of an image by its signed URL."""
        return await content(file_id, "preview", query.token, byte_range)

    async def content(file_id: FileId, variant: Variant, token: str, byte_range: str | None) -> Content:
        opened = await attachments.open(file_id, variant, token)
        if opened.url is not None:
            return Content.at(opened.url)
        size = await attachments.store.size(opened.key)
        if size is None:
            raise NotFound
        start, end = parse_range(byte_range, size)
        pieces = attachments.store.read(opened.key, start, end)
        headers = response_headers(opened.headers, start, end, size)
        return Content(pieces, headers, status=206 if end - start < size else 200)

    return api
