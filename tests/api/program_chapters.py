"""Chapters of the whole path about what programs use: bots, slash commands and incoming webhooks."""

from __future__ import annotations

from typing import Any

from api.calling import ULID, UNKNOWN_ID, Caller
from api.running import new_key

BOT = {"userId", "username", "displayName", "avatarUrl", "bot", "createdBy", "createdAt"}
COMMAND = {"serverId", "name", "description", "options", "botId", "createdAt", "updatedAt"}
INVOCATION = {
    *("commandId", "name", "text", "channelId", "serverId", "userId", "username", "botId", "createdAt", "expiresAt"),
}
RESPONSE = {
    *("commandId", "responseId", "visibility", "name", "channelId", "serverId", "userId", "botId", "username"),
    *("content", "messageId", "createdAt"),
}
HOOK = {"hookId", "roomKind", "roomId", "userId", "name", "avatarUrl", "createdBy", "createdAt"}


async def programs_take_part(story: Any) -> None:
    """Bots and webhooks are created, used, and deleted."""
    await a_bot_takes_part(story)
    await the_backend_has_bots(story)
    await other_products_post(story)


async def a_bot_takes_part(story: Any) -> None:
    at = f"/servers/{story.server_id}/bots"
    created = await story.ana.post(at, {"username": f"bot-{story.word}", "displayName": "A bot"})
    assert created.keys() == BOT | {"token"}
    assert (created["bot"], created["createdBy"]) == (True, story.ana.user_id)
    assert ULID.fullmatch(created["userId"])
    taken = await story.ana.post(at, {"username": f"bot-{story.word}"}, expect=409)
    assert taken["code"] == "username_taken"
    listed = (await story.ben.get(at))["items"]
    assert listed == [{name: value for name, value in created.items() if name != "token"}]

    bot = story.kept(Caller(story.http, created["token"]))
    me = await bot.get("/users/me")
    assert (me["bot"], me["username"], me["email"]) == (True, f"bot-{story.word}", None)
    assert (await story.ben.get(f"/users/{created['userId']}"))["bot"] is True
    assert (await story.ben.get(f"/servers/{story.server_id}/members/{created['userId']}"))["bot"] is True
    sent = await bot.post(f"{story.at}/messages", {"content": "I am a bot."})
    assert sent["authorId"] == created["userId"]
    refused = await bot.post(at, {"username": f"child-{story.word}"}, expect=403)
    assert refused["code"] == "bot_refused"
    assert (await bot.post("/servers", {"name": "Mine"}, expect=403))["code"] == "bot_refused"

    await a_command_is_answered(story, bot, created["userId"])

    one = f"{at}/{created['userId']}"
    rotated = await story.ana.post(f"{one}/token", expect=200)
    assert rotated.keys() == {"token"}
    await bot.get("/users/me", expect=401)
    bot.token = rotated["token"]
    await bot.get("/users/me")
    await story.ana.delete(f"{one}/token")
    await bot.get("/users/me", expect=401)
    await story.ana.delete(f"{one}/token", expect=404)
    await story.ana.delete(one)
    await story.ana.delete(one, expect=404)


async def a_command_is_answered(story: Any, bot: Caller, bot_id: str) -> None:
    at = f"/servers/{story.server_id}/commands"
    wanted = {"description": "Show the weather", "botId": bot_id, "options": [{"name": "city"}]}
    command = await bot.put(f"{at}/weather", wanted)
    assert command.keys() == COMMAND
    assert await story.ben.get(f"{at}/weather") == command
    assert (await story.ben.get(at))["items"] == [command]
    assert (await story.ana.put(f"{at}/Weather", wanted, expect=422))["code"] == "invalid"
    not_a_bot = await story.ana.put(f"{at}/x", wanted | {"botId": story.ben.user_id}, expect=422)
    assert (not_a_bot["code"], not_a_bot["userIds"]) == ("unknown_user", [story.ben.user_id])

    called = await story.ben.post(f"{story.at}/commands/weather", {"text": "Lisbon", "nonce": "c1"})
    assert called.keys() == INVOCATION
    assert await story.ben.post(f"{story.at}/commands/weather", {"text": "Lisbon", "nonce": "c1"}) == called
    responses = f"/commands/{called['commandId']}/responses"
    private = await bot.post(responses, {"content": "Sunny", "visibility": "private"})
    assert private.keys() == RESPONSE
    public = await bot.post(responses, {"content": "Sunny", "visibility": "public"})
    message = await story.ana.get(f"{story.at}/messages/{public['messageId']}")
    about = {"commandId": called["commandId"], "name": "weather", "userId": story.ben.user_id}
    assert (message["command"], message["bot"]) == (about, True)
    await story.ben.post(responses, {"content": "x"}, expect=404)
    await bot.delete(f"{at}/weather")
    await bot.delete(f"{at}/weather", expect=404)


