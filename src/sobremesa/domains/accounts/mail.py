"""Mail: how users are reached outside of the service.

A product passes its own mailer. Without one nothing is mailed, and what needs a mail is refused: a token in the log
could be used by everybody who reads logs.
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
    """Sends a plain text to an address."""

    async def send(self, to: str, subject: str, text: str) -> None: ...


class ConsoleMailer:
    """Writes mails, with the tokens in them, to the log: for the demo and for trying things out."""

    async def send(self, to: str, subject: str, text: str) -> None:
        # The demo shows warnings only.
        _log.warning("mail", to=to, subject=subject, text=text)


class MailTasks:
    """Sends mails after the answer, so that its time does not tell whether there was one to send."""

    def __init__(self, mailer: Mailer | None) -> None:
        self._mailer = mailer
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, send: Callable[[Mailer], Awaitable[None]]) -> None:
        """Begin to send, and return; MailNotConfigured without a mailer."""
        if self._mailer is None:
            raise MailNotConfigured
        task = asyncio.create_task(self._run(send, self._mailer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for the mails that are on their way."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, send: Callable[[Mailer], Awaitable[None]], mailer: Mailer) -> None:
        try:
            await send(mailer)
        except (Invalid, TooMany):
            pass  # the answer was given before
        except Exception as error:  # no request waits for it: the log is the only place to tell
            # Without the traceback, whose variables would show the token.
            _log.error("a mail could not be sent", error=f"{type(error).__name__}: {error}")


def mailer_of(settings: Settings) -> Mailer | None:
    """The mailer that the settings name, if any."""
    return ConsoleMailer() if settings.mail == "console" else None
