"""Who has the address of a hook, or only guesses one, cannot make the server work for long, fail or notify users."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
import pytest

from communities.conftest import Ahead
from gateway.served_app import ServedApp, serve_app
from sobremesa.domains.incoming_webhooks.formats import alerts, discord, github, slack
from sobremesa.domains.incoming_webhooks.formats.markdown import MAX_CONTENT, code, first_line, line, link
from sobremesa.http.limits import RATES

SOON_SECONDS = 20
FORM = "application/x-www-form-urlencoded"
FORMATS = ("", "/slack", "/discord", "/github", "/grafana", "/alertmanager")


@pytest.fixture
async def served(clock: Ahead) -> AsyncIterator[ServedApp]:
    async with serve_app("sqlite://", clock=clock, rate_limits=True) as served:
        yield served


async def _post(served: ServedApp, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    given = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with served.http.post(f"/v1/hooks{path}", data=io.BytesIO(body), headers=given) as response:
        text = await response.text()
        return response.status, json.loads(text) if text else {}


async def test_hostile_bodies_are_refused_or_posted_in_bounds(served: ServedApp) -> None:
    ana = await served.create_user("ana")
    room = await served.channel(ana, await served.server(ana), "alerts")
    created = await served.app.incoming_webhooks.create(ana.actor, "channel", room)
    for token in (created.token, "none_none_none"):
        for form in FORMATS:
            at = f"/{token}{form}"
            nested = b'{"x":' * 50_000 + b"1" + b"}" * 50_000
            unknown = () if token == created.token else (404,)
            assert (await _post(served, at, nested[: 250 * 1024]))[0] in (unknown or (400, 413))
            assert (await _post(served, at, b'{"x":' + b"9" * 60_000 + b"}"))[0] in (unknown or (200, 204, 413, 422))
            zipped = gzip.compress(b'{"content":"x"}')
            assert (await _post(served, at, zipped, content_encoding="gzip"))[0] in (unknown or (400, 415))
            assert (await _post(served, at, b"\xff\xfe\x00"))[0] in (unknown or (400,))
    for form, name in (
        ("/github", "commits"),
        ("/grafana", "alerts"),
        ("/alertmanager", "alerts"),
        ("/slack", "blocks"),
    ):
        many = b'{"%s":[' % name.encode() + b"{}," * 80_000 * (8 if form == "/github" else 1) + b"{}]}"
        assert (await _post(served, f"/{created.token}{form}", many))[0] == 413
        assert (await _post(served, f"/none_none_none{form}", many))[0] == 404, "its body is not looked at"
    forms = {
        "payload=%7B": 400,
        "payload=" + quote('{"x":' * 5_000): 400,
        "payload=" + quote('{"text":1}'): 422,
        "payload=" + quote('{"blocks":[' + "{}," * 30_000 + "{}]}"): 413,
        "&".join(["payload=%7B%7D"] * 50): 400,
        "payload=" + "%ff" * 1_000: 400,
        "other=1": 400,
    }
    for text, expected in forms.items():
        sent = await _post(served, f"/{created.token}/slack", text.encode(), content_type=FORM)
        assert sent[0] == expected, text[:40]

    url = "http://[not-an-address"
    for form, body in (
        ("/discord", {"embeds": [{"title": "x", "url": url}], "username": "\u202enimda\x00\n" * 1000}),
        ("/grafana", {"externalURL": url, "alerts": [{"generatorURL": url, "panelURL": url}]}),
        ("/slack", {"text": f"<{url}|x> <!everyone> <@U1>", "attachments": [{"title": "x", "title_link": url}]}),
    ):
        assert (await _post(served, f"/{created.token}{form}", json.dumps(body).encode()))[0] in (200, 204), form
    page = await served.app.communities.page(ana.actor, room, limit=10)
    assert [message.mentions for message in page.messages] == [[]] * len(page.messages)
    assert all(message.username.isprintable() and len(message.username) <= 80 for message in page.messages)


async def _status_without_body(served: ServedApp, path: str, content_type: str) -> int:
    """Return the status of a post whose body never comes."""
    address = urlsplit(served.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = f"POST /v1/hooks{path} HTTP/1.1\r\nHost: x\r\nContent-Type: {content_type}\r\nContent-Length: 99\r\n\r\n"
    writer.write(head.encode())
    async with asyncio.timeout(SOON_SECONDS):
        line = await reader.readline()
    writer.close()
    return int(line.split()[1])


@pytest.mark.parametrize("form", FORMATS)
async def test_body_is_not_waited_for_without_a_known_token(served: ServedApp, form: str) -> None:
    assert await _status_without_body(served, f"/none_none_none{form}", "application/json") == 404


async def test_slow_body_ends_at_the_deadline_of_a_request_in_every_format(clock: Ahead) -> None:
    """None of them is an upload, which has minutes."""
    async with serve_app("sqlite://", clock=clock, request_seconds=0.2) as served:
        ana = await served.create_user("ana")
        room = await served.channel(ana, await served.server(ana), "alerts")
        token = (await served.app.incoming_webhooks.create(ana.actor, "channel", room)).token
        slow = [_status_without_body(served, f"/{token}{form}", "application/json") for form in FORMATS]
        slow.append(_status_without_body(served, f"/{token}/slack", FORM))
        assert set(await asyncio.gather(*slow)) == {504}


async def test_unknown_tokens_are_limited_by_address(served: ServedApp) -> None:
    statuses: list[int] = []
    while 429 not in statuses and len(statuses) < 10 * RATES["send"].burst:  # some are refilled meanwhile
        statuses.append((await _post(served, f"/a_b_{len(statuses)}", b'{"content":"x"}'))[0])
    assert set(statuses[:-1]) == {404}
    assert len(statuses) > RATES["send"].burst
    assert statuses[-1] == 429


@pytest.mark.parametrize("mark", ["*", "~", "`", "<", "_", "*~", "||", "# ", "> ", "\\_a ", "[", "@a", "\u202e"])
def test_long_texts_are_cut_before_they_are_translated(mark: str) -> None:
    """A mark that is repeated is as short as the same one that is repeated more often: the rest was not looked at."""
    long, longer = mark * 20_000, mark * 40_000
    for render in (slack.mrkdwn, discord._markdown, line, first_line, code, lambda text: link(text, "https://a.b")):
        assert render(long) == render(longer)
    for text in (long, longer):
        blocks = [
            {"type": "header", "text": {"type": "plain_text", "text": text}},
            {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"text": text}] * 60}]},
        ]
        bodies = (
            slack.render(_of(slack.SlackBody, {"blocks": blocks * 40, "attachments": [{"fallback": text}] * 60})),
            discord.render(
                _of(discord.DiscordBody, {"embeds": [{"fields": [{"name": text, "value": text}] * 30}] * 20})
            ),
            alerts.render(_of(alerts.AlertsBody, {"title": text, "alerts": [{"annotations": {"summary": text}}] * 30})),
            github.render("push", _of(github.GithubBody, {"commits": [{"message": text}] * 30, "ref": text})),
        )
        assert all(len(body) <= MAX_CONTENT for body in bodies)


def test_marks_cannot_be_smuggled_through_names_and_code() -> None:
    run = {"type": "text", "text": "a` **b** `c", "style": {"code": True}}
    emoji = {"type": "emoji", "name": "](https://evil.example) [x"}
    section = {"type": "rich_text_section", "elements": [run, emoji]}
    shown = slack.render(_of(slack.SlackBody, {"blocks": [{"type": "rich_text", "elements": [section]}]}))
    assert shown == "`a' **b** 'c`:\\](https://evil.example) \\[x:"


def _of(kind: type[Any], body: dict[str, Any]) -> Any:
    return msgspec.convert(body, kind)
