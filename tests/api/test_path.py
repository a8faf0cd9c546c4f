"""The whole path, from registration to the history of a channel: every route, with the answer that is documented.

It is one story for each engine (`lengths.PATH_ENGINES`), in chapters; at its end every route of the served document
must have been called.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from typing import Any

import aiohttp
import pytest

from api.calling import PASSWORD, PICTURE, ULID, UNKNOWN_ID, Caller, log_in, register, signed_in
from api.program_chapters import programs_take_part
from api.running import Server, sobremesa, unsubscribe_token
from api.thread_chapters import two_users_agree_on_a_deal
from lengths import PATH_ENGINES
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.domains.accounts.entities import User
from sobremesa.table import Put

SERVER = {"serverId", "name", "ownerId", "iconUrl", "createdAt", "updatedAt", "data"}
CHANNEL = {"channelId", "serverId", "name", "topic", "private", "lastMessageId", "createdAt", "updatedAt", "data"}
INVITE = {"code", "serverId", "createdBy", "expiresAt", "maxUses", "uses", "createdAt"}
FACE = {"userId", "username", "displayName", "avatarUrl"}
MEMBER = {*FACE, "serverId", "role", "joinedAt", "bot"}
MESSAGE = {
    *(
        "messageId",
        "roomId",
        "roomKind",
        "type",
        "authorId",
        "username",
        "displayName",
        "content",
        "edited",
        "editedAt",
    ),
    *("deleted", "replyTo", "attachments", "reactions", "mentions", "createdAt", "action", "flags", "nsfwBand", "data"),
}
CONVERSATION = {
    *("convoId", "type", "name", "other", "lastMessageId", "lastMessageBody", "lastMessageSender", "lastMessageAt"),
    *("unread", "muted", "role", "participantCount", "createdBy", "createdAt", "updatedAt", "data"),
}
PARTICIPANT = {
    *(
        "userId",
        "username",
        "displayName",
        "avatarUrl",
        "convoId",
        "role",
        "joinedAt",
        "lastReadMessageId",
        "lastReadAt",
    ),
}
INBOX_MESSAGE = {
    *("messageId", "sender", "title", "body", "category", "ctaUri", "readAt", "archivedAt", "snoozedUntil"),
    *("receivedAt", "expiresAt", "audience"),
}
ME = {
    *("userId", "username", "displayName", "email", "avatarUrl", "tenant", "externalId", "isAdmin", "createdAt"),
    *("updatedAt", "bot"),
}
TENANT_USER = {
    *("userId", "externalId", "username", "displayName", "email", "avatarUrl", "data", "locale", "timeZone", "isBot"),
    *("disabled", "createdAt", "updatedAt"),
}
CASE = {
    *("caseId", "messageId", "roomKind", "roomId", "authorId", "reportedBy", "reason", "origin", "state", "createdAt"),
    *("decision", "decidedBy", "decidedAt", "note", "message"),
    *("subject", "room", "author", "reporter", "verdict", "tab"),
}
ACCUSED = {"content", "username", "displayName", "attachments", "action", "flags", "nsfwBand", "createdAt", "editedAt"}
FILE = {"fileId", "name", "kind", "mime", "size", "width", "height", "url", "previewUrl", "expiresAt"}
SIGNED_IN = {"user", "accessToken", "refreshToken", "expiresIn"}


class Story:
    """What happened so far, and to whom."""

    def __init__(self, server: Server, http: aiohttp.ClientSession, word: str) -> None:
        self.server = server
        self.http = http
        self.word = word
        self.anonymous = Caller(http)
        self.ana = self.ben = self.cleo = self.anonymous
        self.server_id = self.channel_id = ""
        self.called = self.anonymous.called

    async def new_user(self, name: str) -> Caller:
        return self.kept(await register(self.http, f"{name}-{self.word}"))

    def kept(self, caller: Caller) -> Caller:
        """From now on its calls count too."""
        self.called |= caller.called
        caller.called = self.called
        return caller

    @property
    def at(self) -> str:
        return f"/channels/{self.channel_id}"


@pytest.mark.parametrize("engine", PATH_ENGINES, indirect=True)
async def test_every_route_answers_as_documented(server: Server, http: aiohttp.ClientSession, fresh: str) -> None:
    story = Story(server, http, fresh)

    await users_register_log_in_and_refresh(story)
    await a_profile_is_seen_and_changed(story)
    await users_are_found_and_blocked(story)
    await a_server_is_created_and_changed(story)
    await channels_are_created_and_changed(story)
    await users_join_by_invites(story)
    await users_send_messages(story)
    await a_user_polls(story)
    await a_user_reads_presence(story)
    await users_watch_a_channel(story)
    await users_react_and_pin(story)
    await users_read(story)
    await users_have_conversations(story)
    await a_group_changes(story)
    await files_are_uploaded_and_fetched(story)
    await the_product_publishes_notifications(story)
    await users_choose_what_notifies_them(story)
    await the_product_keeps_its_users(story)
    await the_product_registers_a_webhook(story)
    await users_share_a_workspace(story)
    await users_export_their_data(story)
    await two_users_agree_on_a_deal(story)
    await members_get_roles_and_are_removed(story)
    await programs_take_part(story)
    await the_server_changes_hands_and_ends(story)
    await administrators_see_every_server(story)
    await moderators_decide_about_cases(story)
    await the_product_imports_its_history(story)
    await operators_look_at_the_table(story)
    await sessions_and_passwords_end(story)
    await an_account_is_deleted(story)

    await nothing_was_left_out(story)


async def users_register_log_in_and_refresh(story: Story) -> None:
    name = f"ana-{story.word}"
    registration = {"email": f"{name}@Example.com", "username": name, "password": PASSWORD}
    answer = await story.anonymous.post("/auth/register", registration)
    assert answer.keys() == SIGNED_IN
    assert answer["user"].keys() == ME
    assert ULID.fullmatch(answer["user"]["userId"])
    assert (answer["user"]["email"], answer["user"]["tenant"]) == (f"{name}@example.com", "default")
    assert answer["expiresIn"] == 600

    same_email = registration | {"username": f"other-{name}"[:32]}
    assert (await story.anonymous.post("/auth/register", same_email, expect=409))["code"] == "email_taken"
    same_name = registration | {"email": f"other-{name}@example.com", "username": name.upper()}
    assert (await story.anonymous.post("/auth/register", same_name, expect=409))["code"] == "username_taken"
    problem = await story.anonymous.post("/auth/register", {**registration, "password": "short"}, expect=422)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid", "#/password")
    problem = await story.anonymous.post("/auth/register", {**registration, "email": "no address"}, expect=422)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("invalid", "#/email")

    by_mail = f"mail-{story.word}"
    asked = {"email": f"{by_mail}@example.com", "username": by_mail, "password": PASSWORD}
    for email in (registration["email"], asked["email"]):
        answer = await story.anonymous.post("/auth/registrations", asked | {"email": email}, expect=202)
        assert answer == {"accepted": True}
    token = await asyncio.to_thread(story.server.mailed_token_of, asked["email"])
    answer = await story.anonymous.post("/auth/registrations/confirm", {"token": token})
    assert (answer.keys(), answer["user"]["username"]) == (SIGNED_IN, by_mail)
    used = await story.anonymous.post("/auth/registrations/confirm", {"token": token}, expect=422)
    assert used["code"] == "bad_registration_token"

    login = {"email": f"{name.upper()}@EXAMPLE.com", "password": PASSWORD, "device": "a phone"}
    by_name = await story.anonymous.post("/auth/login", login | {"email": name.upper()}, expect=200)
    answer = await story.anonymous.post("/auth/login", login, expect=200)
    assert by_name["user"] == answer["user"]
    assert answer.keys() == SIGNED_IN
    wrong = await story.anonymous.call("POST", "/auth/login", login | {"password": "not this one"})
    unknown = await story.anonymous.call("POST", "/auth/login", login | {"email": f"unknown-{name}@example.com"})
    assert wrong.status == unknown.status == 401
    assert wrong.raw == unknown.raw

    refreshed = await story.anonymous.post("/auth/refresh", {"refreshToken": answer["refreshToken"]}, expect=200)
    assert refreshed.keys() == SIGNED_IN
    assert refreshed["refreshToken"] != answer["refreshToken"]
    again = await story.anonymous.post("/auth/refresh", {"refreshToken": answer["refreshToken"]}, expect=200)
    assert again["refreshToken"] == refreshed["refreshToken"], "a lost answer can be had once more"
    latest = await story.anonymous.post("/auth/refresh", {"refreshToken": refreshed["refreshToken"]}, expect=200)
    ended = await story.anonymous.post("/auth/refresh", {"refreshToken": answer["refreshToken"]}, expect=401)
    assert ended["code"] == "session_ended"
    await story.anonymous.post("/auth/refresh", {"refreshToken": latest["refreshToken"]}, expect=401)

    story.ana = story.kept(await log_in(story.http, name, device="a laptop"))
    story.ben, story.cleo = await story.new_user("ben"), await story.new_user("cleo")


async def a_profile_is_seen_and_changed(story: Story) -> None:
    me = await story.ana.get("/users/me")
    assert me.keys() == ME
    assert me == story.ana.user

    unchanged = await story.ana.patch("/users/me")
    assert unchanged | {"updatedAt": me["updatedAt"]} == me, "a body whose fields are all optional may be left out"
    picture = "/v1/attachments/" + UNKNOWN_ID
    changed = await story.ana.patch("/users/me", {"avatarUrl": picture})
    assert (changed["avatarUrl"], changed["username"]) == (picture, me["username"])
    assert (await story.ana.patch("/users/me", {"username": story.ben.name}, expect=409))["code"] == "username_taken"
    problem = await story.ana.patch("/users/me", {"user_name": "x"}, expect=422)
    assert problem["errors"][0]["pointer"] == "#/user_name"


async def users_are_found_and_blocked(story: Story) -> None:
    ben = await story.ana.get(f"/users/{story.ben.user_id}")
    assert ben.keys() == {*FACE, "createdAt", "bot"}
    assert (await story.ana.get(f"/users/{UNKNOWN_ID}", expect=404))["code"] == "not_found"
    assert await story.ana.get("/users", username=story.ben.name.upper()) == {"items": [ben], "next": None}
    assert await story.ana.get("/users", username="no such user") == {"items": [], "next": None}

    blocks = "/users/me/blocks"
    await story.ana.get(f"{blocks}/{story.ben.user_id}", expect=404)
    block = await story.ana.put(f"{blocks}/{story.ben.user_id}")
    assert block.keys() == {*FACE, "createdAt"}
    assert await story.ana.put(f"{blocks}/{story.ben.user_id}") == block
    assert await story.ana.get(f"{blocks}/{story.ben.user_id}") == block
    assert (await story.ana.put(f"{blocks}/{story.ana.user_id}", expect=422))["code"] == "self_block"
    await story.ana.put(f"{blocks}/{UNKNOWN_ID}", expect=404)
    await story.ana.put(f"{blocks}/{story.cleo.user_id}")
    listed = await pages(story.ana, blocks, limit=1)
    assert {item["userId"] for item in listed} == {story.ben.user_id, story.cleo.user_id}
    for caller in (story.ben, story.cleo):
        await story.ana.delete(f"{blocks}/{caller.user_id}")
    await story.ana.delete(f"{blocks}/{story.ben.user_id}", expect=404)


async def a_server_is_created_and_changed(story: Story) -> None:
    key = {"Idempotency-Key": story.word}
    created = await story.ana.post("/servers", {"name": "The long table"}, headers=key)
    assert created.keys() == SERVER
    assert (created["ownerId"], created["iconUrl"]) == (story.ana.user_id, None)
    assert await story.ana.post("/servers", {"name": "The long table"}, headers=key) == created
    reused = await story.ana.post("/servers", {"name": "Another table"}, headers=key, expect=409)
    assert reused["code"] == "idempotency_key_reused"
    story.server_id = created["serverId"]
    at = f"/servers/{story.server_id}"

    assert await story.ana.get("/servers") == {"items": [created], "next": None}
    assert await story.ana.get("/servers?counts=true") == {"items": [created | {"channelCount": 0}], "next": None}
    assert await story.ana.get(at) == created
    seen = await story.ana.call("GET", at)
    unchanged = await story.ana.call("GET", at, headers={"If-None-Match": seen.headers["etag"]})
    assert unchanged.status == 304
    assert await story.ana.patch(at) == created
    changed = await story.ana.patch(at, {"name": "The longer table", "iconUrl": "/v1/attachments/icon"})
    assert (changed["name"], changed["iconUrl"]) == ("The longer table", "/v1/attachments/icon")
    assert (await story.ana.patch(at, {"iconUrl": None}))["iconUrl"] is None
    assert (await story.ana.patch(at, {"name": " "}, expect=422))["code"] == "invalid"
    assert (await story.ana.patch(at, {"name": "x" * 70_000}, expect=413))["code"] == "too_large"

    for number in range(2):
        await story.ana.post("/servers", {"name": f"Side table {number}"})
    names = {server["name"] for server in await pages(story.ana, "/servers", limit=1)}
    assert names == {"The longer table", "Side table 0", "Side table 1"}
    assert (await story.ana.get("/servers", limit=101, expect=422))["code"] == "invalid"
    assert (await story.ana.get("/servers", cursor="not one of ours", expect=422))["code"] == "bad_cursor"


async def channels_become_private(story: Story) -> None:
    at, public = f"{story.at}/access", {"channelId": story.channel_id, "private": False, "roles": [], "userIds": []}
    assert await story.ana.get(at) == public
    wanted = {"roles": ["moderator"], "userIds": [story.ana.user_id]}
    private = await story.ana.put(at, wanted)
    assert private == {"channelId": story.channel_id, "private": True, **wanted}
    assert await story.ana.get(at) == private
    assert (await story.ana.get(story.at))["private"] is True
    assert [each["userId"] for each in (await story.ana.get(f"{story.at}/members"))["items"]] == [story.ana.user_id]
    unknown = await story.ana.put(at, {"userIds": ["01M00000000000000000000000"]}, expect=422)
    assert (unknown["code"], unknown["userIds"]) == ("unknown_user", ["01M00000000000000000000000"])
    assert (await story.ana.put(at, {"roles": ["chef"]}, expect=422))["code"] == "invalid"
    assert await story.ana.put(at, {"roles": None, "userIds": None}) == public
    await story.ana.put(at, {"roles": []})
    await story.ana.delete(at)
    assert await story.ana.get(at) == public
    secret = {"name": "secret", "access": {"userIds": []}}
    outcome = await story.ana.post(f"/servers/{story.server_id}/channels", secret)
    assert outcome["private"] is True
    await story.ana.delete(f"/channels/{outcome['channelId']}")


async def channels_are_created_and_changed(story: Story) -> None:
    at = f"/servers/{story.server_id}/channels"
    created = await story.ana.post(at, {"name": "general", "topic": "Everything"})
    assert created.keys() == CHANNEL
    assert (created["topic"], created["lastMessageId"]) == ("Everything", None)
    story.channel_id = created["channelId"]
    other = await story.ana.post(at, {"name": "kitchen"})
    assert {item["channelId"] for item in await pages(story.ana, at, limit=1)} == {
        created["channelId"],
        other["channelId"],
    }

    assert await story.ana.get(story.at) == created
    assert await story.ana.patch(story.at) == created
    changed = await story.ana.patch(story.at, {"name": "lounge", "topic": None})
    assert (changed["name"], changed["topic"]) == ("lounge", None)
    await channels_become_private(story)
    await story.ana.delete(f"/channels/{other['channelId']}")
    await story.ana.get(f"/channels/{other['channelId']}", expect=404)
    assert [item["name"] for item in (await story.ana.get(at))["items"]] == ["lounge"]


async def users_join_by_invites(story: Story) -> None:
    at = f"/servers/{story.server_id}/invites"
    unlimited = await story.ana.post(at)
    assert unlimited.keys() == INVITE
    assert (unlimited["maxUses"], unlimited["expiresAt"], unlimited["uses"]) == (None, None, 0)
    once = await story.ana.post(at, {"maxUses": 1, "expiresInSeconds": 3600})
    assert once["maxUses"] == 1
    assert once["expiresAt"] > once["createdAt"]
    assert {item["code"] for item in await pages(story.ana, at, limit=1)} == {unlimited["code"], once["code"]}

    target = await story.ben.get(f"/invites/{once['code']}")
    assert target.keys() == {"code", "kind", "server", "expiresAt"}
    assert (target["kind"], target["server"].keys()) == ("server", SERVER)
    joined = await story.ben.post(f"/invites/{once['code']}/redeem", expect=200)
    assert joined.keys() == {"kind", "serverId", "server", "role", "joinedAt"}
    assert joined["role"] == "member"
    again = await story.ben.post(f"/invites/{unlimited['code']}/redeem", expect=409)
    assert again["code"] == "already_member"
    await story.cleo.post(f"/invites/{once['code']}/redeem", expect=409)
    await story.cleo.post(f"/invites/{unlimited['code']}/redeem", expect=200)
    await story.cleo.get("/invites/neverAnInvite", expect=404)

    assert [item["code"] for item in (await story.ana.get(at))["items"]] == [unlimited["code"]]
    await story.ana.delete(f"/invites/{unlimited['code']}")
    await story.ana.delete(f"/invites/{unlimited['code']}", expect=404)
    await story.cleo.get(f"/invites/{unlimited['code']}", expect=404)


async def users_send_messages(story: Story) -> None:
    messages = f"{story.at}/messages"
    draft = {"content": f"Hello @{story.ben.name}", "nonce": "one"}
    first = await story.ana.post(messages, draft)
    assert first.keys() == {*MESSAGE, "replayed"}
    assert (first["replayed"], first["roomKind"], first["mentions"]) == (False, "channel", [story.ben.user_id])
    assert (first["edited"], first["editedAt"], first["deleted"]) == (False, None, False)
    again = await story.ana.post(messages, draft, expect=200)
    assert again == first | {"replayed": True}
    reused = await story.ana.post(messages, draft | {"content": "Something else"}, expect=409)
    assert reused["code"] == "nonce_reused"
    reply = await story.ben.post(messages, {"content": "Hello", "replyTo": first["messageId"]})
    assert reply["replyTo"] == first["messageId"]
    missing = await story.ben.post(messages, {"content": "Hello", "replyTo": UNKNOWN_ID}, expect=422)
    assert missing["code"] == "reply_missing"
    for content in ("", "x" * 4001):
        await story.ben.post(messages, {"content": content}, expect=422)
    sent = [first, reply, *[await story.ben.post(messages, {"content": str(number)}) for number in range(5)]]
    ids = [message["messageId"] for message in sent]

    newest_first = await pages(story.cleo, messages, limit=3)
    assert [message["messageId"] for message in newest_first] == ids[::-1]
    assert all(message.keys() == MESSAGE for message in newest_first)
    before = await story.cleo.get(messages, before=ids[3], limit=2)
    assert [message["messageId"] for message in before["items"]] == [ids[2], ids[1]]
    after = await story.cleo.get(messages, after=ids[3], limit=2)
    assert [message["messageId"] for message in after["items"]] == [ids[4], ids[5]]
    around = await story.cleo.get(messages, around=ids[3], limit=3)
    assert [message["messageId"] for message in around["items"]] == [ids[4], ids[3], ids[2]]
    both = await story.cleo.get(messages, before=ids[3], after=ids[1], expect=422)
    assert both["code"] == "one_direction"

    mine = f"{messages}/{ids[0]}"
    assert await story.cleo.get(mine) == {name: first[name] for name in MESSAGE}
    await story.cleo.get(f"{messages}/{UNKNOWN_ID}", expect=404)
    assert await story.cleo.get(f"/messages/{ids[0]}") == {name: first[name] for name in MESSAGE}
    await story.cleo.get(f"/messages/{UNKNOWN_ID}", expect=404)
    edited = await story.ana.patch(mine, {"content": "Hello, all"})
    assert (edited["content"], edited["edited"], edited["mentions"]) == ("Hello, all", True, [])
    await story.ben.patch(mine, {"content": "Not mine"}, expect=403)
    await story.ben.delete(f"{messages}/{ids[6]}")
    tombstone = await story.cleo.get(f"{messages}/{ids[6]}")
    assert (tombstone["deleted"], tombstone["content"]) == (True, "")
    assert await story.ben.post(f"{messages}/{ids[5]}/report", {"reason": "It is a number."}, expect=202) is None
    assert (await story.ana.get(story.at))["lastMessageId"] == ids[6]
    await story.ana.post(f"{story.at}/typing", expect=204)
    await story.ana.delete(f"{story.at}/typing")


async def users_react_and_pin(story: Story) -> None:
    newest = (await story.ana.get(f"{story.at}/messages", limit=2))["items"][1]
    message = f"{story.at}/messages/{newest['messageId']}"
    for caller, emoji in itertools.product((story.ana, story.ben), ("👍", "🌶")):
        await caller.put(f"{message}/reactions/{emoji}", expect=204)
    await story.ana.put(f"{message}/reactions/👍", expect=204)
    await story.ben.delete(f"{message}/reactions/🌶")
    await story.ben.delete(f"{message}/reactions/🌶")
    seen = {reaction["emoji"]: reaction for reaction in (await story.ben.get(message))["reactions"]}
    both = {story.ana.user_id, story.ben.user_id}
    assert (seen["👍"]["count"], set(seen["👍"]["userIds"]), seen["👍"]["me"]) == (2, both, True)
    assert seen["🌶"] == {"emoji": "🌶", "count": 1, "userIds": [story.ana.user_id], "me": False}
    reactors = await pages(story.ana, f"{message}/reactions/👍", limit=1)
    assert {reactor["userId"] for reactor in reactors} == both
    assert all(reactor.keys() == {*FACE, "createdAt"} for reactor in reactors)

    pin = f"{story.at}/pins/{newest['messageId']}"
    await story.ana.put(pin, expect=204)
    await story.ana.put(pin, expect=204)
    [pinned] = (await story.ben.get(f"{story.at}/pins"))["items"]
    assert pinned.keys() == {"message", "pinnedBy", "pinnedAt"}
    assert pinned["message"]["messageId"] == newest["messageId"]
    await story.ben.put(pin, expect=403)
    await story.ana.delete(pin)
    await story.ana.delete(pin)
    assert (await story.ben.get(f"{story.at}/pins"))["items"] == []


async def a_user_polls(story: Story) -> None:
    """What happened since a cursor, by one request."""
    now = await story.ben.get("/events")
    assert now["items"] == []
    channel = await story.ana.patch(story.at, {"topic": "For those who poll"})
    topics: list[Any] = []
    while not topics:  # on DynamoDB earlier events may still arrive
        polled = await story.ben.get("/events", after=now["next"], wait=20)
        now = polled
        changed = [event for event in polled["items"] if event["t"] == "channel.updated"]
        topics = [event for event in changed if event["d"]["topic"] == channel["topic"]]
    assert topics[0].keys() == {"t", "s", "id", "d"}
    assert topics[0]["d"] == channel


async def a_user_reads_presence(story: Story) -> None:
    """Nobody is: this story has no sockets."""
    asked = await story.ana.get("/presence", userIds=f"{story.ben.user_id},{story.ana.user_id}")
    assert asked == {
        "items": [
            {"userId": story.ben.user_id, "status": "offline"},
            {"userId": story.ana.user_id, "status": "offline"},
        ]
    }
    await story.ana.get("/presence", userIds=",".join(f"u{number}" for number in range(101)), expect=422)


async def users_watch_a_channel(story: Story) -> None:
    """As clients that poll do; `unknown` is a channel that does not exist."""
    body = {"channelIds": [story.channel_id, "unknown"]}
    [watched] = (await story.ben.put("/watching", body))["channels"]
    assert watched.keys() == {"channelId", "serverId", "lastMessageId"}
    assert (watched["channelId"], watched["serverId"]) == (story.channel_id, story.server_id)
    [viewer] = (await story.ana.get(f"{story.at}/viewers"))["items"]
    assert viewer.keys() == {"userId", "username", "displayName", "avatarUrl", "since"}
    assert viewer["userId"] == story.ben.user_id
    await story.ben.put("/watching", {"channelIds": [f"c{number}" for number in range(21)]}, expect=422)


async def users_read(story: Story) -> None:
    newest = (await story.ana.get(f"{story.at}/messages", limit=3))["items"]
    unread = await story.cleo.get(f"{story.at}/unread")
    assert unread.keys() == {"count", "capped", "mentions"}
    assert (unread["count"], unread["capped"]) == (6, False)
    everywhere = await story.cleo.get("/users/me/unread")
    assert everywhere.keys() == {"total", "rooms", "inboxes"}
    assert everywhere["total"] == unread
    [room] = everywhere["rooms"]
    assert room == {"roomKind": "channel", "roomId": story.channel_id, "muted": False, **unread}

    read = await story.cleo.put(f"{story.at}/read", {"messageId": newest[2]["messageId"]})
    assert read["unread"]["count"] == 1
    assert read["lastReadMessageId"] == newest[2]["messageId"]
    back = await story.cleo.put(f"{story.at}/read", {"messageId": newest[0]["messageId"]})
    assert (back["unread"]["count"], back["lastReadMessageId"]) == (0, newest[0]["messageId"])
    again = await story.cleo.put(f"{story.at}/read", {"messageId": newest[2]["messageId"]})
    assert again["lastReadMessageId"] == newest[0]["messageId"], "it never moves back"
    readers = await pages(story.ana, f"{story.at}/readers", limit=1)
    assert all(reader.keys() == {*FACE, "lastReadMessageId", "readAt"} for reader in readers)
    assert {reader["userId"]: reader["lastReadMessageId"] for reader in readers}[story.cleo.user_id] == newest[0][
        "messageId"
    ]

    assert await story.cleo.put(f"{story.at}/preferences", {"muted": True}) == {"muted": True}
    await story.ana.post(f"{story.at}/messages", {"content": "Is anybody there?"})
    everywhere = await story.cleo.get("/users/me/unread")
    assert [(room["count"], room["muted"]) for room in everywhere["rooms"]] == [(1, True)]
    assert everywhere["total"]["count"] == 0
    assert await story.cleo.put(f"{story.at}/preferences", {"muted": False}) == {"muted": False}


async def users_have_conversations(story: Story) -> None:
    both = {"type": "direct", "userIds": [story.ben.user_id]}
    begun = await story.ana.post("/conversations", both)
    assert begun.keys() == CONVERSATION
    assert (begun["type"], begun["name"], begun["other"]["username"]) == ("direct", None, story.ben.name)
    assert begun["unread"] == {"count": 0, "capped": False, "mentions": 0}
    again = await story.ben.post("/conversations", both | {"userIds": [story.ana.user_id]}, expect=200)
    assert again["convoId"] == begun["convoId"]
    unknown = await story.ana.post("/conversations", both | {"userIds": [UNKNOWN_ID]}, expect=422)
    assert (unknown["code"], unknown["userIds"]) == ("unknown_user", [UNKNOWN_ID])
    refused = await story.ana.post(
        "/conversations", both | {"userIds": [story.ben.user_id, story.cleo.user_id]}, expect=422
    )
    assert refused["code"] == "wrong_company"

    at = f"/conversations/{begun['convoId']}"
    sent = await story.ana.post(f"{at}/messages", {"content": "Just between us", "nonce": "a"})
    assert sent.keys() == {*MESSAGE, "replayed"}
    assert sent["roomKind"] == "conversation"
    await story.cleo.post(f"{at}/messages", {"content": "Me too!"}, expect=404)
    [row] = (await story.ben.get("/conversations"))["items"]
    assert row.keys() == CONVERSATION
    assert (row["lastMessageBody"], row["lastMessageSender"]) == ("Just between us", story.ana.user_id)
    assert (row["lastMessageId"], row["lastMessageAt"]) == (sent["messageId"], sent["createdAt"])
    assert row["unread"]["count"] == 1
    await every_room_route(story, at, sent["messageId"])


async def every_room_route(story: Story, at: str, message_id: str) -> None:
    """What the channels have shown in detail works in a room of another kind."""
    message = f"{at}/messages/{message_id}"
    assert [item["messageId"] for item in (await story.ben.get(f"{at}/messages"))["items"]] == [message_id]
    assert (await story.ana.patch(message, {"content": "Between us"}))["edited"]
    assert (await story.ben.get(message))["content"] == "Between us"
    assert await story.ben.get(f"/messages/{message_id}") == await story.ben.get(message)
    await story.cleo.get(f"/messages/{message_id}", expect=404)
    await story.ben.put(f"{message}/reactions/👍", expect=204)
    assert [who["userId"] for who in (await story.ana.get(f"{message}/reactions/👍"))["items"]] == [story.ben.user_id]
    await story.ben.delete(f"{message}/reactions/👍")
    await story.ana.put(f"{at}/pins/{message_id}", expect=204)
    assert len((await story.ben.get(f"{at}/pins"))["items"]) == 1
    await story.ana.delete(f"{at}/pins/{message_id}")
    assert (await story.ben.get(f"{at}/unread"))["count"] == 1
    assert (await story.ben.put(f"{at}/read", {"messageId": message_id}))["unread"]["count"] == 0
    readers = (await story.ana.get(f"{at}/readers"))["items"]
    assert {who["userId"] for who in readers} == {story.ana.user_id, story.ben.user_id}
    await story.ben.post(f"{at}/typing", expect=204)
    await story.ben.delete(f"{at}/typing")
    assert await story.ben.put(f"{at}/preferences", {"muted": True}) == {"muted": True}
    assert await story.ben.post(f"{message}/report", {"reason": "Too secret"}, expect=202) is None
    await story.ana.delete(message)
    assert (await story.ben.get(message))["deleted"]


async def a_group_changes(story: Story) -> None:
    group = await story.ana.post("/conversations", {"type": "group", "userIds": [story.ben.user_id], "name": "Lunch"})
    assert (group["name"], group["role"], group["participantCount"]) == ("Lunch", "admin", 2)
    at = f"/conversations/{group['convoId']}"
    assert (await story.ana.patch(at, {"name": "Dinner"}))["name"] == "Dinner"
    await story.ben.patch(at, {"name": "Mine"}, expect=403)
    added = await story.ana.post(f"{at}/participants", {"userId": story.cleo.user_id})
    assert added.keys() == PARTICIPANT
    assert (added["username"], added["role"]) == (story.cleo.name, "member")
    taken = await story.ana.post(f"{at}/participants", {"userId": story.cleo.user_id}, expect=409)
    assert taken["code"] == "already_member"
    seats = await pages(story.ben, f"{at}/participants", limit=2)
    assert {seat["userId"] for seat in seats} == {story.ana.user_id, story.ben.user_id, story.cleo.user_id}
    assert (await story.ben.get(at))["convoId"] == group["convoId"]

    mine = f"{at}/participants/{story.ana.user_id}"
    assert (await story.ana.delete(mine, expect=409))["code"] == "last_admin"
    promoted = await story.ana.patch(f"{at}/participants/{story.ben.user_id}", {"role": "admin"})
    assert promoted["role"] == "admin"
    await story.ana.delete(mine)
    await story.ana.get(at, expect=404)
    await story.ben.delete(f"{at}/participants/{story.cleo.user_id}")
    assert group["convoId"] not in {row["convoId"] for row in await pages(story.cleo, "/conversations", limit=1)}


async def files_are_uploaded_and_fetched(story: Story) -> None:
    created = await story.ana.post("/attachments", PICTURE, name="dot.gif")
    assert created.keys() == FILE
    assert (created["name"], created["kind"], created["mime"], created["size"]) == (
        "dot.gif",
        "preview",
        "image/gif",
        len(PICTURE),
    )
    at = f"/attachments/{created['fileId']}"
    assert (await story.ana.get(at)).keys() == FILE
    several = await story.ana.get("/attachments", ids=f"{created['fileId']},{'0' * 26}")
    assert [one["fileId"] for one in several["items"]] == [created["fileId"]]
    assert (await story.ana.post(f"{at}/complete", expect=200)).keys() == FILE
    for what, url in (("content", created["url"]), ("preview", created["previewUrl"])):
        token = url.removeprefix(f"/v1{at}/{what}?token=")
        fetched = await story.anonymous.call("GET", f"{at}/{what}", token=token)
        assert (fetched.status, fetched.headers["x-content-type-options"]) == (200, "nosniff")
        assert (fetched.raw == PICTURE) == (what == "content")
    await story.ben.get(at, expect=404)
    await story.ben.delete(at, expect=404)
    await story.ana.delete(at)
    await story.ana.get(at, expect=404)
    asked = {"name": "dot.gif", "mime": "image/gif", "size": len(PICTURE)}
    assert (await story.ana.post("/attachments", asked, expect=409))["code"] == "no_presigned_uploads"


async def data_has_a_schema(story: Story, key: Caller) -> None:
    at = "/tenants/default/data-schemas/thread"
    schema = {"type": "object", "required": [f"order-{story.word}"]}
    assert (await key.put(at, {"schema": schema})).keys() == {"tenant", "kind", "schema", "updatedAt"}
    assert (await key.get(at))["schema"] == schema
    assert (await key.put(at, {"schema": {"$ref": "#"}}, expect=422))["code"] == "bad_schema"
    await key.put("/tenants/default/data-schemas/nothing", {"schema": schema}, expect=404)
    await key.put("/tenants/other/data-schemas/thread", {"schema": schema}, expect=404)
    await key.delete(at)
    await key.get(at, expect=404)
    large = {"name": "x", "data": {"a": "x" * 4096}}
    problem = await story.ana.post("/servers", large, expect=422)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("bad_data", "#/data")


async def it_publishes_to_a_segment(key: Caller, at: str, notice: dict[str, Any], user_id: str) -> None:
    fans = "/tenants/default/segments/fans"
    segment = await key.put(fans, {"userIds": [user_id]})
    assert segment == {"segment": "fans", "users": 1, "updatedAt": segment["updatedAt"]}
    assert await key.patch(fans, {"remove": ["nobody"]}) == await key.get(fans) == segment
    assert segment in (await key.get("/tenants/default/segments"))["items"]
    to_fans = notice | {"audience": {"kind": "segment", "segment": "fans"}, "hostSystemId": "order-f"}
    assert (await key.post(f"{at}-fans/messages", to_fans, expect=202))["recipients"] == 1
    await key.delete(fans)
    refused = await key.post(f"{at}-fans/messages", to_fans | {"hostSystemId": "order-g"}, expect=422)
    assert refused["code"] == "unknown_segment"


async def the_product_publishes_notifications(story: Story) -> None:
    inbox = f"news-{story.word}"
    at = f"/tenants/default/inboxes/{inbox}"
    scopes = ("--scope", "inbox:publish", "--scope", "inbox:admin", "--scope", "inbox:read", "--scope", "rooms:write")
    printed = await sobremesa("keys", "create", "--tenant", "default", *scopes, "--store", story.server.store)
    key = story.kept(Caller(story.http, printed.split()[-1]))

    await data_has_a_schema(story, key)
    assert await key.put("/tenants/default/settings", {"title": "The shop", "ttl": "30d"}) == await key.get(
        "/tenants/default/settings"
    )
    assert (await key.put("/tenants/default/settings", {"ttl": "a while"}, expect=422))["code"] == "invalid"
    set_up = {"title": "News", "description": "What is new", "ttl": {"default": "7d", "offers": "1h"}}
    assert (await key.put(at, set_up)).items() >= set_up.items()
    assert (await key.get(at)).items() >= set_up.items()

    to_ana = {"kind": "users", "userIds": [story.ana.user_id, story.ben.user_id, story.ana.user_id]}
    notice = {"audience": to_ana, "sender": "shop", "title": "Sent", "body": {"parcel": 7}, "hostSystemId": "order-1"}
    published = await key.post(f"{at}/messages", notice, expect=202)
    assert (published["recipients"], published["state"]) == (2, "done")
    assert await key.post(f"{at}/messages", notice, expect=202) == published
    problem = await key.post(f"{at}/messages", notice | {"title": "Lost"}, expect=409)
    assert problem["code"] == "host_system_id_reused"
    progress = await key.get(f"{at}/publishes/{published['messageId']}")
    assert progress == {"delivered": 2, "recipients": 2, "state": "done"}
    await it_publishes_to_a_segment(key, at, notice, story.ana.user_id)
    everyone = {"audience": {"kind": "everyone"}, "sender": "shop", "title": "Half price", "body": "Today"}
    offer = await key.post(f"{at}/messages", everyone | {"category": "offers", "ctaUri": "https://a.b"}, expect=202)
    problem = await key.post(f"{at}/messages", everyone | {"category": "*"}, expect=422)
    assert problem["code"] == "bad_category"

    await users_read_their_notifications(story, inbox, published["messageId"], offer["messageId"])
    unknown = {"kind": "users", "userIds": [story.ana.user_id, UNKNOWN_ID]}
    problem = await key.post(f"{at}/messages", notice | {"audience": unknown, "hostSystemId": "order-2"}, expect=422)
    assert (problem["code"], problem["userIds"], problem["count"]) == ("unknown_user", [UNKNOWN_ID], 1)
    user_ids = [UserId(f"{story.word}-{number:05}") for number in range(1500)]
    async with Sobremesa.open(story.server.store, background=False) as app:
        await app.table.write_many(Put(User(user_id=user_id, username=user_id)) for user_id in user_ids)
    many = {"kind": "users", "userIds": user_ids}
    running = await key.post(f"{at}/messages", notice | {"audience": many, "hostSystemId": "order-2"}, expect=202)
    assert (running["recipients"], running["state"]) == (1500, "running")
    while (progress := await key.get(f"{at}/publishes/{running['messageId']}"))["state"] == "running":
        assert progress["delivered"] < 1500
        await asyncio.sleep(0.05)
    assert progress == {"delivered": 1500, "recipients": 1500, "state": "done"}
    wrong = (await key.post(f"{at}/messages", notice | {"hostSystemId": "order-3"}, expect=202))["messageId"]
    changed = [
        await key.patch(f"{at}/messages/{wrong}", {"title": "Right"}, expect=202),
        await key.delete(f"{at}/messages/{wrong}", expect=202),
    ]
    assert [each["state"] for each in changed] == ["done", "recalled"]


async def the_product_keeps_its_users(story: Story) -> None:
    scopes = ("--scope", "users:write", "--scope", "users:read")
    printed = await sobremesa("keys", "create", "--tenant", "default", *scopes, "--store", story.server.store)
    key = story.kept(Caller(story.http, printed.split()[-1]))
    external_id = f"customer:{story.word}"
    at = f"/tenants/default/users/{external_id}"
    fields = {
        "username": f"shop-{story.word}",
        "displayName": "Sam Shopper",
        "email": "sam@shop.example",
        "data": {"plan": "pro", "since": 2021},
        "locale": "en-GB",
        "timeZone": "Europe/London",
    }

    outcome = await key.put(at, fields, expect=201)
    assert outcome.keys() == TENANT_USER
    assert outcome.items() >= (fields | {"externalId": external_id, "disabled": False}).items()
    changed = await key.put(at, {"displayName": "Sam S.", "data": None})
    assert (changed["displayName"], changed["data"], changed["locale"]) == ("Sam S.", None, "en-GB")
    assert await key.get(at) == changed
    seen = (await story.ana.get("/users", username=fields["username"]))["items"]
    assert [(one["userId"], one["displayName"]) for one in seen] == [(outcome["userId"], "Sam S.")]
    assert (await key.put(at, {"username": story.ana.name}, expect=409))["code"] == "username_taken"
    assert (await key.put(at, {"timeZone": "Mars"}, expect=422))["errors"][0]["pointer"] == "#/timeZone"
    assert (await key.get(f"{at}/unread")).keys() == {"total", "rooms", "inboxes"}
    assert (await key.post(f"{at}/disable", expect=200))["disabled"] is True
    assert (await key.post(f"{at}/enable", expect=200))["disabled"] is False
    assert (await key.post(f"{at}/revoke", expect=200)).keys() == TENANT_USER
    await key.delete(at)
    for path in (at, f"{at}/unread"):
        await key.get(path, expect=404)

    lines = [{"externalId": f"{external_id}-{number}", "displayName": f"No. {number}"} for number in range(3)]
    raw = b"\n".join([*(json.dumps(line).encode() for line in lines), b"not JSON", b'{"externalId": 7}'])
    answered = await key.call("POST", "/tenants/default/users:batch", raw)
    results = [json.loads(line) for line in answered.raw.splitlines()]
    assert [(result["line"], result["status"]) for result in results] == [
        (1, 201),
        (2, 201),
        (3, 201),
        (4, 400),
        (5, 422),
    ]
    assert [result["externalId"] for result in results[:3]] == [line["externalId"] for line in lines]
    assert results[4]["error"]["code"] == "invalid"


async def the_product_registers_a_webhook(story: Story) -> None:
    scopes = ("--scope", "webhooks:admin")
    printed = await sobremesa("keys", "create", "--tenant", "default", *scopes, "--store", story.server.store)
    key = story.kept(Caller(story.http, printed.split()[-1]))
    at = "/tenants/default/webhooks"
    # A name that never resolves, and a room that does not exist: nothing is sent.
    asked = {"url": "https://receiver.invalid/hook", "events": ["message.*"], "rooms": [story.word]}
    created = await key.post(at, asked)
    assert created.items() >= asked.items()
    assert created.pop("secret").startswith("whsec_")
    assert created.keys() == {
        "hookId", "url", "events", "rooms", "disabled", "disabledAt", "disabledReason", "failingSince",
        "previousSecretUntil", "createdAt", "updatedAt",
    }  # fmt: skip
    one = f"{at}/{created['hookId']}"
    assert await key.get(one) == created
    assert created in (await key.get(at))["items"]
    assert await key.get(f"{one}/deliveries") == {"items": [], "next": None}
    assert (await key.post(f"{one}/rotate", expect=200))["secret"].startswith("whsec_")
    assert (await key.post(f"{one}/replay", {"since": "2026-01-01T00:00:00Z"}, expect=202))["state"] == "running"
    assert (await key.patch(one, {"disabled": True}))["disabled"]
    problem = await key.post(at, asked | {"events": ["message.create"]}, expect=422)
    assert (problem["code"], problem["unknown"]) == ("unknown_event", {"message.create": "message.created"})
    assert (await key.post(at, asked | {"url": "https://127.0.0.1/"}, expect=422))["code"] == "bad_webhook_url"
    await key.get("/tenants/rival/webhooks", expect=404)
    await key.delete(one)
    await key.get(one, expect=404)


async def users_read_their_notifications(story: Story, inbox: str, published: str, offer: str) -> None:
    at = f"/tenants/default/inboxes/{inbox}"
    listed = (await story.ana.get(f"{at}/messages"))["items"]
    assert [message.keys() for message in listed] == [INBOX_MESSAGE, INBOX_MESSAGE]
    assert [message["messageId"] for message in listed] == [offer, published]
    assert (listed[0]["category"], listed[1]["body"], listed[1]["readAt"]) == ("offers", {"parcel": 7}, None)
    page = await story.ana.get(f"{at}/messages", limit=1)
    assert await story.ana.get(f"{at}/messages", limit=1, cursor=page["next"]) == {"items": listed[1:], "next": None}
    offers = {"total": 1, "unread": 1, "muted": False}
    assert await story.ana.get(f"{at}/counts") == {"total": 2, "unread": 2, "categories": {"offers": offers}}
    everywhere = await story.ana.get("/users/me/unread")
    assert {"inbox": inbox, "count": 2} in everywhere["inboxes"]

    assert await story.ana.put(f"{at}/preferences/offers", {"muted": True}) == {"category": "offers", "muted": True}
    assert (await story.ana.get(f"{at}/counts"))["unread"] == 1
    assert (await story.ana.put(f"{at}/preferences/*", {"muted": True}, expect=422))["code"] == "bad_category"
    assert await story.ana.put(f"{at}/messages/{published}/read") == {"changed": True}
    assert await story.ana.put(f"{at}/messages/{published}/read") == {"changed": False}
    assert await story.ana.put(f"{at}/messages/nothing/read") == {"changed": False}
    assert [one["title"] for one in (await story.ana.get(f"{at}/messages", unread="true"))["items"]] == ["Half price"]
    assert await story.ana.post(f"{at}/read-all", {"category": "offers"}, expect=200) == {"changed": 1}
    assert await story.ana.post(f"{at}/read-all", expect=200) == {"changed": 0}
    until = {"until": "2050-01-01T00:00:00Z"}
    assert await story.ana.put(f"{at}/messages/{offer}/snooze", until) == {"changed": True}
    past = {"until": "2020-01-01T00:00:00Z"}
    problem = await story.ana.put(f"{at}/messages/{offer}/snooze", past, expect=422)
    assert problem["code"] == "past_snooze"
    assert await story.ana.put(f"{at}/messages/{published}/archive") == {"changed": True}
    assert await story.ana.get(f"{at}/counts") == {"total": 0, "unread": 0, "categories": {}}
    assert (await story.ben.get(f"{at}/counts"))["total"] == 2
    for path in ("/messages", "/counts"):
        await story.ana.get(f"/tenants/rival/inboxes/{inbox}{path}", expect=404)


async def users_choose_what_notifies_them(story: Story) -> None:
    at = "/users/me/notifications"
    default: dict[str, Any] = {"digest": "daily", "quietHours": None, "timeZone": None, "levels": {}}
    assert await story.cleo.get(at) == default
    quiet = {"start": "22:00", "end": "07:30"}
    chosen = {"digest": "hourly", "quietHours": quiet, "timeZone": "Europe/Madrid", "levels": {story.channel_id: "all"}}
    assert await story.cleo.put(at, chosen) == chosen
    assert await story.cleo.put(at, {"quietHours": None}) == {**chosen, "quietHours": None}
    assert await story.cleo.put(at) == {**chosen, "quietHours": None}
    assert (await story.cleo.put(at, {"timeZone": "Europe/Nowhere"}, expect=422))["code"] == "unknown_time_zone"
    same = {"start": "22:00", "end": "22:00"}
    assert (await story.cleo.put(at, {"quietHours": same}, expect=422))["code"] == "no_quiet_hours"
    for wrong in (
        {"digest": "weekly"},
        {"quietHours": {"start": "24:00", "end": "07:00"}},
        {"quietHours": {"start": "22:00"}},
        {"levels": {"room": "some"}},
        {"levels": {f"room{number}": "none" for number in range(501)}},
    ):
        assert (await story.cleo.put(at, wrong, expect=422))["code"] == "invalid"

    token = await unsubscribe_token(story.server, story.cleo.user_id)
    anyone = story.anonymous
    asked = await anyone.call("GET", f"/unsubscribe/{token}")
    assert (asked.status, b'<form method="post">' in asked.raw) == (200, True)
    assert (await story.cleo.get(at))["digest"] == "hourly", "a link that is opened changes nothing"
    one_click = {"Content-Type": "application/x-www-form-urlencoded"}
    for _ in range(2):
        done = await anyone.call("POST", f"/unsubscribe/{token}", b"List-Unsubscribe=One-Click", headers=one_click)
        assert (done.status, b"You are unsubscribed" in done.raw) == (200, True)
    assert (await story.cleo.get(at))["digest"] == "off"
    for wrong_token in ("x", token[:-2], f"{token}AAAA", "é"):
        assert (await anyone.call("POST", f"/unsubscribe/{wrong_token}")).status == 404


async def users_share_a_workspace(story: Story) -> None:
    created = await story.ana.post("/workspaces", {"name": "The kitchen"})
    assert created.keys() == {"workspaceId", "name", "role", "createdBy", "createdAt", "updatedAt"}
    at = f"/workspaces/{created['workspaceId']}"
    invite = await story.ana.post(f"{at}/invites", {"maxUses": 1})
    assert invite.keys() == INVITE - {"serverId"} | {"workspaceId"}
    assert (await story.ana.get(f"{at}/invites"))["items"] == [invite]
    target = await story.ben.get(f"/invites/{invite['code']}")
    assert target.keys() == {"code", "kind", "workspace", "expiresAt"}
    joined = await story.ben.post(f"/invites/{invite['code']}/redeem", expect=200)
    assert joined.keys() == {"kind", "workspaceId", "workspace", "role", "joinedAt"}
    assert (joined["kind"], joined["workspaceId"], joined["role"]) == ("workspace", created["workspaceId"], "member")
    assert joined["workspace"]["name"] == "The kitchen"
    assert (await story.ben.post(f"/invites/{invite['code']}/redeem", expect=409))["code"] == "already_member"
    assert (await story.cleo.post(f"/invites/{invite['code']}/redeem", expect=409))["code"] == "invite_used_up"
    assert (await story.ana.get(f"{at}/audit")).keys() == {"items", "next"}
    await story.ben.get(f"{at}/audit", expect=403)

    item = await story.ben.post(f"{at}/items", {"title": "Coffee", "status": "open", "data": {"amount": 2}})
    assert item.keys() == {
        *("itemId", "workspaceId", "title", "status", "data", "version"),
        *("createdBy", "createdAt", "updatedBy", "updatedAt"),
    }
    here = f"{at}/items/{item['itemId']}"
    assert await story.ana.get(here) == item
    done = await story.ana.patch(here, {"version": 1, "status": "done"})
    assert (done["version"], done["status"], done["title"]) == (2, "done", "Coffee")
    stale = await story.ben.patch(here, {"version": 1, "title": "Tea"}, expect=409)
    assert (stale["code"], stale["current"]) == ("stale_version", done)
    assert (await story.ben.get(f"{at}/items", status="done"))["items"] == [done]
    assert (await story.ben.get(f"{at}/items", status="open"))["items"] == []
    assert (await story.ana.put(f"{at}/settings/theme", {"value": {"colour": "blue"}}))["value"] == {"colour": "blue"}
    setting = await story.ben.get(f"{at}/settings/theme")
    assert setting.keys() == {"name", "value", "updatedBy", "updatedAt"}
    assert (await story.ben.get(f"{at}/settings"))["items"] == [setting]
    await story.ben.get(f"{at}/settings/other", expect=404)

    members = (await story.ben.get(f"{at}/members"))["items"]
    assert {member["userId"]: member["role"] for member in members} == {
        story.ana.user_id: "owner",
        story.ben.user_id: "member",
    }
    whole = await story.ben.get(at)
    assert whole.keys() == {"workspace", "members", "items", "settings", "next"}
    assert (whole["items"], whole["settings"], whole["next"]) == ([done], [setting], None)
    assert {member["userId"] for member in whole["members"]} == {story.ana.user_id, story.ben.user_id}
    assert (await story.ana.patch(at, {"name": "Our kitchen"}))["name"] == "Our kitchen"
    assert [each["workspaceId"] for each in await pages(story.ben, "/workspaces")] == [created["workspaceId"]]
    await story.ben.delete(here)
    await story.ben.get(here, expect=404)

    assert (await story.ana.delete(f"{at}/members/{story.ana.user_id}", expect=409))["code"] == "last_owner"
    assert (await story.ana.patch(f"{at}/members/{story.ben.user_id}", {"role": "owner"}))["role"] == "owner"
    await story.ana.delete(f"{at}/members/{story.ana.user_id}")
    await story.ana.get(at, expect=404)
    await story.ben.delete(at)
    await story.ben.get(at, expect=404)
    assert (await story.ben.get("/workspaces"))["items"] == []


async def users_export_their_data(story: Story) -> None:
    export = await story.ana.call("GET", "/users/me/export")
    assert export.status == 200
    assert export.headers["content-type"] == "application/x-ndjson"
    values = [json.loads(line) for line in export.raw.splitlines()]
    assert values[0]["email"] == story.ana.email
    assert "Is anybody there?" in export.raw.decode()
    assert not re.search(r"argon2|passwordHash", export.raw.decode())


async def members_get_roles_and_are_removed(story: Story) -> None:
    at = f"/servers/{story.server_id}"
    members = await pages(story.ben, f"{at}/members", limit=2)
    assert all(member.keys() == MEMBER for member in members)
    roles = {member["userId"]: member["role"] for member in members}
    assert roles == {story.ana.user_id: "owner", story.ben.user_id: "member", story.cleo.user_id: "member"}
    ben, cleo = f"{at}/members/{story.ben.user_id}", f"{at}/members/{story.cleo.user_id}"
    assert (await story.cleo.get(ben))["username"] == story.ben.name
    assert (await story.ana.patch(ben, {"role": "moderator"}))["role"] == "moderator"
    assert (await story.ben.patch(cleo, {"role": "moderator"}, expect=403))["code"] == "forbidden"
    owner = f"{at}/members/{story.ana.user_id}"
    assert (await story.ben.delete(owner, expect=403))["code"] == "rank_too_low"
    assert (await story.ana.delete(owner, expect=409))["code"] == "last_owner"

    await story.ben.delete(cleo)
    await story.cleo.get(at, expect=404)
    invite = await story.ben.post(f"{at}/invites")
    await story.cleo.post(f"/invites/{invite['code']}/redeem", expect=200)
    ban = await story.ben.put(f"{at}/bans/{story.cleo.user_id}", {"reason": "Too loud"})
    assert ban.keys() == {*FACE, "bannedBy", "reason", "createdAt"}
    assert (await story.ben.get(f"{at}/bans"))["items"] == [ban]
    assert await story.ben.put(f"{at}/bans/{story.cleo.user_id}") == ban, "banning again gives the first ban"
    assert (await story.cleo.post(f"/invites/{invite['code']}/redeem", expect=403))["code"] == "banned"
    await story.ben.delete(f"{at}/bans/{story.cleo.user_id}")
    await story.ben.delete(f"{at}/bans/{story.cleo.user_id}", expect=404)
    await story.cleo.post(f"/invites/{invite['code']}/redeem", expect=200)

    audit = await pages(story.ana, f"{at}/audit", limit=2)
    assert all(entry.keys() == {"entryId", "at", "actor", "action", "target", "details"} for entry in audit)
    assert [entry["action"] for entry in audit[:4]] == ["member.unban", "member.ban", "member.kick", "member.role"]
    assert "Is anybody there" not in json.dumps(audit)


async def the_server_changes_hands_and_ends(story: Story) -> None:
    at = f"/servers/{story.server_id}"
    assert (await story.ana.post(f"{at}/transfer", {"userId": UNKNOWN_ID}, expect=422))["code"] == "unknown_user"
    moved = await story.ana.post(f"{at}/transfer", {"userId": story.ben.user_id}, expect=200)
    assert moved["ownerId"] == story.ben.user_id
    await story.ana.post(f"{at}/transfer", {"userId": story.ana.user_id}, expect=403)
    await story.ana.delete(f"{at}/members/{story.ana.user_id}")
    await story.ana.get(at, expect=404)
    await story.ben.delete(at)
    await story.ben.get(at, expect=404)
    await story.ben.get(f"{story.at}/messages", expect=404)
    assert at.removeprefix("/servers/") not in {item["serverId"] for item in await pages(story.ben, "/servers")}


async def administrators_see_every_server(story: Story) -> None:
    refused = await story.ana.get("/admin/servers", expect=403)
    assert (refused["code"], refused["scope"]) == ("forbidden", "admin")
    await sobremesa("admin", "grant", story.ana.name, "--store", story.server.store)
    admin = story.kept(await log_in(story.http, story.ana.name))
    newest = (await admin.get("/admin/servers", limit=2))["items"]
    assert [item["name"] for item in newest] == ["Side table 1", "Side table 0"]

    created = await sobremesa(
        *("keys", "create", "--tenant", "default", "--scope", "admin", "--store", story.server.store)
    )
    key = story.kept(Caller(story.http, created.splitlines()[-1]))
    assert (await key.get("/admin/servers", limit=2))["items"] == newest
    assert (await key.get("/users/me", expect=403))["code"] == "person_needed"

    at = f"/servers/{newest[0]['serverId']}"
    added = await key.put(f"{at}/members/{story.cleo.user_id}", {"role": "member"}, expect=201)
    assert added.keys() == MEMBER
    await story.cleo.delete(f"{at}/members/{story.cleo.user_id}")
    kitchen = await key.post("/workspaces", {"name": "Kitchen", "ownerId": story.cleo.user_id})
    at = f"/workspaces/{kitchen['workspaceId']}"
    added = await key.put(f"{at}/members/{story.ben.user_id}", {}, expect=201)
    assert added["role"] == "member"
    await story.cleo.delete(at)
    log = await pages(key, "/tenants/default/audit")
    assert {"key.create", "admin.grant"} <= {entry["action"] for entry in log}


async def moderators_decide_about_cases(story: Story) -> None:
    admin = story.kept(await log_in(story.http, story.ana.name))
    server_id = (await story.cleo.post("/servers", {"name": "A last table"}))["serverId"]
    channel_id = (await story.cleo.post(f"/servers/{server_id}/channels", {"name": "general"}))["channelId"]
    message_id = (await story.cleo.post(f"/channels/{channel_id}/messages", {"content": "Buy now"}))["messageId"]
    message = f"/channels/{channel_id}/messages/{message_id}"
    for _ in range(2):
        await story.cleo.post(f"{message}/report", {"reason": "I regret it."}, expect=202)

    found = [case for case in await pages(admin, "/moderation/cases", limit=1) if case["messageId"] == message_id]
    [case] = found
    assert case.keys() == CASE
    assert case["message"].keys() == ACCUSED
    assert (case["roomKind"], case["roomId"], case["authorId"]) == ("channel", channel_id, story.cleo.user_id)
    assert (case["reportedBy"], case["reason"], case["origin"]) == (story.cleo.user_id, "I regret it.", "report")
    assert (case["state"], case["message"]["content"], case["message"]["flags"]) == ("open", "Buy now", None)

    address = f"/moderation/cases/{case['caseId']}"
    assert await admin.get(address) == case
    await admin.get(f"/moderation/cases/{UNKNOWN_ID}", expect=404)
    await admin.post(address, {"decision": "perhaps"}, expect=422)
    decided = await admin.post(address, {"decision": "block", "note": "So do we."}, expect=200)
    assert (decided["state"], decided["decision"], decided["decidedBy"]) == ("closed", "block", story.ana.user_id)
    again = await admin.post(address, {"decision": "approve"}, expect=409)
    assert (again["code"], again["current"]) == ("case_closed", decided)
    assert decided in await pages(admin, "/moderation/cases?state=closed")
    assert case["caseId"] not in [case["caseId"] for case in await pages(admin, "/moderation/cases")]
    seen = await story.cleo.get(message)
    assert seen["flags"] == {"moderation": "blocked", "policyHints": ["reviewed"]}
    await story.cleo.delete(f"/servers/{server_id}")


async def operators_look_at_the_table(story: Story) -> None:
    printed = await sobremesa(
        "keys", "create", "--tenant", "default", "--scope", "table:read", "--store", story.server.store
    )
    key = story.kept(Caller(story.http, printed.splitlines()[-1]))
    assert (await key.get("/table/schema")).keys() == {"entities", "patterns"}
    page = await key.get(f"/table/partitions/USER%23{story.cleo.user_id}", limit=1)
    assert page.keys() == {"items", "next", "request", "units"}
    assert page["items"][0].keys() == {"pk", "sk", "entity", "sizeBytes", "expiresAt", "indexKeys", "item"}
    found = await key.post("/table/patterns/S2.1", {"userId": story.cleo.user_id}, expect=200)
    assert found.keys() == {"pattern", "question", "operation", "items", "rows", "next", "request", "units"}
    cost = await key.get("/table/cost")
    assert {"since", "readUnits", "writeUnits", "dollars", "patterns"} <= cost.keys()


async def the_product_imports_its_history(story: Story) -> None:
    scopes = ("--scope", "rooms:write", "--scope", "messages:send")
    printed = await sobremesa("keys", "create", "--tenant", "default", *scopes, "--store", story.server.store)
    key = story.kept(Caller(story.http, printed.splitlines()[-1]))
    server = {"type": "server", "key": f"s-{story.word}", "name": "Old table", "owner": story.cleo.user_id}
    channel = {"type": "channel", "key": f"c-{story.word}", "server": f"ref:s-{story.word}", "name": "general"}
    message = {"room": f"ref:c-{story.word}", "author": story.cleo.user_id, "nonce": "1", "content": "Long ago"}
    lines = [server, channel, message | {"createdAt": "2017-07-14T02:40:00Z"}, message]
    body = "\n".join(map(json.dumps, lines)).encode()

    first = await key.call("POST", "/import/messages", body, headers={"content-type": "application/x-ndjson"})
    again = await key.call("POST", "/import/messages", body)

    problem, summary = map(json.loads, first.raw.splitlines())
    assert problem.keys() == {"line", "code", "detail"}
    assert (problem["line"], problem["code"]) == (4, "invalid")
    assert summary == {"imported": 1, "repeated": 0, "failed": 1, "rooms": 2}
    assert json.loads(again.raw.splitlines()[-1]) == {"imported": 0, "repeated": 1, "failed": 1, "rooms": 2}
    [outcome] = [item for item in await pages(story.cleo, "/servers") if item["name"] == "Old table"]
    [room] = (await story.cleo.get(f"/servers/{outcome['serverId']}/channels"))["items"]
    [seen] = (await story.cleo.get(f"/channels/{room['channelId']}/messages"))["items"]
    assert (seen["content"], seen["createdAt"]) == ("Long ago", "2017-07-14T02:40:00.000Z")
    await story.cleo.delete(f"/servers/{outcome['serverId']}")


async def sessions_and_passwords_end(story: Story) -> None:
    phone = story.kept(await log_in(story.http, story.ben.name, device="a phone"))
    sessions = await pages(phone, "/users/me/sessions", limit=1)
    assert all(session.keys() == {"sessionId", "device", "current", "createdAt", "lastUsedAt"} for session in sessions)
    assert [session["device"] for session in sessions if session["current"]] == ["a phone"]
    [other] = [session for session in sessions if not session["current"]]
    await phone.delete(f"/users/me/sessions/{other['sessionId']}")
    await phone.delete(f"/users/me/sessions/{other['sessionId']}", expect=404)
    assert (await story.ben.get("/users/me", expect=401))["code"] == "unauthenticated"

    wrong = await phone.put("/users/me/password", {"current": "not this", "next": "another password"}, expect=403)
    assert wrong["code"] == "wrong_password"
    await phone.put("/users/me/password", {"current": PASSWORD, "next": "another password"}, expect=204)
    await phone.get("/users/me")

    assert await story.anonymous.post("/auth/reset", {"email": story.ben.email}, expect=202) == {"accepted": True}
    unknown = {"email": f"unknown-{story.word}@example.com"}
    assert await story.anonymous.post("/auth/reset", unknown, expect=202) == {"accepted": True}
    token = await asyncio.to_thread(story.server.mailed_token_of, story.ben.email)
    await story.anonymous.post("/auth/reset/confirm", {"token": token, "password": PASSWORD}, expect=204)
    await phone.get("/users/me", expect=401)
    used = await story.anonymous.post("/auth/reset/confirm", {"token": token, "password": PASSWORD}, expect=422)
    assert used["code"] == "bad_reset_token"

    story.ben = story.kept(await log_in(story.http, story.ben.name))
    await story.ben.post("/auth/logout", expect=204)
    await story.ben.get("/users/me", expect=401)


async def an_account_is_deleted(story: Story) -> None:
    refused = await story.ana.delete("/users/me", {"password": PASSWORD}, expect=409)
    assert refused["code"] == "owns_servers"
    for item in (await story.ana.get("/servers"))["items"]:
        await story.ana.delete(f"/servers/{item['serverId']}")
    assert (await story.ana.delete("/users/me", expect=403))["code"] == "wrong_password"
    await story.ana.delete("/users/me", {"password": PASSWORD})
    await story.ana.get("/users/me", expect=401)
    await story.anonymous.post("/auth/login", {"email": story.ana.email, "password": PASSWORD}, expect=401)
    gone = await story.cleo.call("GET", f"/users/{story.ana.user_id}")
    assert gone.status == 404 or gone.json["username"] == "deleted user"
    name = {"email": story.ana.email, "username": story.ana.name, "password": PASSWORD}
    assert signed_in(story.http, await story.anonymous.post("/auth/register", name)).user_id != story.ana.user_id


async def nothing_was_left_out(story: Story) -> None:
    async with story.http.get("/openapi.json") as answer:
        document = await answer.json()
    routes = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    called = {route for route in routes for call in story.called if is_call_of(call, route)}
    assert routes - called == set(), "routes that no chapter calls"
    for path in ("/healthz", "/readyz", "/docs"):
        async with story.http.get(path) as answer:
            assert answer.status == 200, path


def is_call_of(call: tuple[str, str], route: tuple[str, str]) -> bool:
    """Is this call one of the route? A path that is spelled out goes before one with places."""
    (called, path), (method, template) = call, route
    pattern = re.sub(r"\\{[^/]+\\}", "(?!me(?:/|$))[^/]+", re.escape(template))
    return called == method and re.fullmatch(pattern, "/v1" + path) is not None


async def pages(caller: Caller, path: str, *, limit: int = 50) -> list[dict[str, Any]]:
    """Everything of a list, page by page."""
    items: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await caller.get(path, limit=limit, **cursor)
        assert page.keys() == {"items", "next"}
        assert len(page["items"]) <= limit
        items += page["items"]
        if page["next"] is None:
            return items
        cursor = {"cursor": page["next"]}
