"""What an inbox refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid, TooBig


class HostIdReused(Clash):
    code = "host_system_id_reused"
    says = "This host system id stands for a message with another body."


class BadDuration(Invalid):
    code = "bad_duration"
    says = "A duration is a number and s, m, h, d or w, at most a hundred years."


class BadCategory(Invalid):
    code = "bad_category"
    says = "A category is not empty, not *, and has no # and no leading $."


class BadRecipients(Invalid):
    code = "bad_recipients"
    says = "Some of these cannot be ids of people."


class BadSchema(Invalid):
    code = "bad_schema"
    says = "This is no JSON schema, or it refers to something outside of itself."


class BodyBreaksSchema(Invalid):
    code = "body_breaks_schema"
    says = "The body is not what the schema of this inbox asks for."


class MessageTooBig(TooBig):
    says = "A message is too large."


class PastSnooze(Invalid):
    code = "past_snooze"
    says = "A message is snoozed until a time to come, at most a hundred years ahead."
