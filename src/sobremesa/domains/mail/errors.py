"""The errors of sending mail. Their texts have the step and the code of the server's reply, never content."""

from __future__ import annotations

from sobremesa.core.errors import SobremesaError


class MailError(SobremesaError):
    """A mail could not be sent."""


class MailNotSent(MailError):
    """The mail was certainly not accepted; with `permanent`, another attempt would fail as well."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason)
        self.permanent = permanent


class MailRefused(MailNotSent):
    """The mail server will never accept this mail: the address or the content is at fault, not the server."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, permanent=True)


class MailQueueFull(MailNotSent):
    """Too many mails are waiting for the mail server."""


class MailOutcomeUnknown(MailError):
    """The connection ended after the content was sent and before the server replied: it may have been accepted."""
