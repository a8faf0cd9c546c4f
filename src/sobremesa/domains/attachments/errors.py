"""What attachments refuse."""

from __future__ import annotations

from sobremesa.core.errors import Busy, Clash, Forbidden, Invalid


class WrongType(Invalid):
    code = "wrong_type"
    says = "The content is of no type that is taken, or not of the type that was declared."


class TooManyPixels(Invalid):
    code = "too_many_pixels"
    says = "The image has too many pixels or frames."


class UnreadableImage(Invalid):
    code = "unreadable_image"
    says = "The image cannot be read."


class UnsafeArchive(Invalid):
    code = "unsafe_archive"
    says = "The archive is damaged, or unpacks to too much."


class OneFile(Invalid):
    code = "one_file"
    says = "The form must have one part: a file, named file."


class WrongSize(Invalid):
    code = "wrong_size"
    says = "What was uploaded is not as large as it was said to be."


class AttachmentMissing(Invalid):
    code = "attachment_missing"
    says = "One of the attachments is not there, not yours, or in use."


class AttachmentInUse(Clash):
    code = "attachment_in_use"
    says = "A message has this file: delete the message."


class NoPresignedUploads(Clash):
    code = "no_presigned_uploads"
    says = "Files are kept on this server's disk: send them to it."


class UploadMissing(Clash):
    code = "upload_missing"
    says = "Nothing has been uploaded yet."


class AddressExpired(Forbidden):
    code = "address_expired"
    says = "This address has expired: ask for a new one."


class FilesUnavailable(Busy):
    """The place where files are kept does not answer, or not as it should."""
