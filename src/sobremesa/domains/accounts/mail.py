"""Mail: the mailer, and sending in the background.

A product passes its own mailer. Without one, operations that send mail are refused; tokens are not logged instead,
since everyone with access to the logs could use them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from sobremesa.core.errors import Invalid, TooMany
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.errors import MailNotConfigured

_log = structlog.get_logger("sobremesa.mail")


class Mailer(Protocol):
    """Sends plain text to an address."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


class ConsoleMailer:
    """Writes mails, including their tokens, to the log: for the demo and for development."""

    async def send(self, to: str, subject: str, text: str) -> None:
        # The demo shows warnings only.
        _log.warning("mail", to=to, subject=subject, text=text)


class MailTasks:
    """Sends mails after the response, so that its timing does not reveal whether one was sent."""

    def __init__(self, mailer: Mailer | None) -> None:
        self._mailer = mailer
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, send: Callable[[Mailer], Awaitable[None]]) -> None:
        """Start sending in the background; MailNotConfigured without a mailer."""
        if self._mailer is None:
            raise MailNotConfigured
        task = asyncio.create_task(self._run(send, self._mailer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for the mails that are being sent."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, send: Callable[[Mailer], Awaitable[None]], mailer: Mailer) -> None:
        try:
            await send(mailer)
        except (Invalid, TooMany):
            pass  # the response was sent before
        except Exception as error:  # no request waits for it, so it is logged
            # Without the traceback, whose variables would reveal the token.
            _log.error("sending a mail failed", error=f"{type(error).__name__}: {error}")


def mailer_of(settings: Settings) -> Mailer | None:
    """Return the mailer of the settings, if any."""
    return ConsoleMailer() if settings.mail == "console" else None
