"""Refusals of rooms."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class NonceReused(Clash):
    code = "nonce_reused"
    default_detail = "This nonce was used for a message with another body."


class EmptyMessage(Invalid):
    code = "empty_message"
    default_detail = "A message needs content or an attachment."


class ReplyMissing(Invalid):
    code = "reply_missing"
    default_detail = "The message that this replies to is not in this room."


class NotAnEmoji(Invalid):
    code = "not_an_emoji"
    default_detail = "A reaction must be a single emoji."


class TooManyEmoji(Clash):
    code = "too_many_emoji"
    default_detail = "This message has the maximum number of different reactions."


class TooManyPins(Clash):
    code = "too_many_pins"
    default_detail = "This room has the maximum number of pins: unpin a message first."


class ClockBehind(Clash):
    """The clock that the application provides is behind the time of the last message.

    A room has one order, so the message could only be written with a later time than the application intends.
    """

    code = "clock_behind"
    default_detail = "The clock is behind the last message of the room: send messages in the order of their times."


class OneDirection(Invalid):
    code = "one_direction"
    default_detail = "Give only one of before, after and around."


class PartOfRecord(Forbidden):
    code = "part_of_record"
    default_detail = "This message is part of a record: it cannot be edited or deleted."
