"""Requests to any node, as clients send them: the outcome of one without an answer is unknown."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

from chaos.cluster import Member
from simulation.history import History

TIMEOUT_SECONDS = 4.0
RETRY_SECONDS = 0.2


class Unanswered(Exception):
    """There was no answer, or one that does not tell whether it was done."""


class Refused(Exception):
    """A node has refused the request."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status = status


class Requests:
    """Sends requests for users, and notes the answers."""

    def __init__(self, http: aiohttp.ClientSession, history: History) -> None:
        self._http = http
        self._history = history
        self.count = 0

    async def ask(self, member: Member | None, who: str, token: str, method: str, path: str, body: Any = None) -> Any:
        """Return what one node answers; Unanswered if the outcome is unknown."""
        node = None if member is None else member.process
        if member is None or node is None:
            await asyncio.sleep(RETRY_SECONDS)
            raise Unanswered
        run, what = member.incarnation, f"{method} {path}"
        headers = {"Authorization": f"Bearer {token}"}
        self.count += 1
        try:
            async with (
                asyncio.timeout(TIMEOUT_SECONDS),
                self._http.request(method, f"{node.url}/v1{path}", json=body, headers=headers) as answer,
            ):
                raw = await answer.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            self._history.note(who, "unanswered", f"{what} on {run}: {type(error).__name__}")
            await asyncio.sleep(RETRY_SECONDS)
            raise Unanswered from None
        found = json.loads(raw) if raw else {}
        if answer.status < 300:
            return found
        code = str(found.get("code", ""))
        self._history.note(who, "refused", f"{what} on {run}: {answer.status} {code}")
        if answer.status == 500:
            self._history.violate("only known errors", f"{what} on {run}: 500 {found}")
        if answer.status >= 500 or answer.status == 429:
            await asyncio.sleep(RETRY_SECONDS)
            raise Unanswered
        raise Refused(answer.status, code)
