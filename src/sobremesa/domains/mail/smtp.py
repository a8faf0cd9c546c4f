"""Sending by SMTP: a connection for each mail, few at a time, a bounded queue and few attempts."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiosmtplib
import structlog
from aiosmtplib.errors import SMTPException, SMTPNotSupported, SMTPResponseException

from sobremesa.core.clock import Clock
from sobremesa.domains.mail.content import Mail
from sobremesa.domains.mail.errors import MailNotSent, MailOutcomeUnknown, MailQueueFull, MailRefused
from sobremesa.domains.mail.mime import Envelope, envelope_of
from sobremesa.domains.mail.smtp_server import SmtpServer

CONNECTIONS = 4
MAX_QUEUED = 1000
PAUSES: Sequence[float] = (1.0, 4.0)
"""The seconds between the attempts for one mail."""
REPLIES = 4
"""Connecting and addressing a mail may take as long as this many replies of the server, and so may its content."""

_ENHANCED = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_log = structlog.get_logger("sobremesa.mail")


class SmtpMailer:
    """Sends mails to one SMTP server."""

    def __init__(
        self, server: SmtpServer, clock: Clock, *, pauses: Sequence[float] = PAUSES, max_queued: int = MAX_QUEUED
    ) -> None:
        self._server = server
        self._clock = clock
        self._pauses = pauses
        self._max_queued = max_queued
        self._queued = 0
        self._connections = asyncio.Semaphore(CONNECTIONS)

    async def send(self, to: str, subject: str, text: str) -> None:
        """Send plain text."""
        await self.send_mail(Mail(to=to, subject=subject, text=text))

    async def send_mail(self, mail: Mail) -> None:
        """Send a mail; retry while it was certainly not accepted and another attempt may succeed."""
        envelope = envelope_of(mail, self._server.sender, self._clock.now_ms())
        if self._queued >= self._max_queued:
            raise MailQueueFull("too many mails are waiting")
        self._queued += 1
        try:
            for pause in self._pauses:
                try:
                    return await self._attempt(envelope)
                except MailNotSent as failed:
                    if failed.permanent:
                        raise
                    _log.warning("a mail is sent again", why=str(failed), seconds=pause)
                await asyncio.sleep(pause)
            return await self._attempt(envelope)
        finally:
            self._queued -= 1

    async def _attempt(self, envelope: Envelope) -> None:
        server = self._server
        seconds = server.seconds * REPLIES
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.tls == "tls",
            start_tls=server.tls == "starttls",
            tls_context=server.context,
            username=server.username,
            password=server.password,
            timeout=server.seconds,
            # By default it would look up the name of this machine for each mail, which can take seconds.
            local_hostname=server.sender.address.rpartition("@")[2],
        )
        async with self._connections:
            try:
                async with asyncio.timeout(seconds):
                    await self._address(client, envelope)
                async with _content_step(), asyncio.timeout(seconds):
                    await client.data(envelope.content)
                with contextlib.suppress(SMTPException, OSError):
                    await client.quit(timeout=server.seconds)
            except TimeoutError:
                raise MailNotSent("the mail server is too slow") from None
            finally:
                client.close()

    async def _address(self, client: aiosmtplib.SMTP, envelope: Envelope) -> None:
        """Connect, and let the server accept sender and recipient; MailNotSent if it does not."""
        async with _step("connect"):
            await client.connect()
        options = ["SMTPUTF8"] if envelope.needs_utf8 else []
        encoding = "utf-8" if envelope.needs_utf8 else "ascii"
        if envelope.needs_utf8 and not client.supports_extension("smtputf8"):
            raise MailRefused("the mail server does not support this address")
        async with _step("sender"):
            await client.mail(envelope.sender, options=options, encoding=encoding)
        async with _step("recipient", of_mail=True):
            await client.rcpt(envelope.recipient, encoding=encoding)


@asynccontextmanager
async def _step(name: str, *, of_mail: bool = False) -> AsyncIterator[None]:
    """Turn the errors of a step before the content into MailNotSent; `of_mail` if other mails may well be accepted."""
    try:
        yield
    except SMTPResponseException as error:
        raise _refusal(name, error, of_mail=of_mail) from None
    except SMTPNotSupported:
        raise MailNotSent(f"{name}: the mail server does not support the TLS or login of the settings") from None
    except (SMTPException, OSError, ValueError) as error:
        raise MailNotSent(f"{name}: {type(error).__name__}") from None


@asynccontextmanager
async def _content_step() -> AsyncIterator[None]:
    """Turn the errors of sending the content into MailNotSent if the server refused it, else MailOutcomeUnknown."""
    try:
        yield
    except SMTPResponseException as error:
        raise _refusal("content", error, of_mail=True) from None
    except (SMTPException, OSError) as error:
        raise MailOutcomeUnknown(f"content: {type(error).__name__}") from None


def _refusal(step: str, error: SMTPResponseException, *, of_mail: bool) -> MailNotSent:
    """Return the error of a reply, with its codes and without its text: a server may repeat content in it."""
    enhanced = _ENHANCED.match(error.message)
    reason = f"{step}: the mail server replied {error.code}{f' {enhanced[0]}' if enhanced else ''}"
    if of_mail and error.code >= 500:
        return MailRefused(reason)
    # A wrong password is not tried again at once: it could lock the account.
    return MailNotSent(reason, permanent=error.code >= 500)
