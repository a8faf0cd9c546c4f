"""Mail: how a person is reached outside. A product brings its own mailer; by default the console is the mailbox."""

from __future__ import annotations

from typing import Protocol

import structlog

_log = structlog.get_logger("sobremesa.mail")


class Mailer(Protocol):
    """Sends a plain text to an address."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


class ConsoleMailer:
    """Writes mails to the log's console: enough to try everything out, and for nothing else."""

    async def send(self, to: str, subject: str, text: str) -> None:
        _log.info("mail", to=to, subject=subject, text=text)
