"""The served document is true: whatever a client sends, the answer is one that the document describes.

schemathesis makes requests that fit the document and requests that do not, for every operation; none is left out. Most
of them name things that exist, so that the answers are not all 404. Operations that end something (a session, an
account, a server, a message) get their own, made anew whenever one has ended.

Only requests with an address of more than 16 KB are left out: the server ends them before the API sees them.

The same number of requests of each sort (`lengths.py`) makes the same requests. DynamoDB is tried in `make long` only,
with half of them: what fits the document is decided before an engine is asked.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.calling import PASSWORD, PICTURE
from api.running import Server, new_key, unsubscribe_token
from lengths import SCHEMATHESIS_ENGINES, SCHEMATHESIS_STEP
from lengths import SCHEMATHESIS_EXAMPLES as EXAMPLES

SECONDS = 600 + EXAMPLES * 60
"""A hang ends it, a machine that is busy with something else does not."""
REQUEST_SECONDS = 30
MAX_URL = 16_384
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


schemathesis.serializer.alias("application/x-ndjson", "text/plain")


class Environment:
    """A user with data: a server with a member, a channel with a message, and what they may delete."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key
        self.session = requests.Session()
        self.me, self.token = self._register()
        self.member, self.member_token = self._register()
        self.spare, self.spare_token = self._register()
        self.ids: dict[str, str] = {}
        self.version = 1
        self.rooms: dict[str, dict[str, str]] = {}
        """A room of each kind, and a message in it."""
        self.others: dict[str, dict[str, str]] = {}
        """What belongs to other parts of the API than rooms."""
        self.tokens: dict[str, str] = {}
        self.build()
        self.inbox()
        self.webhook()
        self.tenant_user()

    def inbox(self) -> None:
        """A message in an inbox."""
        self.ids |= {"tenant": "default", "inbox": "news", "category": "offers", "externalId": "customer-42"}
        self.ids |= {"segment": "fans", "kind": "thread", "patternId": "S2.1", "pk": "SYSTEM"}
        self.segment()
        notice = {"audience": {"kind": "everyone"}, "sender": "shop", "title": "News", "body": "Something new"}
        published = self._do("POST", "/tenants/default/inboxes/news/messages", notice, self.key)
        self.rooms["inboxes"] = {"messageId": published["messageId"]}

    def segment(self) -> None:
        self._do("PUT", "/tenants/default/segments/fans", {"userIds": [self.me["userId"]]}, self.key)

    def webhook(self) -> None:
        """A webhook of a room that does not exist, so that nothing is sent."""
        asked = {"url": "https://receiver.invalid/", "events": ["message.*"], "rooms": ["none"]}
        self.ids["hookId"] = self._do("POST", "/tenants/default/webhooks", asked, self.key)["hookId"]

    def build(self) -> None:
        """A server anew, with everything in it."""
        self.ids["serverId"] = server_id = self._do("POST", "/servers", {"name": "A table"})["serverId"]
        self.ids["userId"] = self.member["userId"]
        self.channel()
        self.invite()
        self.file()
        self._do("POST", f"/invites/{self.ids['code']}/redeem", None, self.member_token)
        self.conversation()
        self.thread()
        self.workspace()
        self.programs()
        self.ids["sessionId"] = self._do("GET", "/users/me/sessions", None, self.spare_token)["items"][0]["sessionId"]
        assert server_id

    def channel(self) -> None:
        created = self._do("POST", f"/servers/{self.ids['serverId']}/channels", {"name": "general"})
        self.ids["channelId"] = created["channelId"]
        self.rooms["channels"] = {"roomId": created["channelId"]}
        self.message("channels")
        self.case()

    def conversation(self) -> None:
        """A group with the member in it."""
        others = {"type": "group", "userIds": [self.member["userId"]]}
        self.ids["convoId"] = self._do("POST", "/conversations", others)["convoId"]
        self.rooms["conversations"] = {"roomId": self.ids["convoId"]}
        self.message("conversations")

    def workspace(self) -> None:
        """A workspace with the member in it, an item and a setting."""
        created = self._do("POST", "/workspaces", {"name": "A kitchen"})
        self.ids["workspaceId"] = created["workspaceId"]
        self.ids["name"] = "theme"
        self._do("PUT", f"/workspaces/{created['workspaceId']}/settings/theme", {"value": "dark"})
        code = self._do("POST", f"/workspaces/{created['workspaceId']}/invites")["code"]
        self._do("POST", f"/invites/{code}/redeem", None, self.member_token)
        self.item()

    def programs(self) -> None:
        """A bot with a command that was called, and an incoming webhook."""
        server, channel = f"/servers/{self.ids['serverId']}", f"/channels/{self.ids['channelId']}"
        bot = self._do("POST", f"{server}/bots", {"username": f"b-{uuid.uuid4().hex[:16]}"})
        self._do("PUT", f"{server}/commands/weather", {"description": "Weather", "botId": bot["userId"]})
        called = self._do("POST", f"{channel}/commands/weather", {"text": "Lisbon"})
        hook = self._do("POST", f"{channel}/hooks", {"name": "CI"})
        self.others["bots"] = {"userId": bot["userId"]}
        self.others["watching"] = {"roomId": self.ids["channelId"]}
        self.others["commands"] = {"name": "weather", "commandId": called["commandId"]}
        token = hook["url"].rpartition("/")[2]
        self.others["hooks"] = {"roomId": self.ids["channelId"], "hookId": hook["hookId"], "token": token}

    def item(self) -> None:
        item = self._do("POST", f"/workspaces/{self.ids['workspaceId']}/items", {"title": "Coffee"})
        self.ids["itemId"], self.version = item["itemId"], item["version"]

    def message(self, kind: str) -> None:
        room = self.rooms[kind]
        sent = self._do("POST", f"/{kind}/{room['roomId']}/messages", {"content": "Hello"})
        room["messageId"] = sent["messageId"]
        self.ids["messageId"] = self.rooms["channels"]["messageId"]
        self.ids["emoji"] = "👍"

    def thread(self) -> None:
        """A thread with a seller, a message and an offer of the seller's."""
        about = {"kind": "project", "sellerUserId": self.member["userId"]}
        thread_id = self._do("POST", "/threads", about)["threadId"]
        self.rooms["threads"] = {"roomId": thread_id, "threadId": thread_id, "tab": "brief"}
        self.helper = self.spare["userId"]
        self.message("threads")
        self.card()
        self.document()
        self.expense()

    def card(self) -> None:
        cards = f"/threads/{self.rooms['threads']['threadId']}/cards"
        offer = {"type": "offer", "payload": {"amount": 100, "currency": "EUR"}}
        self.card_id = self._do("POST", cards, offer, self.member_token)["messageId"]

    def document(self) -> None:
        document = {"title": "Licence", "kind": "license", "body": "One year."}
        self.ids["documentId"] = self._do("POST", f"/threads/{self.rooms['threads']['threadId']}/documents", document)[
            "documentId"
        ]

    def expense(self) -> None:
        """An expense of the seller's, about which one may decide."""
        spent = {"title": "x", "amount": 1, "currency": "EUR", "category": "x", "incurredOn": "2026-11-16"}
        path = f"/threads/{self.rooms['threads']['threadId']}/expenses"
        self.ids["expenseId"] = self._do("POST", path, spent, self.member_token)["expenseId"]

    def participant(self) -> None:
        self.spare_again()
        self.helper = self.spare["userId"]

    def case(self) -> None:
        """A case about a new message."""
        messages = f"/channels/{self.ids['channelId']}/messages"
        message_id = self._do("POST", messages, {"content": "Buy now"})["messageId"]
        self.session.post(
            f"{self.url}/v1{messages}/{message_id}/report",
            json={"reason": "Spam"},
            headers=self._bearer(self.token),
            timeout=REQUEST_SECONDS,
        )
        [case] = self._do("GET", "/moderation/cases?limit=1", None, self.key)["items"]
        self.ids["caseId"] = case["caseId"]

    def ids_for(self, operation: str) -> dict[str, str]:
        """What exists, for the places of this operation."""
        part = operation.partition(".")[0]
        ids = self.ids | self.rooms.get("threads" if part == "records" else part, {}) | self.others.get(part, {})
        return ids | {"messageId": self.card_id} if operation in ("threads.getCard", "threads.moveCard") else ids

    def file(self) -> None:
        answer = self.session.post(
            f"{self.url}/v1/attachments",
            data=PICTURE,
            headers=self._bearer(self.token) | {"Content-Type": "image/gif"},
            timeout=REQUEST_SECONDS,
        )
        assert answer.ok, answer.text
        created = answer.json()
        self.ids["fileId"] = created["fileId"]
        self.tokens = {name: created[name].partition("token=")[2] for name in ("url", "previewUrl")}

    def invite(self) -> None:
        self.ids["code"] = self._do("POST", f"/servers/{self.ids['serverId']}/invites")["code"]

    def member_again(self) -> None:
        self.session.delete(
            f"{self.url}/v1/servers/{self.ids['serverId']}/bans/{self.member['userId']}",
            headers=self._bearer(self.token),
            timeout=REQUEST_SECONDS,
        )
        self.session.post(
            f"{self.url}/v1/invites/{self.ids['code']}/redeem",
            headers=self._bearer(self.member_token),
            timeout=REQUEST_SECONDS,
        )

    def tenant_user(self) -> None:
        self._do("PUT", f"/tenants/default/users/{self.ids['externalId']}", {}, self.key)

    def spare_again(self) -> None:
        self.spare, self.spare_token = self._register()

    def spare_session(self) -> None:
        login = {"email": self.spare["email"], "password": PASSWORD}
        token = self._do("POST", "/auth/login", login, "")["accessToken"]
        sessions = self._do("GET", "/users/me/sessions", None, token)["items"]
        self.ids["sessionId"] = next(session["sessionId"] for session in sessions if session["current"])

    def headers_of(self, operation: str) -> dict[str, str]:
        if operation in WITH_KEY or operation.startswith(("moderation.", "table.")):
            return self._bearer(self.key)
        return self._bearer(self.spare_token if operation in WITH_SPARE else self.token)

    def _register(self) -> tuple[dict[str, Any], str]:
        name = f"p-{uuid.uuid4().hex[:16]}"
        body = {"email": f"{name}@example.com", "username": name, "password": PASSWORD}
        answer = self._do("POST", "/auth/register", body, "")
        return answer["user"], answer["accessToken"]

    def _do(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        answer = self.session.request(
            method,
            f"{self.url}/v1{path}",
            json=body,
            headers=self._bearer(self.token if token is None else token),
            timeout=REQUEST_SECONDS,
        )
        assert answer.ok, answer.text
        return answer.json()

    @staticmethod
    def _bearer(token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}"} if token else {}


WITH_SPARE = {"accounts.logout", "accounts.deleteMe", "accounts.changePassword", "accounts.endSession"}
"""Operations that would end the session of who calls."""

WITH_KEY = {
    *("inboxes.setTenant", "inboxes.getTenant", "inboxes.setInbox", "inboxes.getInbox", "inboxes.publishMessage"),
    "inboxes.getPublish",
    *("webhooks.createWebhook", "webhooks.listWebhooks", "webhooks.getWebhook", "webhooks.changeWebhook"),
    *("webhooks.deleteWebhook", "webhooks.listDeliveries", "webhooks.replayWebhook", "webhooks.rotateSecret"),
    *(f"users.{verb}User" for verb in ("upsert", "getTenant", "delete", "disable", "enable", "countUnreadOf")),
    *("users.revokeTokens", "users.upsertUsers"),
}

RENEWED: dict[str, Callable[[Environment], None]] = {
    "accounts.logout": Environment.spare_again,
    "accounts.deleteMe": Environment.spare_again,
    "accounts.changePassword": Environment.spare_again,
    "accounts.endSession": Environment.spare_session,
    "communities.deleteServer": Environment.build,
    "communities.transferServer": Environment.build,
    "communities.deleteChannel": Environment.channel,
    "communities.removeMember": Environment.member_again,
    "communities.banMember": Environment.member_again,
    "invites.revokeInvite": Environment.invite,
    "workspaces.deleteWorkspace": Environment.workspace,
    "workspaces.removeMember": Environment.workspace,
    "workspaces.changeItem": Environment.item,
    "workspaces.deleteItem": Environment.item,
    "channels.deleteMessage": lambda env: env.message("channels"),
    "conversations.removeParticipant": Environment.conversation,
    "conversations.deleteMessage": lambda env: env.message("conversations"),
    "threads.deleteMessage": lambda env: env.message("threads"),
    "threads.moveCard": Environment.card,
    "threads.changeThread": Environment.thread,
    "threads.addParticipant": Environment.participant,
    "records.voidDocument": Environment.document,
    "records.addVersion": Environment.document,
    "records.signDocument": Environment.document,
    "records.decideExpense": Environment.expense,
    "moderation.decideCase": Environment.case,
    "attachments.deleteAttachment": Environment.file,
    "inboxes.deleteSegment": Environment.segment,
    "webhooks.deleteWebhook": Environment.webhook,
    "users.deleteUser": Environment.tenant_user,
}
"""What must be made again after an operation has succeeded."""


SIGNED = {"attachments.getContent": "url", "attachments.getPreview": "previewUrl"}
"""Operations that need no token but a signed address."""


def named_in_body(env: Environment, operation: str) -> dict[str, Any]:
    """What a body names that exists."""
    member = env.member["userId"]
    named = {
        "accounts.login": {"email": env.me["email"], "password": PASSWORD},
        "accounts.deleteMe": {"password": PASSWORD},
        "accounts.changePassword": {"current": PASSWORD},
        "communities.transferServer": {"userId": member},
        "workspaces.changeItem": {"version": env.version},
        "conversations.createConversation": {"userIds": [member]},
        "conversations.addParticipant": {"userId": env.spare["userId"]},
        "threads.createThread": {"sellerUserId": member, "listingId": "lst-1"},
        "threads.addParticipant": {"userId": env.helper, "roleContext": "buyer"},
        "threads.createCard": {"type": "offer", "payload": {"amount": 100, "currency": "EUR"}},
        "records.addVersion": {"version": 1, "fileId": None},
        "records.signDocument": {"version": 1},
        "records.decideExpense": {"version": 1},
        "threads.moveCard": {"to": "accepted", "version": 1, "payload": None},
    }
    # Nothing is sent: the name never resolves, and the room does not exist.
    silent = {"url": "https://receiver.invalid/", "events": ["message.*"], "rooms": ["none"]}
    named["webhooks.createWebhook"] = named["webhooks.changeWebhook"] = silent
    for kind, room in env.rooms.items():
        named[f"{kind}.markRead"] = {"messageId": room["messageId"]}
        named[f"{kind}.sendMessage"] = {"replyTo": room["messageId"]}
    return named.get(operation, {})


def make_real(case: Case[Any], env: Environment, operation: str) -> None:
    """Let a request name things that exist, and come with a good token, which schemathesis likes to replace."""
    if case.headers:
        case.headers.pop("Authorization", None)
    ids = env.ids_for(operation)
    for name in case.path_parameters or ():
        case.path_parameters[name] = ids[name]
    if isinstance(case.body, dict):
        case.body.update(named_in_body(env, operation))
        if operation == "table.runPattern":
            case.body = {"user_id": ids["userId"]}  # exactly the parts of its key
    for name in ("before", "after", "around"):
        if name in case.query:
            case.query[name] = ids["messageId"]
    if operation in SIGNED:
        case.query["token"] = env.tokens[SIGNED[operation]]


@schemathesis.serializer("application/x-ndjson")
def lines_of_json(context: Any, value: Any) -> bytes:
    return str(value).encode(errors="surrogatepass")


@pytest.mark.long
@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("engine", SCHEMATHESIS_ENGINES, indirect=True)
def test_every_answer_is_one_that_the_document_describes(server: Server, engine: str) -> None:
    env = Environment(server.url, asyncio.run(new_key(server, "admin")))
    env.ids["token"] = asyncio.run(unsubscribe_token(server, env.member["userId"]))
    examples = EXAMPLES if engine == "embedded" else max(1, EXAMPLES // 2)
    document = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    seen: Counter[int] = Counter()
    wrong: dict[str, str] = {}
    tried: set[str] = set()

    for result in document.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        name = operation.definition.raw["operationId"]
        documented = set(operation.definition.raw["responses"])
        tried.add(name)

        def attempt(case: Case[Any], real: bool, name: str = name, documented: set[str] = documented) -> None:
            if real:
                make_real(case, env, name)
            assume(len(quote(f"{case.path_parameters}{case.query}")) < MAX_URL)
            answer = case.call(
                base_url=server.url, session=env.session, headers=env.headers_of(name), timeout=REQUEST_SECONDS
            )
            seen[answer.status_code] += 1
            # A request that was made real may have become a good one.
            case.validate_response(answer, checks=CHECKS if real else [*CHECKS, negative_data_rejection])
            assert str(answer.status_code) in documented, f"{answer.status_code} is not documented: {answer.text}"
            if answer.status_code < 300 and name in RENEWED:
                RENEWED[name](env)

        modes = [GenerationMode.POSITIVE, *[GenerationMode.NEGATIVE] * (len(tried) % SCHEMATHESIS_STEP == 0)]
        for mode in modes:
            try:
                _many(operation.as_strategy(generation_mode=mode), examples, attempt)
            except Unsatisfiable:
                # Nothing about this operation can be wrong.
                assert mode is GenerationMode.NEGATIVE, name
            except (AssertionError, BaseExceptionGroup) as error:
                wrong[f"{name} ({mode.value})"] = shortened(error)

    print(dict(sorted(seen.items())))
    assert wrong == {}, "\n\n".join(f"{name}: {why}" for name, why in wrong.items())
    assert tried == {
        operation["operationId"] for methods in document.raw_schema["paths"].values() for operation in methods.values()
    }
    assert sum(seen[status] for status in (200, 201, 202, 204)) > sum(seen.values()) / 6, "most of it hit nothing"


def shortened(error: BaseException) -> str:
    """What went wrong, without the pages that a long request fills."""
    errors = error.exceptions if isinstance(error, BaseExceptionGroup) else [error]
    lines = [line[:400] for each in (error, *errors) for line in f"{type(each).__name__}: {each}".splitlines()]
    return "\n".join(dict.fromkeys(lines))[:4000]


def _many(cases: st.SearchStrategy[Case[Any]], examples: int, attempt: Callable[[Case[Any], bool], None]) -> None:
    """So many cases, each time the same; two thirds of them with things that exist."""

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, real=st.sampled_from([True, True, False]))
    def attempts(case: Case[Any], real: bool) -> None:
        attempt(case, real)

    attempts()
