"""Calls over the gateway that wait for their results."""

from __future__ import annotations

import asyncio
from typing import Any

from sobremesa.client.errors import OutcomeUnknown, error_of
from sobremesa.client.frames import Result


class Calls:
    """Gives each call an id, and each result to its call."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._last = 0

    def start(self) -> tuple[str, asyncio.Future[Any]]:
        """Return a new call id, and the future of its result."""
        self._last += 1
        call_id = str(self._last)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = answer
        return call_id, answer

    def discard(self, call_id: str) -> None:
        """Forget a call whose result is no longer awaited."""
        self._waiting.pop(call_id, None)

    def resolve(self, call_id: str | None, result: Result) -> None:
        """Set the result of a call; ignored if no caller waits for it."""
        answer = self._waiting.pop(call_id or "", None)
        if answer is None or answer.done():
            return
        if result.status < 400:
            answer.set_result(result.body)
        else:
            answer.set_exception(error_of(result.status, result.body))

    def fail_all(self) -> None:
        """Fail all waiting calls: the connection is lost."""
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(
                    OutcomeUnknown("the connection was lost before the result; the call may have succeeded")
                )
