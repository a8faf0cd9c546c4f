"""A program of the operator judges messages before they are written; what it fails to judge is flagged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from cheap import CHEAP
from communities.environment import create_community
from sobremesa.app import Sobremesa
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.moderation import http_judge
from sobremesa.rooms.judging import UNCHECKED
from sobremesa.rooms.views import MessageView
from webhooks.receiver import Received, Receiver, receiving

SECRET = "whsec_" + "A" * 44


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@asynccontextmanager
async def judged_by(receiver: Receiver, **settings: Any) -> AsyncIterator[Sobremesa]:
    chosen = Settings(
        **{"store": "sqlite://", "moderation_url": f"{receiver.url}/judge", "moderation_secret": SECRET}
        | CHEAP
        | settings
    )
    async with Sobremesa.open(settings=chosen, background=False) as app:
        yield app


async def sent(app: Sobremesa, content: str) -> MessageView:
    community = await create_community(app)
    return await community.send(community.member, content)


async def test_program_receives_the_text_with_its_context_signed_and_decides(receiver: Receiver) -> None:
    answer = {"verdict": "blocked", "reason": "advertising", "nsfwBand": 1}
    receiver.answer = lambda _: web.json_response(answer)
    async with judged_by(receiver) as app:
        message = await sent(app, "Buy this")

    assert message.flags is not None
    assert (message.flags.moderation, message.flags.policy_hints) == ("blocked", ["advertising"])
    assert message.nsfw_band == 1
    [request] = receiver.requests
    question = request.verify(SECRET)
    assert question == {
        "type": "message.judge",
        "roomKind": "channel",
        "roomId": message.room_id,
        "authorId": message.author_id,
        "content": "Buy this",
        "texts": ["Buy this"],
        "mentions": 0,
    }


async def test_clean_message_has_no_flags(receiver: Receiver) -> None:
    receiver.answer = lambda _: web.json_response({"verdict": "clean"})
    async with judged_by(receiver) as app:
        assert (await sent(app, "Hello")).flags is None


def _text(text: str, status: int = 200) -> web.Response:
    return web.Response(status=status, text=text)


@pytest.mark.parametrize(
    "answer",
    [
        _text(json.dumps({"verdict": "clean"}), 500),
        _text(json.dumps({"verdict": "clean"}), 204),
        _text("", 307),
        _text("not JSON"),
        _text(json.dumps({"verdict": "maybe"})),
        _text(json.dumps({"verdict": "clean", "nsfwBand": 7})),
        _text(json.dumps({"verdict": "clean", "reason": "x" * 70_000})),
    ],
    ids=["500", "204", "redirect", "not JSON", "unknown verdict", "unknown band", "huge"],
)
async def test_every_failure_becomes_flagged_after_one_attempt(receiver: Receiver, answer: web.Response) -> None:
    text, status = answer.text or "", answer.status
    receiver.answer = lambda _: web.Response(status=status, text=text, headers={"Location": f"{receiver.url}/other"})
    async with judged_by(receiver) as app:
        message = await sent(app, "Hello")
    assert message.flags is not None
    assert (message.flags.moderation, message.flags.policy_hints) == ("flagged", [UNCHECKED])
    assert len(receiver.requests) == 1


async def test_program_that_does_not_answer_in_time_or_is_not_there_flags(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert http_judge.SECONDS == 1.5
    monkeypatch.setattr(http_judge, "SECONDS", 0.2)
    never = asyncio.Event()

    async def slow(received: Received) -> int:
        await never.wait()
        return 200

    receiver.answer = slow
    async with judged_by(receiver) as app:
        message = await sent(app, "Hello")
    never.set()
    assert message.flags is not None
    assert message.flags.policy_hints == [UNCHECKED]
    async with judged_by(receiver, moderation_url="http://127.0.0.1:1/") as app:
        message = await sent(app, "Hello")
    assert message.flags is not None
    assert message.flags.policy_hints == [UNCHECKED]


async def test_policy_of_the_settings_still_applies(receiver: Receiver, tmp_path: Any) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[words]]\nhint = "words"\naction = "block"\nwords = ["donkey"]\n')
    receiver.answer = lambda _: web.json_response({"verdict": "clean"})
    async with judged_by(receiver, moderation_policy=str(policy)) as app:
        message = await sent(app, "You donkey")
    assert message.flags is not None
    assert (message.flags.moderation, message.flags.policy_hints) == ("blocked", ["words"])
    assert receiver.requests == [], "what the policy blocks needs no second opinion"


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://a.example", None),
        ("ftp://a", SECRET),
        ("judge", SECRET),
        ("https://a.example", "whsec_!"),
        ("https://a.example", "secret"),
    ],
)
def test_setting_that_cannot_work_is_refused(url: str, secret: str | None) -> None:
    with pytest.raises(BadSetting, match="moderation_"):
        Settings(moderation_url=url, moderation_secret=secret)
