"""The lines of the authorization matrix for what programs use: bots, slash commands, incoming webhooks."""

from __future__ import annotations

import uuid
from typing import Any

from api.attempts import Attempt, prepares
from api.thread_attempts import deal_of

TABLE = """
bots.createServerBot                401  403       404      404     403        403    201    201
bots.listServerBots                 401  403       404      404     200        200    200    200
bots.rotateServerBot                401  403       404      404     403        403    200    200
bots.revokeServerBot                401  403       404      404     403        403    204    204
bots.deleteServerBot                401  403       404      404     403        403    204    204
bots.createTenantBot                401  403       403      403     403        403    403    403
bots.listTenantBots                 401  403       403      403     403        403    403    403
bots.rotateTenantBot                401  403       403      403     403        403    403    403
bots.revokeTenantBot                401  403       403      403     403        403    403    403
bots.deleteTenantBot                401  403       403      403     403        403    403    403

commands.listCommands               401  403       404      404     200        200    200    200
commands.getCommand                 401  403       404      404     200        200    200    200
commands.putCommand                 401  403       404      404     403        403    200    200
commands.deleteCommand              401  403       404      404     403        403    204    204
commands.invokeCommand              401  403       404      404     201        201    201    201
commands.respond                    401  403       404      404     404        404    404    404

hooks.createChannelHook             401  403       404      404     403        403    201    201
hooks.listChannelHooks              401  403       404      404     403        403    200    200
hooks.deleteChannelHook             401  403       404      404     403        403    204    204
hooks.createConversationHook        401  403       404      404     403        403    201    201
hooks.listConversationHooks         401  403       404      404     403        403    200    200
hooks.deleteConversationHook        401  403       404      404     403        403    204    204
hooks.createThreadHook              401  403       404      404     403        403    201    403
hooks.listThreadHooks               401  403       404      404     403        403    200    403
hooks.deleteThreadHook              401  403       404      404     403        403    204    403
hooks.post                          201  201       201      201     201        201    201    201
hooks.post unknown                  404  404       404      404     404        404    404    404
hooks.postSlack                     200  200       200      200     200        200    200    200
hooks.postDiscord                   204  204       204      204     204        204    204    204
hooks.postGithub                    200  200       200      200     200        200    200    200
hooks.postGrafana                   200  200       200      200     200        200    200    200
hooks.postAlertmanager              200  200       200      200     200        200    200    200
"""
BY_KEY = {f"bots.{verb}TenantBot" for verb in ("create", "rotate", "revoke", "delete")} | {"bots.listTenantBots"}
"""What a key with the right scope may do."""


def _name() -> str:
    return f"b-{uuid.uuid4().hex[:16]}"


@prepares("bots.createServerBot")
async def _create_bot(env: Any, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id}, {"username": _name()})


@prepares("bots.listServerBots")
async def _list_bots(env: Any, who: str) -> Attempt:
    return Attempt({"serverId": env.server_id})


@prepares("bots.rotateServerBot", "bots.revokeServerBot", "bots.deleteServerBot")
async def _bot(env: Any, who: str) -> Attempt:
    created = await env.owner.post(f"/servers/{env.server_id}/bots", {"username": _name()})
    return Attempt({"serverId": env.server_id, "userId": created["userId"]})


@prepares(*BY_KEY)
async def _tenant_bot(env: Any, who: str) -> Attempt:
    return Attempt({"tenant": env.matrix.tenant, "userId": env.owner.user_id}, {"username": _name()})


ALERTS = {"status": "firing", "alerts": [{"status": "firing", "labels": {"alertname": "Disk"}}]}
POSTED: dict[str, Any] = {
    "hooks.post": {"content": "Posted"},
    "hooks.postSlack": {"text": "Posted"},
    "hooks.postDiscord": {"content": "Posted"},
    "hooks.postGithub": {"zen": "Posted"},
    "hooks.postGrafana": ALERTS,
    "hooks.postAlertmanager": ALERTS,
}
MAX_KEPT = 5


async def _hook(env: Any, kind: str) -> dict[str, Any]:
    """Create a webhook in the room of a kind. The caller deletes it, or a later line does."""
    at = f"{env.rooms[kind].at}/hooks"
    hooks = (await env.owner.get(at))["items"]
    for hook in hooks[MAX_KEPT:]:
        await env.owner.delete(f"{at}/{hook['hookId']}")
    return dict(await env.owner.post(at, {"name": "CI"}))


@prepares("hooks.createChannelHook", "hooks.listChannelHooks")
async def _channel_hooks(env: Any, who: str) -> Attempt:
    return Attempt({"roomId": env.channel_id})


@prepares("hooks.deleteChannelHook")
async def _channel_hook(env: Any, who: str) -> Attempt:
    return Attempt({"roomId": env.channel_id, "hookId": (await _hook(env, "channels"))["hookId"]})


@prepares("hooks.createConversationHook", "hooks.listConversationHooks")
async def _conversation_hooks(env: Any, who: str) -> Attempt:
    return Attempt({"roomId": env.rooms["conversations"].room_id})


@prepares("hooks.deleteConversationHook")
async def _conversation_hook(env: Any, who: str) -> Attempt:
    hook = await _hook(env, "conversations")
    return Attempt({"roomId": env.rooms["conversations"].room_id, "hookId": hook["hookId"]})


@prepares("hooks.createThreadHook", "hooks.listThreadHooks")
async def _thread_hooks(env: Any, who: str) -> Attempt:
    return Attempt({"roomId": (await deal_of(env)).thread_id})


@prepares("hooks.deleteThreadHook")
async def _thread_hook(env: Any, who: str) -> Attempt:
    deal = await deal_of(env)
    hook = await deal.callers["admin"].post(f"{deal.at}/hooks")
    return Attempt({"roomId": deal.thread_id, "hookId": hook["hookId"]})


def _prepares_post(name: str, body: Any) -> None:
    @prepares(name)
    async def post(env: Any, who: str) -> Attempt:
        token = (await _hook(env, "channels"))["url"].rsplit("/", 1)[-1]
        return Attempt({"token": token}, body)


for _name_of_post, _body in POSTED.items():
    _prepares_post(_name_of_post, _body)


@prepares("hooks.post unknown")
async def _post_unknown(env: Any, who: str) -> Attempt:
    return Attempt({"token": f"{env.channel_id}_{'0' * 26}_{'0' * 48}"}, {"content": "Posted"})


async def _command(env: Any) -> dict[str, str]:
    """Return a command of the server, registered again for each attempt."""
    if "bot" not in env.built:
        env.built["bot"] = await env.owner.post(f"/servers/{env.server_id}/bots", {"username": _name()})
    body = {"description": "Show the weather", "botId": env.built["bot"]["userId"]}
    await env.owner.put(f"/servers/{env.server_id}/commands/weather", body)
    return {"serverId": env.server_id, "name": "weather", "channelId": env.channel_id}


@prepares("commands.listCommands", "commands.getCommand", "commands.deleteCommand", "commands.invokeCommand")
async def _the_command(env: Any, who: str) -> Attempt:
    return Attempt(await _command(env))


@prepares("commands.putCommand")
async def _put_command(env: Any, who: str) -> Attempt:
    places = await _command(env)
    return Attempt(places, {"description": "Show the weather", "botId": env.built["bot"]["userId"]})


@prepares("commands.respond")
async def _respond(env: Any, who: str) -> Attempt:
    """Only the bot answers: for every other caller there is no such command."""
    await _command(env)
    called = await env.owner.post(f"/channels/{env.channel_id}/commands/weather")
    return Attempt({"commandId": called["commandId"]}, {"content": "Sunny"})