async def the_backend_has_bots(story: Any) -> None:
    key = story.kept(Caller(story.http, await new_key(story.server, "users:write")))
    at = "/tenants/default/bots"
    created = await key.post(at, {"username": f"house-{story.word}"})
    assert created.keys() == BOT | {"token"}
    assert created["userId"] in {bot["userId"] for bot in (await key.get(at))["items"]}
    await Caller(story.http, created["token"]).get(f"/servers/{story.server_id}", expect=404)
    one = f"{at}/{created['userId']}"
    assert (await key.post(f"{one}/token", expect=200))["token"] != created["token"]
    await key.delete(f"{one}/token")
    await key.delete(one)
    await key.post("/tenants/elsewhere/bots", {"username": f"spy-{story.word}"}, expect=404)


async def other_products_post(story: Any) -> None:
    group = await story.ana.post("/conversations", {"type": "group", "userIds": [story.ben.user_id]})
    for at in (story.at, f"/conversations/{group['convoId']}"):
        created = await story.ana.post(f"{at}/hooks", {"name": "CI"})
        assert created.keys() == HOOK | {"url"}
        listed = (await story.ana.get(f"{at}/hooks"))["items"]
        assert listed == [{name: value for name, value in created.items() if name != "url"}]
        await everything_is_posted(story, created["url"].partition("/v1")[2], at)
        await story.ana.delete(f"{at}/hooks/{created['hookId']}")
        await story.anonymous.post(created["url"].partition("/v1")[2], {"content": "Gone"}, expect=404)
    thread = await story.ana.post("/threads", {"kind": "project", "sellerUserId": story.ben.user_id})
    at = f"/threads/{thread['threadId']}/hooks"
    await story.ana.post(at, {"name": "Only admins of the thread"}, expect=403)
    await story.ana.get(at, expect=403)
    await story.ana.delete(f"{at}/{UNKNOWN_ID}", expect=403)


async def everything_is_posted(story: Any, hook: str, at: str) -> None:
    anonymous = story.anonymous
    sent = await anonymous.post(hook, {"content": "Native", "username": "builder", "nonce": "n1"})
    again = await anonymous.post(hook, {"content": "Native", "username": "builder", "nonce": "n1"}, expect=200)
    assert (sent["username"], sent["bot"], sent["messageId"]) == ("builder", True, again["messageId"])
    assert (await anonymous.post(hook, {"content": "x", "nonce": "n1"}, expect=409))["code"] == "nonce_reused"
    await anonymous.post(hook, {"content": ""}, expect=422)
    posted = await anonymous.post(f"{hook}/slack", {"text": "*Slack*"}, expect=200)
    assert posted.keys() == {"ok", "messageId"}
    form = b"payload=%7B%22text%22%3A%22by%20form%22%7D"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    await anonymous.post(f"{hook}/slack", form, expect=200, headers=headers)
    await anonymous.post(f"{hook}/slack", b"payload=", expect=400, headers=headers)
    assert (await anonymous.post(f"{hook}/slack", {}, expect=422))["code"] == "nothing_to_post"
    await anonymous.post(f"{hook}/discord", {"content": "**Discord**"}, expect=204)
    github = {"X-GitHub-Event": "ping", "X-GitHub-Delivery": "d1"}
    ids = [
        (await anonymous.post(f"{hook}/github", {"zen": "Calm."}, expect=200, headers=github))["messageId"]
        for _ in range(2)
    ]
    assert ids[0] == ids[1]
    ignored = await anonymous.post(f"{hook}/github", {}, expect=200, headers={"X-GitHub-Event": "star"})
    assert ignored == {"ok": True, "messageId": None}
    alerts = {"status": "firing", "alerts": [{"status": "firing", "labels": {"alertname": "Disk"}}]}
    for product in ("grafana", "alertmanager"):
        await anonymous.post(f"{hook}/{product}", alerts, expect=200)
    messages = (await story.ben.get(f"{at}/messages", limit=7))["items"]
    assert [(message["username"], message["content"].split("\n")[0]) for message in messages] == [
        ("Alertmanager", "🔴 Firing: **Alerts**"),
        ("Grafana", "🔴 Firing: **Alerts**"),
        ("GitHub", "Connected to GitHub."),
        ("CI", "**Discord**"),
        ("CI", "by form"),
        ("CI", "**Slack**"),
        ("builder", "Native"),
    ]
