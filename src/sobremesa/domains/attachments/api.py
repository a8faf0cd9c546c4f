"""The routes of files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.domains.attachments.addresses import What
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.errors import (
    AddressExpired,
    AttachmentInUse,
    NoPresignedUploads,
    OneFile,
    TooManyPixels,
    UnreadableImage,
    UnsafeArchive,
    UploadMissing,
    WrongSize,
    WrongType,
)
from sobremesa.domains.attachments.receiving import arriving
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.attachments.serving import asked_range, headers_of
from sobremesa.domains.attachments.views import AttachmentView, ReceivedView, received
from sobremesa.http.endpoints import Content, Input, Listed, Routes, Upload
from sobremesa.http.problems import MalformedRequest

MAX_AT_ONCE = 50
FORM_BYTES = 16_384
"""What a form adds to the file that is in it."""

FileName = Annotated[str, msgspec.Meta(min_length=1, max_length=1024, examples=["table.png"])]
REFUSED = (WrongType, TooManyPixels, UnreadableImage, UnsafeArchive)


class UploadQuery(Input):
    """What the file is called and what it is for."""

    name: Annotated[FileName, msgspec.Meta(description="Its name, where the body does not tell it.")] | None = None
    purpose: Annotated[
        Literal["message", "avatar"],
        msgspec.Meta(description="An avatar is a picture that everybody who is signed in may fetch."),
    ] = "message"


class NewFile(Input):
    """A file that will be uploaded to the store of files directly."""

    name: FileName
    mime: Annotated[str, msgspec.Meta(min_length=1, max_length=200, examples=["image/png"])]
    size: Annotated[int, msgspec.Meta(ge=1, le=2**53, examples=[20_000])]


class SeveralQuery(Input):
    """Several files at once."""

    ids: Annotated[
        str,
        msgspec.Meta(
            pattern=rf"^[0-9A-Z]{{26}}(,[0-9A-Z]{{26}}){{0,{MAX_AT_ONCE - 1}}}$",
            description=f"Up to {MAX_AT_ONCE} ids of files, with commas between them.",
            examples=["01JGSYB3ZZ4Q0X5V6W7E8R9T0A"],
        ),
    ]


class TokenQuery(Input):
    """The token of a signed address."""

    token: Annotated[str, msgspec.Meta(min_length=1, max_length=1024)]


def routes(attachments: Attachments) -> Routes:
    """The routes of all files."""
    api = Routes("Attachments")
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
        """Upload a file, to be sent with a message within a day.

        As a form with one part named `file`, or as the bytes themselves with `name`. What it is, its content decides.
        With JSON instead one asks for a request (`presigned`) that uploads it to S3 directly, where files are kept
        there; afterwards it is completed.
        """
        public = query.purpose == "avatar"
        if body is not None:
            file_id, presigned = await attachments.invite(
                actor, name=body.name, mime=body.mime, size=body.size, public=public
            )
            return ReceivedView(file_id=file_id, presigned=presigned)
        if upload is None:
            raise MalformedRequest
        return received(await attachments.receive(actor, await arriving(upload, query.name), public=public))

    @api.post(f"{file}/complete", errors=[*REFUSED, WrongSize, UploadMissing], limit="upload")
    async def complete_attachment(actor: Actor, file_id: FileId) -> AttachmentView:
        """Take in a file that was uploaded by a presigned request, after a look at its content."""
        return await attachments.complete(actor, file_id)

    @api.get("/attachments")
    async def list_attachments(actor: Actor, query: SeveralQuery) -> Listed[AttachmentView]:
        """Several files with fresh addresses, such as the avatars of a room; those one may not fetch are left out."""
        file_ids = [FileId(file_id) for file_id in dict.fromkeys(query.ids.split(","))]
        return Listed(await attachments.get_several(actor, file_ids))

    @api.get(file)
    async def get_attachment(actor: Actor, file_id: FileId) -> AttachmentView:
        """A file with fresh addresses: one's own, or one of a room that one may read."""
        return await attachments.get(actor, file_id)

    @api.delete(file, errors=[AttachmentInUse])
    async def delete_attachment(actor: Actor, file_id: FileId) -> None:
        """Let go of one's own file that no message has."""
        await attachments.remove(actor, file_id)

    @api.get(f"{file}/content", errors=[AddressExpired])
    async def get_content(file_id: FileId, query: TokenQuery, byte_range: str | None = None) -> Content:
        """The bytes of a file, by a signed address; whoever it was made for must still have the right."""
        return await content(file_id, "content", query.token, byte_range)

    @api.get(f"{file}/preview", errors=[AddressExpired])
    async def get_preview(file_id: FileId, query: TokenQuery, byte_range: str | None = None) -> Content:
        """A small picture of a picture, by a signed address."""
        return await content(file_id, "preview", query.token, byte_range)

    async def content(file_id: FileId, what: What, token: str, byte_range: str | None) -> Content:
        opened = await attachments.open(file_id, what, token)
        if opened.address is not None:
            return Content.at(opened.address)
        size = await attachments.store.size(opened.key)
        if size is None:
            raise NotFound
        start, end = asked_range(byte_range, size)
        pieces = attachments.store.read(opened.key, start, end)
        return Content(pieces, headers_of(opened.manner, start, end, size), status=206 if end - start < size else 200)

    return api
