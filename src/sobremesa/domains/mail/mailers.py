"""What sends mail: the mailer of a product, or a transport of the settings."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import structlog

from sobremesa.domains.mail.content import Mail, MailContent
from sobremesa.domains.mail.html import render_html
from sobremesa.domains.mail.plain_text import render_text

_log = structlog.get_logger("sobremesa.mail")


class Mailer(Protocol):
    """Sends plain text to an address: the least that a product's own mailer does."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


@runtime_checkable
class Transport(Protocol):
    """Sends whole mails, with HTML and headers. A product's mailer that has this method receives them."""

    async def send_mail(self, mail: Mail) -> None:
        """Send a mail; MailError if it was not sent, or may not have been."""
        ...


class PlainTransport:
    """Sends the plain text of mails by a mailer that knows nothing else."""

    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer

    async def send_mail(self, mail: Mail) -> None:
        await self._mailer.send(mail.to, mail.subject, mail.text)


class ConsoleMailer:
    """Writes mails, including their tokens, to the log: for the demo and for development."""

    async def send(self, to: str, subject: str, text: str) -> None:
        # The demo shows warnings only.
        _log.warning("mail", to=to, subject=subject, text=text)


def transport_of(mailer: Mailer | Transport) -> Transport:
    """Return what sends whole mails by this mailer."""
    return mailer if isinstance(mailer, Transport) else PlainTransport(mailer)


def mail_of(to: str, content: MailContent, *, unsubscribe_url: str | None = None) -> Mail:
    """Return a content as a mail to an address, in both forms."""
    return Mail(
        to=to,
        subject=content.subject,
        text=render_text(content),
        html=render_html(content),
        unsubscribe_url=unsubscribe_url,
    )
