"""The route of imports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.domains.imports.lines import batches_of
from sobremesa.domains.imports.service import Imports
from sobremesa.domains.imports.views import ImportSummary, LineProblem
from sobremesa.http.endpoints import Input, Lines, Routes, Upload
from sobremesa.http.large_requests import LargeRequestRunning, LargeRequests

MAX_LINES = 10_000
MAX_BYTES = 16 * 1024 * 1024
MAX_DOWNLOADS = 100


class ImportQuery(Input):
    """How the messages are imported."""

    judge: Annotated[
        bool, msgspec.Meta(description="Whether automatic moderation checks the messages. False requires `admin`.")
    ] = True


def routes(imports: Imports) -> Routes:
    """Return the routes of imports."""
    api = Routes("Import", "History of another system.")
    running = LargeRequests()

    @api.post(
        "/import/messages",
        scope="rooms:write",
        limit="upload",
        max_upload=MAX_BYTES,
        errors=[LargeRequestRunning],
    )
    async def import_messages(actor: Actor, query: ImportQuery, upload: Upload) -> Lines:
        """Import messages with their own times and authors, from lines of JSON.

        Requires the scopes `rooms:write` and `messages:send`, or `admin`. Up to 10,000 lines, each a message with
        `room`, `author`, `createdAt`, `nonce` and `content`, or a room to create. Up to 100 attachments are downloaded
        from their URLs. Repeating a call creates nothing twice. The response has a line for each refused line, and at
        the end `{imported, repeated, failed, rooms}`.
        """
        actor.require_scope("messages:send")
        if not query.judge:
            actor.require_scope("admin")
        problems: list[LineProblem] = []
        # All is read before the first line is sent: a client that only reads at the end would wait forever otherwise.
        with running.one_at_a_time(UserId(actor.name)):
            async with imports.run(actor.tenant, actor=actor, judge=query.judge, max_downloads=MAX_DOWNLOADS) as run:
                async for batch in batches_of(upload.pieces, max_lines=MAX_LINES):
                    problems += await run.add(batch)
        return Lines(_lines(problems, run.summary))

    return api


async def _lines(problems: list[LineProblem], summary: ImportSummary) -> AsyncIterator[LineProblem | ImportSummary]:
    for problem in problems:
        yield problem
    yield summary
