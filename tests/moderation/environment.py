"""A scripted judge, and helpers to read its effects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from communities.environment import Community, actor_of
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.domains.moderation.review import State
from sobremesa.domains.moderation.views import CaseView
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.views import MessageView
from sobremesa.table.values import Item

ADMIN = Actor(user=actor_of("root").user_id, username="root", is_admin=True)


async def _clear(content: JudgedContent) -> Verdict:
    return CLEAR


class Script:
    """A judge whose next verdict a test chooses."""

    def __init__(self) -> None:
        self.asked: list[JudgedContent] = []
        self.answer: Callable[[JudgedContent], Awaitable[Any]] = _clear

    async def judge(self, content: JudgedContent) -> Verdict:
        self.asked.append(content)
        verdict: Verdict = await self.answer(content)
        return verdict

    def returns(self, verdict: Any) -> None:
        async def answer(content: JudgedContent) -> Any:
            return verdict

        self.answer = answer


async def cases(app: Sobremesa, state: State = "open") -> list[CaseView]:
    """Return the whole queue, page by page."""
    found: list[CaseView] = []
    cursor = None
    while True:
        page, cursor = await app.moderation.list_cases(ADMIN, state=state, limit=7, cursor=cursor)
        found += page
        if cursor is None:
            return found


async def stored(app: Sobremesa, kind: str) -> list[Item]:
    """Return the stored rows of a kind."""
    return [item async for item in app.table.scan(consistent=True) if item["entityType"] == kind]


async def blocked(community: Community, who: Actor, text: str, **more: str) -> MessageView:
    """Send a message and block it as a moderator."""
    message = await community.send(who, text, **more)
    await block(community, message)
    return message


async def block(community: Community, message: MessageView) -> None:
    reporter = community.admin if message.author_id == community.owner.user_id else community.owner
    await community.app.communities.report(reporter, community.channel_id, message.message_id, "look")
    case = next(case for case in await cases(community.app) if case.message_id == message.message_id)
    await community.app.moderation.decide(ADMIN, case.case_id, "block")
