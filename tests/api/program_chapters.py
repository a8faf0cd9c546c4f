"""Chapters of the whole path about what programs use: bots."""

from __future__ import annotations

from typing import Any

from api.calling import ULID, Caller
from api.running import new_key

BOT = {"userId", "username", "displayName", "avatarUrl", "bot", "createdBy", "createdAt"}


async def programs_take_part(story: Any) -> None:
    """Bots are created, used, and deleted."""
    await a_bot_takes_part(story)
    await the_backend_has_bots(story)


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
