"""Calls over the gateway that wait for their answers."""

from __future__ import annotations

import asyncio
from typing import Any

from sobremesa.client.errors import OutcomeUnknown, error_of
from sobremesa.client.frames import Result


class Calls:
    """Gives each call an id, and each answer to its call."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._last = 0

    def begin(self) -> tuple[str, asyncio.Future[Any]]:
        """A new id, and where its answer will be."""
        self._last += 1
        call_id = str(self._last)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = answer
        return call_id, answer

    def forget(self, call_id: str) -> None:
        """Nobody waits for it any more."""
        self._waiting.pop(call_id, None)

    def answer(self, call_id: str | None, result: Result) -> None:
        """An answer came; one that nobody waits for is dropped."""
        answer = self._waiting.pop(call_id or "", None)
        if answer is None or answer.done():
            return
        if result.status < 400:
            answer.set_result(result.body)
        else:
            answer.set_exception(error_of(result.status, result.body))

    def lose(self) -> None:
        """The connection is gone, and the answers with it."""
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(OutcomeUnknown("the connection was lost before the answer; it may have been done"))
