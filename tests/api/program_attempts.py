"""The lines of the authorization matrix for what programs use: bots."""

from __future__ import annotations

import uuid
from typing import Any

from api.attempts import Attempt, prepares

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
"""
BY_KEY = {f"bots.{verb}TenantBot" for verb in ("create", "rotate", "revoke", "delete")} | {"bots.listTenantBots"}
"""What a key with the right scope may do."""


def _name() -> str:
    return f"b-{uuid.uuid4().hex[:16]}"


@prepares("bots.createServerBot")
async def _create_bot(place: Any, who: str) -> Attempt:
    return Attempt({"serverId": place.server_id}, {"username": _name()})


@prepares("bots.listServerBots")
async def _list_bots(place: Any, who: str) -> Attempt:
    return Attempt({"serverId": place.server_id})


@prepares("bots.rotateServerBot", "bots.revokeServerBot", "bots.deleteServerBot")
async def _bot(place: Any, who: str) -> Attempt:
    created = await place.owner.post(f"/servers/{place.server_id}/bots", {"username": _name()})
    return Attempt({"serverId": place.server_id, "userId": created["userId"]})


@prepares(*BY_KEY)
async def _tenant_bot(place: Any, who: str) -> Attempt:
    return Attempt({"tenant": "default", "userId": place.owner.user_id}, {"username": _name()})
