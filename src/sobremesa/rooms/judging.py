"""Judging: what others will see is shown to a judge before it is written, if there is one.

    class Polite:
        async def judge(self, content: JudgedContent) -> Verdict:
            return Verdict("flagged", ["shouting"]) if any(text.isupper() for text in content.texts) else CLEAR

A judge is somebody else's code, perhaps behind a network: it gets so many seconds, and whatever it does wrong, the
message is written. What nobody could check is flagged, with the hint `unchecked`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.core.ids import RoomId
from sobremesa.rooms.entities import BLOCKED, CLEAN, FLAGGED, Flags
from sobremesa.rooms.kinds import RoomKindName

DEFAULT_SECONDS = 2.0
MAX_HINTS = 16
MAX_HINT = 200

UNCHECKED = "unchecked"
"""The hint of a message that the judge could not judge."""
REVIEWED = "reviewed"
"""The hint of a message that a person decided about."""

BETWEEN = "\n\u241e\n"
"""What stands between texts that are judged together."""

Moderation: TypeAlias = Literal["clean", "flagged", "blocked"]

_log = structlog.get_logger("sobremesa.domains.moderation")


class JudgedContent(msgspec.Struct, frozen=True, kw_only=True):
    """What a user is about to write, and where: a message, a card or a change of one, or a tab."""

    room_kind: RoomKindName
    room_id: RoomId
    author_id: UserId
    content: str
    attachments: Sequence[dict[str, Any]] = ()
    payload: Any = None
    """The payload of a card, the remark of a transition, or the content of a tab."""
    mentions: int = 0
    """How many people it names."""
    size: int = 0
    """How many characters of JSON the payload has, if they may be many; 0 if not."""

    @property
    def text(self) -> str:
        """All texts as one, with a sign between them: no phrase goes on from one to the next."""
        return BETWEEN.join(self.texts)

    @property
    def texts(self) -> list[str]:
        """Every text that others will see: the content, the names of files, and all names and values of the payload."""
        names = [str(file["name"]) for file in self.attachments if file.get("name")]
        return [self.content, *names, *_inside(self.payload)]


class Verdict(msgspec.Struct, frozen=True):
    """What a judge says of a message, and why; the band is 0 where it is for everybody."""

    moderation: Moderation = "clean"
    policy_hints: list[str] = []
    nsfw_band: Literal[0, 1, 2] = 0

    @property
    def flags(self) -> Flags | None:
        """As they stand beside a message; a clean one has none."""
        if self.moderation == CLEAN:
            return None
        return Flags(moderation=self.moderation, policy_hints=self.policy_hints)

    @property
    def band(self) -> int | None:
        """As it stands beside a message; one that is for everybody has none."""
        return self.nsfw_band or None


CLEAR = Verdict()
UNCHECKED_VERDICT = Verdict(FLAGGED, [UNCHECKED])


class Judge(Protocol):
    """Looks at what is said."""

    async def judge(self, content: JudgedContent) -> Verdict:
        """What is to be thought of it."""
        ...


@runtime_checkable
class ImmediateJudge(Protocol):
    """A judge that answers most questions without waiting, as one in the same process does."""

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict, or None if `judge` must be awaited for this one."""
        ...


class Judging:
    """Asks a judge, and always has an answer in time."""

    def __init__(self, judge: Judge, seconds: float = DEFAULT_SECONDS) -> None:
        self._judge = judge
        self._seconds = seconds

    def judge_at_once(self, content: JudgedContent) -> Verdict | None:
        """Return the verdict of a judge that does not wait; None if there is no such answer."""
        if not isinstance(self._judge, ImmediateJudge):
            return None
        try:
            return self._judge.judge_at_once(content)
        except Exception as error:
            _failed(content, type(error).__name__)
            return UNCHECKED_VERDICT

    async def judge(self, content: JudgedContent) -> Verdict:
        """What the judge says; that nobody could check it, if that is late, fails or makes no sense."""
        asked = asyncio.create_task(self._ask(content))
        asked.add_done_callback(_forget)
        try:
            # Not `asyncio.timeout`, which would wait for a judge that does not want to be interrupted.
            await asyncio.wait([asked], timeout=self._seconds)
        finally:
            asked.cancel()
        if not asked.done():
            _log.warning("the judge took too long", room_kind=content.room_kind, room_id=content.room_id)
            return UNCHECKED_VERDICT
        if asked.cancelled() or asked.exception() is not None:
            # Only of which kind it was: its words may hold what was said.
            why = "cancelled" if asked.cancelled() else type(asked.exception()).__name__
            _failed(content, why)
            return UNCHECKED_VERDICT
        return asked.result()

    async def _ask(self, content: JudgedContent) -> Verdict:
        return _sensible(await self._judge.judge(content))


def settled(before: str, verdict: Verdict) -> Verdict:
    """What holds of a message after an edit: what is blocked stays so until a person says otherwise.

    Otherwise its author could try texts until one passes, and nobody would have looked.
    """
    if before != BLOCKED:
        return verdict
    return Verdict(BLOCKED, verdict.policy_hints, verdict.nsfw_band)


def _inside(payload: Any) -> list[str]:
    """Every text in a value of JSON, in its order; names are texts as well."""
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


def _sensible(verdict: Any) -> Verdict:
    """The verdict, if it is one that can be kept beside a message; ValueError or the like if not."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a judge gave a {type(verdict).__name__} in place of a verdict")
    # Nobody has checked what is in it, and no hint may be too long or unfit to be stored.
    checked = msgspec.convert(msgspec.structs.asdict(verdict), Verdict)
    hints = [hint.encode().decode()[:MAX_HINT] for hint in checked.policy_hints if hint != REVIEWED]
    return Verdict(checked.moderation, hints[:MAX_HINTS], checked.nsfw_band)


def _forget(asked: asyncio.Future[Verdict]) -> None:
    """Perhaps nobody waits for it any more, whatever it says."""
    if not asked.cancelled():
        asked.exception()
