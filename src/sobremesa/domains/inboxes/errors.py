"""The refusals of inboxes."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid, TooBig


class HostIdReused(Clash):
    code = "host_system_id_reused"
    default_detail = "This host system id was used for a message with another body."


class SegmentFull(Clash):
    code = "segment_full"
    default_detail = "The segment would have too many users."


class RecipientsUnknown(Clash):
    code = "recipients_unknown"
    default_detail = "The recipients of this message are not stored: an earlier version published it."


class BadDuration(Invalid):
    code = "bad_duration"
    default_detail = "A duration is a number followed by s, m, h, d or w, up to a hundred years."


class BadCategory(Invalid):
    code = "bad_category"
    default_detail = "A category must not be empty or *, contain # or start with $."


class BadRecipients(Invalid):
    code = "bad_recipients"
    default_detail = "Some of the user ids are invalid."


class NoSuchSegment(Invalid):
    code = "unknown_segment"
    default_detail = "There is no segment with this name."


class EmptySegment(Invalid):
    code = "empty_segment"
    default_detail = "The segment has no users."


class BadSchema(Invalid):
    code = "bad_schema"
    default_detail = "The JSON schema is invalid, or has external references."


class BodyBreaksSchema(Invalid):
    code = "body_breaks_schema"
    default_detail = "The body does not match the schema of the inbox."


class MessageTooBig(TooBig):
    default_detail = "The message is too large."


class PastSnooze(Invalid):
    code = "past_snooze"
    default_detail = "A snooze must end in the future, at most a hundred years from now."
