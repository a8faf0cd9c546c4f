"""The transport of mail: the product's own mailer, or what the settings name."""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.core.settings import Settings
from sobremesa.domains.mail.mailers import ConsoleMailer, Mailer, Transport, transport_of
from sobremesa.domains.mail.smtp_server import SmtpServer


def open_transport(settings: Settings, clock: Clock, mailer: Mailer | Transport | None = None) -> Transport | None:
    """Return what sends mail, or None if nothing does; BadSetting if the mail server is not fully configured."""
    if mailer is not None:
        return transport_of(mailer)
    match settings.mail:
        case "off":
            return None
        case "console":
            return transport_of(ConsoleMailer())
        case "smtp":
            from sobremesa.domains.mail.smtp import SmtpMailer

            return SmtpMailer(SmtpServer.of(settings), clock)
