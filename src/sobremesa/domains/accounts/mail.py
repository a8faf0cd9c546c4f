"""Sending mail in the background.

A product passes its own mailer, or the settings name a mail server. Without either, operations that send mail are
refused; tokens are not logged instead, since everyone with access to the logs could use them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from sobremesa.core.errors import Busy, Invalid, TooMany
from sobremesa.domains.accounts.errors import MailNotConfigured
from sobremesa.domains.mail.mailers import ConsoleMailer, Mailer, Transport

__all__ = ["ConsoleMailer", "MailTasks", "Mailer"]

MAX_TASKS = 1000
CLOSE_SECONDS = 15.0
"""How long the application waits for the last mails when it closes."""

_log = structlog.get_logger("sobremesa.mail")


class MailTasks:
    """Sends mails after the response, so that its timing does not reveal whether one was sent."""

    def __init__(self, transport: Transport | None) -> None:
        self._transport = transport
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, send: Callable[[Transport], Awaitable[None]]) -> None:
        """Start sending in the background; MailNotConfigured without a transport, Busy if too many are waiting."""
        if self._transport is None:
            raise MailNotConfigured
        if len(self._tasks) >= MAX_TASKS:
            raise Busy
        task = asyncio.create_task(self._run(send, self._transport))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for the mails that are being sent, for a limited time."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        for task in late:
            task.cancel()
        if late:
            _log.error("mails were not sent before the application closed", mails=len(late))
            await asyncio.gather(*late, return_exceptions=True)

    async def _run(self, send: Callable[[Transport], Awaitable[None]], transport: Transport) -> None:
        try:
            await send(transport)
        except (Invalid, TooMany):
            pass  # the response was sent before
        except Exception as error:  # no request waits for it, so it is logged
            # Without the traceback, whose variables would reveal the token.
            _log.error("sending a mail failed", error=f"{type(error).__name__}: {error}")
