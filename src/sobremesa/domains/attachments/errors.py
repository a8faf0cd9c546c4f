"""The refusals of attachments."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden, Invalid


class WrongType(Invalid):
    code = "wrong_type"
    says = "The type of the content is not accepted, or is not the declared type."


class TooManyPixels(Invalid):
    code = "too_many_pixels"
    says = "The image has too many pixels or frames."


class UnreadableImage(Invalid):
    code = "unreadable_image"
    says = "The image cannot be read."


class UnsafeArchive(Invalid):
    code = "unsafe_archive"
    says = "The archive is damaged, or unpacks to too many bytes."


class OneFile(Invalid):
    code = "one_file"
    says = "The form must have exactly one part: a file named `file`."


class WrongSize(Invalid):
    code = "wrong_size"
    says = "The size of the upload is not the declared size."


class AttachmentMissing(Invalid):
    code = "attachment_missing"
    says = "One of the attachments does not exist, is not yours, or is in use."


class AttachmentInUse(Clash):
    code = "attachment_in_use"
    says = "This file is attached to a message: delete the message instead."


class NoPresignedUploads(Clash):
    code = "no_presigned_uploads"
    says = "This server stores files on its own disk: upload them to it directly."


class UploadMissing(Clash):
    code = "upload_missing"
    says = "Nothing has been uploaded yet."


class UrlExpired(Forbidden):
    code = "address_expired"
    says = "This URL has expired: request a new one."


class FilesUnavailable(Busy):
    """The file store does not respond, or responds with an error."""
