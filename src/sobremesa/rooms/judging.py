"""Judging: automatic moderation of content before it is written, if the application has a judge.

    class Polite:
        async def judge(self, content: JudgedContent) -> Verdict:
            return Verdict("flagged", ["shouting"]) if any(text.isupper() for text in content.texts) else CLEAR

A judge may be slow or fail: after a timeout or an error the message is written all the same, flagged with the hint
`unchecked`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.core.ids import RoomId, RoomKindName
from sobremesa.rooms.entities import BLOCKED, CLEAN, FLAGGED, Flags

DEFAULT_SECONDS = 2.0
MAX_HINTS = 16
MAX_HINT = 200

UNCHECKED = "unchecked"
"""The hint of a message that the judge failed to judge."""
REVIEWED = "reviewed"
"""The hint of a message that a moderator decided about."""

BETWEEN = "\n\u241e\n"
"""The separator of texts that are judged together."""

Moderation: TypeAlias = Literal["clean", "flagged", "blocked"]

_log = structlog.get_logger("sobremesa.domains.moderation")


class JudgedContent(msgspec.Struct, frozen=True, kw_only=True):
    """The content that a user is about to write: a message, a card or a change of one, or a tab."""

    room_kind: RoomKindName
    room_id: RoomId
    author_id: UserId
    content: str
    attachments: Sequence[Mapping[str, Any]] = ()
    payload: Any = None
    """The custom data of a message, the payload of a card, the remark of a transition, or the content of a tab."""
    mentions: int = 0
    """The number of mentioned users."""
    size: int = 0
    """The number of JSON characters of the payload if it may be large, else 0."""

    @property
    def text(self) -> str:
        """All texts, joined by a separator so that no phrase matches across two of them."""
        return BETWEEN.join(self.texts)

    @property
    def texts(self) -> list[str]:
        """All texts that other users will see: the content, file names, and names and values of the payload."""
        if not self.attachments and self.payload is None:
            return [self.content]  # most messages
        names = [str(file["name"]) for file in self.attachments if file.get("name")]
        return [self.content, *names, *_inside(self.payload)]


class Verdict(msgspec.Struct, frozen=True):
    """A judge's verdict on a message, with the reasons. The NSFW band is 0 if it is safe for all readers."""

    moderation: Moderation = "clean"
    policy_hints: list[str] = []
    nsfw_band: Literal[0, 1, 2] = 0

    @property
    def flags(self) -> Flags | None:
        """The flags to store with the message; None if it is clean."""
        if self.moderation == CLEAN:
            return None
        return Flags(moderation=self.moderation, policy_hints=self.policy_hints)

    @property
    def band(self) -> int | None:
        """The NSFW band to store with the message; None if it is 0."""
        return self.nsfw_band or None


CLEAR = Verdict()
UNCHECKED_VERDICT = Verdict(FLAGGED, [UNCHECKED])


class Judge(Protocol):
    """Moderates content before it is written."""

    async def judge(self, content: JudgedContent) -> Verdict:
        """Return the verdict on the content."""
        ...


@runtime_checkable
class ImmediateJudge(Protocol):
    """A judge that returns most verdicts without waiting, such as one in the same process."""

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict, or None if `judge` must be awaited for this content."""
        ...


class TimedJudge:
    """Calls a judge, with a timeout and a fallback verdict."""

    def __init__(self, judge: Judge, seconds: float = DEFAULT_SECONDS) -> None:
        self._judge = judge
        self._immediate = judge if isinstance(judge, ImmediateJudge) else None
        self._seconds = seconds

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict of an immediate judge, or None if the judge must be awaited."""
        if self._immediate is None:
            return None
        try:
            return self._immediate.judge_at_once(content)
        except Exception as error:
            _failed(content, type(error).__name__)
            return UNCHECKED_VERDICT

    async def judge(self, content: JudgedContent) -> Verdict:
        """Return the judge's verdict, or the unchecked verdict if it is late, fails or is invalid."""
        asked = asyncio.create_task(self._ask(content))
        asked.add_done_callback(_forget)
        try:
            # Not `asyncio.timeout`, which would wait for a judge that suppresses its cancellation.
            await asyncio.wait([asked], timeout=self._seconds)
        finally:
            asked.cancel()
        if not asked.done():
            _log.warning("the judge took too long", room_kind=content.room_kind, room_id=content.room_id)
            return UNCHECKED_VERDICT
        if asked.cancelled() or asked.exception() is not None:
            # Log only the type: the error text may contain the message.
            why = "cancelled" if asked.cancelled() else type(asked.exception()).__name__
            _failed(content, why)
            return UNCHECKED_VERDICT
        return asked.result()

    async def _ask(self, content: JudgedContent) -> Verdict:
        return _validated(await self._judge.judge(content))


def keep_blocked(before: str, verdict: Verdict) -> Verdict:
    """Return the verdict on an edited message: a blocked one stays blocked until a moderator decides.

    Otherwise its author could try texts until one passes, without a review.
    """
    if before != BLOCKED:
        return verdict
    return Verdict(BLOCKED, verdict.policy_hints, verdict.nsfw_band)


def _inside(payload: Any) -> list[str]:
    """Return all texts in a JSON value, in order, including the names of members."""
    found: list[str] = []
    waiting = [payload]
    while waiting:
        match waiting.pop():
            case str() as text:
                found.append(text)
            case dict() as members:
                waiting += [part for pair in members.items() for part in pair][::-1]
            case list() as items:
                waiting += items[::-1]
            case _:
                pass  # numbers and the like
    return found


def _failed(content: JudgedContent, why: str) -> None:
    _log.warning("the judge failed", room_kind=content.room_kind, room_id=content.room_id, why=why)


def _validated(verdict: Any) -> Verdict:
    """Return the verdict if it can be stored with a message; TypeError or ValueError if not."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a judge returned a {type(verdict).__name__} instead of a Verdict")
    # The judge's values are unchecked: a hint may be too long, or not encodable.
    checked = msgspec.convert(msgspec.structs.asdict(verdict), Verdict)
    hints = [hint.encode().decode()[:MAX_HINT] for hint in checked.policy_hints if hint != REVIEWED]
    return Verdict(checked.moderation, hints[:MAX_HINTS], checked.nsfw_band)


def _forget(asked: asyncio.Future[Verdict]) -> None:
    """Retrieve the exception of a late judge, so that asyncio does not log it."""
    if not asked.cancelled():
        asked.exception()
