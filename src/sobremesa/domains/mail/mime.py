"""Mails as the bytes of a message (RFC 5322), with headers that no content can add to."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import NamedTuple

import idna

from sobremesa.domains.mail.content import Mail
from sobremesa.domains.mail.errors import MailRefused

MAX_SUBJECT = 200
MAX_ADDRESS = 320

# What parses as more than one address, or ends a header, is not an address of ours.
_LOCAL = re.compile(r"[^\s\x00-\x20\x7f-\x9f@\"(),:;<>\[\]\\]{1,64}")
_SENDER = re.compile(r"(?P<name>[^<>@,;]*)<(?P<address>[^<>]+)>|(?P<alone>[^<>]+)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Envelope(NamedTuple):
    """What the mail server receives."""

    sender: str
    recipient: str
    content: bytes
    needs_utf8: bool
    """Whether the server must support addresses outside ASCII (RFC 6531)."""


class Sender(NamedTuple):
    """The address that mails come from, and its name."""

    name: str
    address: str

    @classmethod
    def parse(cls, text: str) -> Sender:
        """Return the sender of `Name <name@domain>` or `name@domain`; ValueError if it is neither."""
        found = _SENDER.fullmatch(text.strip())
        if found is None or _CONTROL.search(text):
            raise ValueError("not an address")
        return cls((found["name"] or "").strip().strip('"'), normal_address(found["address"] or found["alone"]))


def normal_address(text: str) -> str:
    """Return an address with its domain in ASCII; ValueError if it is not exactly one address."""
    local, _, domain = text.rpartition("@")
    if len(text) > MAX_ADDRESS or not _LOCAL.fullmatch(local):
        raise ValueError("not an address")
    if domain.isascii() and re.fullmatch(r"[A-Za-z0-9.-]{1,253}", domain):
        return f"{local}@{domain.lower()}"
    try:
        return f"{local}@{idna.encode(domain, uts46=True).decode('ascii')}"
    except idna.IDNAError as error:
        raise ValueError("not an address") from error


def envelope_of(mail: Mail, sender: Sender, now_ms: int) -> Envelope:
    """Return a mail as it is sent; MailRefused if its address cannot receive mail."""
    try:
        to = normal_address(mail.to)
    except ValueError:
        raise MailRefused("the address is not valid") from None
    needs_utf8 = not (to.isascii() and sender.address.isascii())
    message = EmailMessage(policy=policy.SMTPUTF8 if needs_utf8 else policy.SMTP)
    message["From"] = Address(sender.name, *_parts(sender.address))
    message["To"] = Address("", *_parts(to))
    message["Subject"] = header_text(mail.subject)
    message["Date"] = format_datetime(datetime.fromtimestamp(now_ms / 1000, UTC))
    message["Message-ID"] = f"<{secrets.token_hex(16)}@{sender.address.rpartition('@')[2]}>"
    # No vacation notices in reply (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    if mail.unsubscribe_url is not None:
        message["List-Unsubscribe"] = f"<{_url(mail.unsubscribe_url)}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # Every server accepts quoted-printable; 8-bit content needs an extension.
    message.set_content(mail.text, cte="quoted-printable")
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    return Envelope(sender.address, to, message.as_bytes(), needs_utf8)


def header_text(text: str) -> str:
    """Return a text as one line of bounded length: a line break would end the header."""
    return _CONTROL.sub(" ", text).strip()[:MAX_SUBJECT]


def _parts(address: str) -> tuple[str, str]:
    local, _, domain = address.rpartition("@")
    return local, domain


def _url(url: str) -> str:
    if not re.fullmatch(r"[!-~]+", url) or "<" in url or ">" in url:
        raise MailRefused("the unsubscribe link is not a URL")
    return url
