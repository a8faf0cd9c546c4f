"""Imports over HTTP: scopes, limits, a body that is cut off, and what other callers notice."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from api.calling import Caller, Reply, register
from api.running import Server, new_key
from lengths import IMPORTED_MESSAGES
from sobremesa.domains.imports.api import MAX_BYTES, MAX_LINES
from test_docs import python_blocks

PAGE = Path(__file__).parents[2] / "docs" / "import.md"
SCOPES = ("rooms:write", "messages:send")


def summary_of(reply: Reply) -> tuple[int, int, int]:
    assert reply.status == 200, reply.raw[:500]
    last = json.loads(reply.raw.splitlines()[-1])
    return last["imported"], last["repeated"], last["failed"]


class Table:
    """A group of two users, and a key that imports into it."""

    def __init__(self, server: Server, http: aiohttp.ClientSession, word: str) -> None:
        self.server, self.http, self.word = server, http, word

    async def build(self) -> Table:
        self.ana = await register(self.http, f"ana-{self.word}")
        self.ben = await register(self.http, f"ben-{self.word}")
        group = {"type": "group", "userIds": [self.ben.user_id]}
        self.room = (await self.ana.post("/conversations", group))["convoId"]
        self.key = Caller(self.http, await new_key(self.server, *SCOPES))
        return self

    def line(self, number: int, **more: Any) -> bytes:
        at = f"2017-07-14T02:{number // 60_000 % 60:02}:{number // 1000 % 60:02}.{number % 1000:03}Z"
        line = {"room": self.room, "author": self.ana.user_id, "createdAt": at, "nonce": str(number), "content": "x"}
        return json.dumps(line | more).encode() + b"\n"

    def lines(self, count: int) -> bytes:
        return b"".join(map(self.line, range(count)))

    async def imported(self, key: Caller, body: bytes, **query: str) -> Reply:
        headers = {"Authorization": f"Bearer {key.token}", "content-type": "application/x-ndjson"}
        sent = self.http.post("/v1/import/messages", data=io.BytesIO(body), params=query, headers=headers)
        async with sent as answer:
            found = {name.lower(): value for name, value in answer.headers.items()}
            return Reply(answer.status, found, await answer.read())

    async def begin(self, content_length: int, start: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request with the start of its body only."""
        address = urlsplit(self.server.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = (
            f"POST /v1/import/messages HTTP/1.1\r\nhost: {address.netloc}\r\n"
            f"authorization: Bearer {self.key.token}\r\ncontent-length: {content_length}\r\n\r\n"
        )
        writer.write(head.encode() + start)
        await writer.drain()
        return reader, writer

    async def count(self) -> int:
        """Return the number of messages, which Ana reads page by page."""
        count, cursor = 0, None
        while True:
            query = {"limit": 100} | ({} if cursor is None else {"cursor": cursor})
            page = await self.ana.get(f"/conversations/{self.room}/messages", **query)
            count, cursor = count + len(page["items"]), page["next"]
            if cursor is None:
                return count


async def test_both_scopes_are_required(server: Server, http: aiohttp.ClientSession, fresh: str) -> None:
    table = await Table(server, http, fresh).build()
    for scope, missing in zip(SCOPES, reversed(SCOPES), strict=True):
        refused = await table.imported(Caller(http, await new_key(server, scope)), table.lines(1))
        assert (refused.status, refused.json["scope"]) == (403, missing)
    assert summary_of(await table.imported(Caller(http, await new_key(server, "admin")), table.lines(1))) == (1, 0, 0)


async def test_only_an_admin_key_imports_without_moderation(
    server: Server, http: aiohttp.ClientSession, fresh: str
) -> None:
    table = await Table(server, http, fresh).build()
    refused = await table.imported(table.key, table.lines(1), judge="false")
    assert (refused.status, refused.json["scope"]) == (403, "admin")
    admin = Caller(http, await new_key(server, "admin"))
    assert summary_of(await table.imported(admin, table.lines(1), judge="false")) == (1, 0, 0)


async def test_a_key_of_another_tenant_finds_neither_room_nor_author(
    server: Server, http: aiohttp.ClientSession, fresh: str
) -> None:
    table = await Table(server, http, fresh).build()
    rival = Caller(http, await new_key(server, *SCOPES, tenant="acme"))

    reply = await table.imported(rival, table.lines(1))

    assert json.loads(reply.raw.splitlines()[0])["code"] == "room_not_found"
    assert summary_of(reply) == (0, 0, 1)
    assert await table.count() == 0


async def test_too_many_lines_and_bytes_are_refused(server: Server, http: aiohttp.ClientSession, fresh: str) -> None:
    table = await Table(server, http, fresh).build()
    body = table.line(0) + b"{}\n" * MAX_LINES

    refused = await table.imported(table.key, body)
    reader, writer = await table.begin(MAX_BYTES + 1, b"{}")
    status = await reader.readline()
    writer.close()

    assert (refused.status, refused.json["code"], refused.json["limit"]) == (413, "too_large", MAX_LINES)
    assert status.split()[1] == b"413"


async def test_the_recipe_of_the_documentation_imports_everything_once(
    server: Server, http: aiohttp.ClientSession, fresh: str
) -> None:
    [recipe] = python_blocks(PAGE)
    key = await new_key(server, "users:write", "rooms:write", "messages:send", tenant=fresh)
    summaries = []
    for _ in range(2):
        env: dict[str, Any] = {"address": server.url, "key": key, "tenant": fresh, "count": IMPORTED_MESSAGES}
        await eval(recipe, env)
        assert [each.get("error") for each in env["created"]] == [None] * 20
        summaries.append({name: sum(each[name] for each in env["results"]) for name in env["results"][0]})

    assert summaries == [
        {"imported": IMPORTED_MESSAGES, "repeated": 0, "failed": 0, "rooms": 2},
        {"imported": 0, "repeated": IMPORTED_MESSAGES, "failed": 0, "rooms": 2},
    ]


async def test_paths_and_private_addresses_are_refused(server: Server, http: aiohttp.ClientSession, fresh: str) -> None:
    table = await Table(server, http, fresh).build()
    files = [{"path": "/etc/passwd"}, {"url": "http://[::1]/"}, {"url": "https://169.254.169.254/latest/meta-data"}]
    body = b"".join(table.line(number, attachments=[file]) for number, file in enumerate(files))

    reply = await table.imported(table.key, body)

    assert [json.loads(line).get("code") for line in reply.raw.splitlines()] == ["attachment_refused"] * 3 + [None]


async def test_a_body_that_is_cut_off_keeps_what_was_stored_and_is_completed_by_a_repeat(
    server: Server, http: aiohttp.ClientSession, fresh: str
) -> None:
    table = await Table(server, http, fresh).build()
    whole = table.lines(1500)
    _, writer = await table.begin(len(whole), whole[:-20])
    while await table.count() < 1000:  # noqa: ASYNC110 - another process stores them
        await asyncio.sleep(0.05)
    writer.close()
    await writer.wait_closed()

    reply = await table.imported(table.key, whole)
    while reply.status == 429:  # the first request has not ended yet
        reply = await table.imported(table.key, whole)

    assert summary_of(reply) == (500, 1000, 0)
    assert await table.count() == 1500


async def test_other_requests_are_answered_during_an_import(
    server: Server, http: aiohttp.ClientSession, fresh: str
) -> None:
    table = await Table(server, http, fresh).build()
    importing = asyncio.create_task(table.imported(table.key, table.lines(3000)))

    answered = 0
    while not importing.done():
        await table.ben.get("/users/me")
        answered += not importing.done()

    assert summary_of(await importing) == (3000, 0, 0)
    # It has three batches of lines and more than thirty transactions: the loop is free between any two of them.
    assert answered > 3


async def test_an_import_publishes_no_events(server: Server, http: aiohttp.ClientSession, fresh: str) -> None:
    table = await Table(server, http, fresh).build()
    start = (await table.ben.get("/events", wait=0))["next"]

    assert summary_of(await table.imported(table.key, table.lines(3))) == (3, 0, 0)
    sent = await table.ana.post(f"/conversations/{table.room}/messages", {"content": "hello"})

    found: list[dict[str, Any]] = []
    while not any(event["t"] == "message.created" for event in found):
        page = await table.ben.get("/events", after=start, wait=5)
        found, start = found + page["items"], page["next"]
    created = {event["d"]["messageId"] for event in found if event["t"].startswith("message.")}
    assert created == {sent["messageId"]}
