"""The refusals of imports: most are of one line, and do not stop the others."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid, NotFound


class RoomMissing(NotFound):
    code = "room_not_found"
    default_detail = "There is no such room in this tenant."


class WrongTime(Invalid):
    code = "wrong_time"
    default_detail = "createdAt must be a time after 2001-09-09T01:46:40Z, and not in the future."


class LineTooLong(Invalid):
    code = "line_too_long"
    default_detail = "The line is too long."


class AttachmentRefused(Invalid):
    code = "attachment_refused"
    default_detail = "Only the command imports attachments by path, from files beside the imported one: use a url."


class KeyOfAnother(Clash):
    code = "key_of_another"
    default_detail = "This key was used for something of another type."
