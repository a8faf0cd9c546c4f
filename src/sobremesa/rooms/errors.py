"""What a room refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class NonceReused(Clash):
    code = "nonce_reused"
    says = "This nonce was used for a message with another body."


class EmptyMessage(Invalid):
    code = "empty_message"
    says = "Say something, or attach a file."


class ReplyMissing(Invalid):
    code = "reply_missing"
    says = "The message that this replies to is not in this room."


class NotAnEmoji(Invalid):
    code = "not_an_emoji"
    says = "A reaction is one emoji."


class TooManyEmoji(Clash):
    code = "too_many_emoji"
    says = "This message has as many different reactions as a message may have."


class TooManyPins(Clash):
    code = "too_many_pins"
    says = "This room has as many pins as a room may have: take one away first."


class ClockBehind(Clash):
    """A clock that the application brought says an earlier time than the last message has.

    A room has one order, so the message could only be written with a later time than the application means.
    """

    code = "clock_behind"
    says = "The clock is behind the last message that was sent: send messages in the order of their times."


class OneDirection(Invalid):
    code = "one_direction"
    says = "Give only one of before, after and around."


class PartOfRecord(Forbidden):
    code = "part_of_record"
    says = "This message is part of a record: it cannot be changed or taken back."
