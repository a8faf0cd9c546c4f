"""The HTTP judge: asks a program of the operator about content before it is written.

The request is signed by Standard Webhooks, so that the program knows who asks. There is one attempt: what the program
fails to judge in time is flagged. The policy of the settings still applies, and the stricter verdict counts.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import aiohttp
import msgspec
import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.webhook_signature import signed_headers
from sobremesa.rooms.entities import BLOCKED, CLEAN, FLAGGED
from sobremesa.rooms.judging import CLEAR, UNCHECKED_VERDICT, Judge, JudgedContent, Moderation, Verdict

SECONDS = 1.5
MAX_ANSWER_BYTES = 64 * 1024
MAX_CONNECTIONS = 64
_STRICTNESS = (CLEAN, FLAGGED, BLOCKED)

_log = structlog.get_logger("sobremesa.domains.moderation")


class Answer(msgspec.Struct, rename="camel"):
    """What the program answers."""

    verdict: Moderation
    reason: Annotated[str, msgspec.Meta(max_length=1000)] | None = None
    nsfw_band: Literal[0, 1, 2] = 0


class BadAnswer(Exception):
    """The program answered with another status than 200, or with too much."""


class HttpJudge:
    """A judge at a URL of the operator."""

    def __init__(self, url: str, secret: str, clock: Clock, ids: Ids, policy: Judge | None) -> None:
        self._url = url
        self._secret = secret
        self._clock = clock
        self._ids = ids
        self._policy = policy
        self._session: aiohttp.ClientSession | None = None

    async def judge(self, content: JudgedContent) -> Verdict:
        """Return the stricter of the verdicts of the policy and of the program."""
        own = CLEAR if self._policy is None else await self._policy.judge(content)
        if own.moderation == BLOCKED:
            return own
        try:
            answer = await self._ask(_question(content))
        except (aiohttp.ClientError, OSError, msgspec.MsgspecError, BadAnswer) as error:  # a timeout is an OSError
            # Log only the type: the error text may contain the message.
            _log.warning("the judge failed", room_kind=content.room_kind, why=type(error).__name__)
            return _stricter(own, UNCHECKED_VERDICT)
        hints = [] if answer.reason is None else [answer.reason]
        return _stricter(own, Verdict(answer.verdict, hints, answer.nsfw_band))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, question: dict[str, Any]) -> Answer:
        body = msgspec.json.encode(question)
        seconds = self._clock.now_ms() // 1000
        headers = signed_headers([self._secret], id=self._ids.mint(), seconds=seconds, body=body)
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS),
                timeout=aiohttp.ClientTimeout(total=SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        async with self._session.post(
            self._url, data=body, headers={"content-type": "application/json", **headers}, allow_redirects=False
        ) as response:
            answer = b""
            async for piece in response.content.iter_chunked(16 * 1024):
                answer += piece
                if len(answer) > MAX_ANSWER_BYTES:
                    response.close()
                    raise BadAnswer("the answer is too large")
            if response.status != 200:
                raise BadAnswer(f"the answer has the status {response.status}")
        return msgspec.json.decode(answer, type=Answer)


def _question(content: JudgedContent) -> dict[str, Any]:
    return {
        "type": "message.judge",
        "roomKind": content.room_kind,
        "roomId": content.room_id,
        "authorId": content.author_id,
        "content": content.content,
        "texts": content.texts,
        "mentions": content.mentions,
    }


def _stricter(one: Verdict, other: Verdict) -> Verdict:
    """Return the stricter moderation and the higher band, with the reasons of both."""
    moderation = max(one.moderation, other.moderation, key=_STRICTNESS.index)
    band = max(one.nsfw_band, other.nsfw_band)
    return Verdict(moderation, [*one.policy_hints, *other.policy_hints], band)
