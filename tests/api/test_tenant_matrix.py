"""Tenants are isolated, over HTTP: every operation of the served document, tried from another tenant.

Every line of the authorization matrix is prepared in one tenant, with what belongs to it. A user, an administrator, a
bot, a server key with all scopes, and such a key that acts as a user of its own tenant, all of another tenant, then
make the same request. Each must get what they get for ids of nothing, and no row of the table may change, nor may a
new one name anything of the tenant. The key also tries to act as a user of the first tenant. The owner of rooms in the
other tenant tries to use these users, messages and files there.

A new operation needs a line in the authorization matrix, which is then tried here too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeAlias

import aiohttp
import msgspec
import pytest

from api.attempts import Attempt
from api.calling import ULID, UNKNOWN_ID, Caller, Reply, client_of
from api.conftest import store_of
from api.running import Server, grant_admin, new_key, register_in, serving
from api.test_authorization import ALONE, ROWS, Environment, Matrix, cast_of, comparable, prepared, tried
from api.thread_attempts import deal_of
from lengths import TENANT_MATRIX
from sobremesa.app import Sobremesa
from sobremesa.app.registry import OF_THE_PROCESS, REGISTRY
from sobremesa.domains.accounts.server_keys import SCOPES
from sobremesa.table.values import Item
from sobremesa.work.consumers.deliveries import END
from sobremesa.work.consumers.entities import ShardProgress, stream_rows
from sobremesa.work.jobs.entities import open_jobs

WITH_PROOF = {
    *("accounts.register", "accounts.askRegistration", "accounts.confirmRegistration", "accounts.login"),
    *("accounts.refresh", "accounts.askReset", "accounts.confirmReset"),
    *("attachments.getContent", "attachments.getPreview"),
    *(name for name in ROWS if name.startswith(("hooks.post", "notifications.askUnsubscribe", "notifications.unsub"))),
}
"""Without a token: a password, a mailed token, a signed URL or the address of a webhook is the proof."""
OWN_ACCOUNT = {"accounts.logout", "accounts.deleteMe", "accounts.changePassword", "accounts.endSession"}
"""What would end the caller's own account or session."""
IN_OWN_ROOMS = {
    *("communities.banMember", "communities.transferServer", "conversations.addParticipant", "threads.addParticipant"),
    *("channels.getMessage", "channels.markRead", "conversations.pinMessage", "threads.reportMessage"),
    *("workspaces.changeMember", "workspaces.changeItem", "inboxes.getPublish", "records.getDocument"),
}
"""Some of the lines that name users, messages and records beside the room."""
LINES = [name for name in ROWS if name not in WITH_PROOF | OWN_ACCOUNT]

SETTLED_WITHIN_SECONDS = 120.0
LOOK_SECONDS = 0.1

_ULIDS = re.compile(ULID.pattern)


class Request(NamedTuple):
    """A line of the matrix, prepared in an environment of its tenant."""

    name: str
    method: str
    path: str
    attempt: Attempt


