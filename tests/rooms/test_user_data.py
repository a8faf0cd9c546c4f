"""The data of a deleted user in rooms of every kind."""

from __future__ import annotations

import pytest

from imports.environment import LONG_AGO, create_environment, run_import
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DELETED_NAME
from sobremesa.table import calls
from sobremesa.table.engines.protocol import QueryRequest, RawPage


async def test_deletion_masks_messages_that_an_eventually_consistent_read_does_not_have_yet(
    app: Sobremesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = await create_environment(app)
    rooms = list(env.rooms.values())
    await run_import(app, [room.line("of cleo", LONG_AGO, env.cleo) for room in rooms])
    query = calls.Calls.query

    async def lagging(self: calls.Calls, request: QueryRequest) -> RawPage:
        page = await query(self, request)
        is_late = not request.consistent and request.pk.endswith(tuple(room.room_id for room in rooms))
        return RawPage([], 0, 0, None, page.capacity) if is_late else page

    with monkeypatch.context() as patch:
        patch.setattr(calls.Calls, "query", lagging)
        for domain in (app.communities, app.conversations, app.threads):
            await domain.cleanup.delete_user_data(env.cleo.user_id)

    names = {row.username for room in rooms for row in await room.rows(app) if row.imported}
    assert names == {DELETED_NAME}
