"""The content of mails, written once and rendered as plain text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec


class Text(msgspec.Struct, frozen=True):
    """A paragraph."""

    text: str


class Button(msgspec.Struct, frozen=True):
    """The action of the mail: a link with a label."""

    label: str
    url: str


class Code(msgspec.Struct, frozen=True):
    """A text to copy, such as a token."""

    text: str


class Excerpt(msgspec.Struct, frozen=True):
    """The beginning of a message, with its author."""

    author: str
    text: str


class Source(msgspec.Struct, frozen=True):
    """A place with unread messages: its name, how many there are, the first of them, and its link."""

    title: str
    count: str
    url: str
    excerpts: Sequence[Excerpt] = ()


Block: TypeAlias = Text | Button | Code | Source


class MailContent(msgspec.Struct, frozen=True, kw_only=True):
    """A subject, blocks of content, and the small print."""

    subject: str
    blocks: Sequence[Block]
    footer: Sequence[Text | Button]


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """A mail to one address."""

    to: str
    subject: str
    text: str
    html: str | None = None
    unsubscribe_url: str | None = None
    """Where a POST unsubscribes the recipient (RFC 8058)."""