@pytest.fixture
def server(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose rows no other test changes."""
    settings = {"files": tmp_path_factory.mktemp("files").as_uri(), "operator_tenant": ""}
    if engine == "dynamodb":
        settings["records"] = request.getfixturevalue("postgres").url
    with serving(store_of(engine, request), tmp_path_factory.mktemp("log") / "server.log", **settings) as running:
        yield running


class Home:
    """A tenant with every kind of room, and the requests of all lines for what is there."""

    def __init__(self, http: aiohttp.ClientSession, server: Server, matrix: Matrix) -> None:
        self.http = http
        self.server = server
        self.matrix = matrix
        self.env = Environment(http, server, matrix)
        self.requests: list[Request] = []
        self.case_id = ""

    async def build(self) -> None:
        await self.env.build()
        await deal_of(self.env)
        room = self.env.rooms["channels"]
        at = f"{room.at}/messages/{room.own_message['owner']}"
        await self.env.callers["member"].post(f"{at}/report", {"reason": "spam"}, expect=202)
        operator = self.env.callers["operator"]
        await until_granted(operator)
        [case] = (await operator.get("/moderation/cases"))["items"]
        self.case_id = case["caseId"]

    async def prepare(self) -> None:
        """Prepare all lines; those that would change what others need, in places of their own."""
        for name in LINES:
            env = self.env
            if name in ALONE:
                env = Environment(self.http, self.server, self.matrix, name)
                await env.build()
            method, path = self.matrix.routes[name.partition(" ")[0]]
            attempt = await prepared(name, env, "stranger")
            if "caseId" in attempt.places:
                attempt = attempt._replace(places={"caseId": self.case_id})
            self.requests.append(Request(name, method, path, attempt._replace(caller=None)))
        await self.prepare_more()

    async def prepare_more(self) -> None:
        """Prepare requests that name users, messages and files in other fields than those of the matrix."""
        owner, victim, room = self.env.owner, self.env.callers["victim"], self.env.rooms["channels"]
        project = {"kind": "project", "sellerUserId": victim.user_id, "lbgId": f"lbg-{owner.user_id}"}
        await owner.post("/threads", project)
        group = {"type": "group", "userIds": [owner.user_id, victim.user_id]}
        in_room, reply_to = {"roomId": room.room_id}, room.own_message["owner"]
        file_id = (await victim.post("/attachments", b"Hello"))["fileId"]
        for name, attempt in (
            ("channels.sendMessage", Attempt(in_room, {"content": "Hello", "replyTo": reply_to})),
            ("channels.sendMessage", Attempt(in_room, {"content": "Hello", "attachments": [file_id]})),
            ("conversations.createConversation", Attempt(body={"type": "direct", "userIds": [victim.user_id]})),
            ("conversations.createConversation", Attempt(body=group | {"ownerId": victim.user_id})),
            ("communities.createServer", Attempt(body={"name": "Shop", "ownerId": victim.user_id})),
            ("workspaces.createWorkspace", Attempt(body={"name": "Shop", "ownerId": victim.user_id})),
            ("threads.createThread", Attempt(body=project | {"buyerUserId": owner.user_id})),
            ("threads.listThreads", Attempt(query={"lbgId": project["lbgId"]})),
            ("attachments.listAttachments", Attempt(query={"ids": file_id})),
        ):
            self.requests.append(Request(f"{name} more", *self.matrix.routes[name], attempt))

    async def containers(self) -> dict[str, str]:
        """What stands first in a path, by the words before and of its parameter."""
        env = self.env
        rooms = {f"{kind}/roomId": room.room_id for kind, room in env.rooms.items()}
        return rooms | {
            "threads/roomId": (await deal_of(env)).thread_id,
            "threads/threadId": (await deal_of(env)).thread_id,
            "servers/serverId": env.server_id,
            "channels/channelId": env.channel_id,
            "conversations/convoId": env.rooms["conversations"].room_id,
            "workspaces/workspaceId": env.workspace_id,
            "tenants/tenant": self.matrix.tenant,
        }


async def until_granted(administrator: Caller) -> None:
    """The right is granted beside the server, which caches what it read for a second."""
    for _ in range(200):
        if (await administrator.call("GET", "/admin/servers")).status == 200:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the right was not granted")


Rows: TypeAlias = dict[tuple[str, str], str]


async def rows_of(server: Server) -> Rows:
    """All rows but those of the process itself, by key, as text, once its workers have written what they have to."""
    async with Sobremesa.open(server.store, background=False) as app, asyncio.timeout(SETTLED_WITHIN_SECONDS):
        while not await _is_settled(app):  # noqa: ASYNC110 - what to wait for is in the table of another process
            await asyncio.sleep(LOOK_SECONDS)
        return await _scanned(app)


async def _is_settled(app: Sobremesa) -> bool:
    """Return whether no job is open, and the change consumer has processed every change but the process's own.

    What a worker writes is a change too, which the consumer has to process before it is settled again.
    """
    shards = [row async for row in app.table.every(stream_rows()) if isinstance(row, ShardProgress)]
    if not any(shard.checkpoints for shard in shards) or [job async for job in app.table.every(open_jobs())]:
        return False
    for shard in shards:
        for position in {*shard.checkpoints.values()} - {END}:
            reader = await app.table.open_shard(shard.shard_id, position)
            while changes := (await reader.read()).changes:
                if not all(_is_of_the_process(app, change.new or change.old) for change in changes):
                    return False
    return True


def _is_of_the_process(app: Sobremesa, row: Item | None) -> bool:
    return row is not None and REGISTRY.entity_of(row, app.table.layout) in OF_THE_PROCESS


async def _scanned(app: Sobremesa) -> Rows:
    layout = app.table.layout
    return {
        (str(row["pk"]), str(row["sk"])): msgspec.json.encode(row, order="deterministic", enc_hook=repr).decode()
        async for row in app.table.scan(consistent=True)
        if REGISTRY.entity_of(row, layout) not in OF_THE_PROCESS
    }


class Names:
    """What identifies the users and things of a tenant, and what stands for each in a request about nothing."""

    def __init__(self, rows: Rows, home: Home) -> None:
        self.known = {found for row in rows.values() for found in _ULIDS.findall(row)} - {UNKNOWN_ID}
        env = home.env
        self.others = {user["username"]: "no-such-name" for _, user in home.matrix.tokens.values() if user}
        self.others |= {home.matrix.tenant: "no-such-tenant"}
        codes = {env.invite, env.workspace_invite, *env.own_invite.values()}
        codes |= {request.attempt.places["code"] for request in home.requests if "code" in request.attempt.places}
        self.others |= {code: code[::-1] for code in codes}
        self.others |= {f"lbg-{env.owner.user_id}": f"lbg-{UNKNOWN_ID}"}
        # Records are not in the table, and ids of inbox messages have a form of their own.
        ids = {
            value for request in home.requests for name, value in request.attempt.places.items() if name[-2:] == "Id"
        }
        self.others |= dict.fromkeys(ids - self.known - {UNKNOWN_ID}, UNKNOWN_ID)

    def replace(self, value: Any) -> Any:
        """Return a part of a request without any of these names."""
        match value:
            case dict():
                return {name: self.replace(part) for name, part in value.items()}
            case list():
                return [self.replace(part) for part in value]
            case str():
                return self.others.get(value) or (UNKNOWN_ID if value in self.known else value)
            case _:
                return value

    def nothing(self, attempt: Attempt) -> Attempt:
        """Return the same request about nothing."""
        return attempt._replace(
            places=self.replace(attempt.places), body=self.replace(attempt.body), query=self.replace(attempt.query)
        )

    def found_in(self, text: str) -> set[str]:
        """Return which of these names a text contains."""
        named = {name for name in self.others if name != "default" and name in text}
        return named | (self.known & set(_ULIDS.findall(text)))


async def difference(caller: Caller, request: Request, attempt: Attempt, names: Names) -> str | None:
    """Make a request, and the same about nothing; return how the responses differ, or None if they do not."""
    reply = await tried(caller, request.method, request.path, attempt)
    nothing = names.nothing(attempt)
    if nothing == attempt:
        found = names.found_in(reply.raw.decode(errors="replace"))
        return f"{reply.status} with {sorted(found)}" if found else None
    status, raw, headers = comparable(reply)
    text = raw.decode(errors="replace")
    for name in names.found_in(msgspec.json.encode(attempt[:3]).decode()):
        text = text.replace(name, names.replace(name))
    expected = comparable(await tried(caller, request.method, request.path, nothing))
    got = (status, text.encode(), [header for header in headers if header[0] not in ("content-length", "etag")])
    wanted = (*expected[:2], [header for header in expected[2] if header[0] not in ("content-length", "etag")])
    return None if got == wanted else f"{got} instead of {wanted}"


@asynccontextmanager
async def home_of(server: Server, tenant: str) -> AsyncIterator[Home]:
    async with client_of(server.url) as http:
        home = Home(http, server, await cast_of(server, tenant))
        await home.build()
        yield home


async def callers_of(server: Server, http: aiohttp.ClientSession, tenant: str) -> dict[str, Caller]:
    """Users, a bot and a server key of a tenant, with everything that each may have."""
    word = UNKNOWN_ID[-6:] + tenant
    user, administrator, own = await register_in(server, http, tenant, f"u-{word}", f"a-{word}", f"o-{word}")
    await grant_admin(server, administrator.email)
    await until_granted(administrator)
    key = Caller(http, await new_key(server, *SCOPES, tenant=tenant))
    bot = await key.post(f"/tenants/{tenant}/bots", {"username": f"b-{word}"})
    return {
        "user": user,
        "administrator": administrator,
        "bot": Caller(http, bot["token"]),
        "key": key,
        "key acting as its own user": Acting(key, own.user_id),
    }


class Acting(Caller):
    """A server key that acts as a user in every request."""

    def __init__(self, key: Caller, user_id: str) -> None:
        super().__init__(key.http, key.token)
        self._header = {"Sobremesa-Act-As": user_id}

    async def call(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, **query: Any
    ) -> Reply:
        return await super().call(method, path, body, headers=self._header | (headers or {}), **query)


@pytest.mark.timeout(600)
@pytest.mark.long
@pytest.mark.parametrize(("engine", "tenant", "other"), TENANT_MATRIX, indirect=["engine"])
async def test_things_of_another_tenant_are_as_if_they_did_not_exist(server: Server, tenant: str, other: str) -> None:
    async with home_of(server, tenant) as home:
        await home.prepare()
        before = await rows_of(server)
        names = Names(before, home)
        callers = await callers_of(server, home.http, other)
        failures = await tried_from_outside(home, names, callers)
        failures |= await tried_as_a_user_of(home, callers["key"])
        async with home_of(server, other) as own:
            failures |= await tried_in_own_rooms(home, names, own)
        after = await rows_of(server)

    assert not failures, "\n".join(f"{line}, by {who}: {found}" for (line, who), found in failures.items())
    assert {key: after.get(key) for key in before} == before
    written = {key: names.found_in(f"{key} {row}") for key, row in after.items() if key not in before}
    assert {key: found for key, found in written.items() if found} == {}


Failures: TypeAlias = dict[tuple[str, str], str]


async def tried_from_outside(home: Home, names: Names, callers: dict[str, Caller]) -> Failures:
    """Make all requests as users of another tenant; return where they differ from requests about nothing."""
    failures = {}

    async def try_all(who: str, caller: Caller) -> None:
        for request in home.requests:
            found = await difference(caller, request, request.attempt, names)
            if found is not None:
                failures[request.name, who] = found

    await asyncio.gather(*(try_all(who, caller) for who, caller in callers.items()))
    return failures


async def tried_as_a_user_of(home: Home, key: Caller) -> Failures:
    """Make all requests with a server key of another tenant that acts as a user of this one: there is no such user."""
    acting, failures = Acting(key, home.env.owner.user_id), {}
    for request in home.requests:
        reply = await tried(acting, request.method, request.path, request.attempt)
        takes_no_token = request.name.partition(" ")[0] in WITH_PROOF
        if not takes_no_token and (reply.status, reply.json["code"]) != (422, "unknown_user"):
            failures[request.name, "key acting as a user"] = f"{reply.status} {reply.raw[:500]!r}"
    return failures


async def tried_in_own_rooms(home: Home, names: Names, own: Home) -> Failures:
    """The same as the owner of rooms in another tenant, with these rooms in the place of those of the requests."""
    containers = await own.containers()
    failures, lines = {}, set()
    for request in home.requests:
        attempt = request.attempt._replace(places=_inside(request, containers))
        if attempt == request.attempt or names.nothing(attempt) == attempt:
            continue
        lines.add(request.name)
        found = await difference(own.env.owner, request, attempt, names)
        if found is not None:
            failures[request.name, "owner of another room"] = found
    assert lines >= IN_OWN_ROOMS
    return failures


def _inside(request: Request, containers: dict[str, str]) -> dict[str, str]:
    """Return the places of a request with the caller's own server, room or workspace in the first one."""
    start = re.match(r"/(\w+)/\{(\w+)\}", request.path)
    own = containers.get(f"{start[1]}/{start[2]}") if start else None
    return request.attempt.places if start is None or own is None else request.attempt.places | {start[2]: own}
