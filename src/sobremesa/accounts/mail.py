"""Mail: how users are reached outside of the service.

A product passes its own mailer. Without one nothing is mailed, and what needs a mail is refused: a token in the log
could be used by everybody who reads logs.
"""

from __future__ import annotations

from typing import Protocol

import structlog

from sobremesa.settings import Settings

_log = structlog.get_logger("sobremesa.mail")


class Mailer(Protocol):
    """Sends a plain text to an address."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


class ConsoleMailer:
    """Writes mails, with the tokens in them, to the log: for the demo and for trying things out."""

    async def send(self, to: str, subject: str, text: str) -> None:
        # The demo shows warnings only.
        _log.warning("mail", to=to, subject=subject, text=text)


def mailer_of(settings: Settings) -> Mailer | None:
    """The mailer that the settings name, if any."""
    return ConsoleMailer() if settings.mail == "console" else None
