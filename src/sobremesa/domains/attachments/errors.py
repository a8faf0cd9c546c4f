"""The refusals of attachments."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden, Invalid


class WrongType(Invalid):
    code = "wrong_type"
    default_detail = "The type of the content is not accepted, or is not the declared type."


class TooManyPixels(Invalid):
    code = "too_many_pixels"
    default_detail = "The image has too many pixels or frames."


class UnreadableImage(Invalid):
    code = "unreadable_image"
    default_detail = "The image cannot be read."


class UnsafeArchive(Invalid):
    code = "unsafe_archive"
    default_detail = "The archive is damaged, or unpacks to too many bytes."


class OneFile(Invalid):
    code = "one_file"
    default_detail = "The form must have exactly one part: a file named `file`."


class WrongSize(Invalid):
    code = "wrong_size"
    default_detail = "The size of the upload is not the declared size."


class AttachmentMissing(Invalid):
    code = "attachment_missing"
    default_detail = "One of the attachments does not exist, is not yours, or is in use."


class AttachmentInUse(Clash):
    code = "attachment_in_use"
    default_detail = "This file is attached to a message: delete the message instead."


class NoPresignedUploads(Clash):
    code = "no_presigned_uploads"
    default_detail = "This server stores files on its own disk: upload them to it directly."


class UploadMissing(Clash):
    code = "upload_missing"
    default_detail = "Nothing has been uploaded yet."


class UrlExpired(Forbidden):
    code = "address_expired"
    default_detail = "This URL has expired: request a new one."


class FilesUnavailable(Busy):
    """The file store does not respond, or responds with an error."""
