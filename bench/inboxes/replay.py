"""Requests to an engine: kept as a verb makes them, and made again without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sobremesa.table.engines.protocol import Engine

KINDS = ("get", "batch_get", "query", "write", "transact", "batch_write")


class Kept:
    """Requests in their order."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    async def replay(self, engine: Engine) -> None:
        """Make them again, one after the other."""
        for kind, arguments, options in self.requests:
            await getattr(engine, kind)(*arguments, **options)


@asynccontextmanager
async def keeping(engine: Any) -> AsyncIterator[Kept]:
    """Keeps what goes to an engine inside of the block."""
    kept = Kept()

    def keeps(kind: str) -> Any:
        ask = getattr(engine, kind)

        async def kept_ask(*arguments: Any, **options: Any) -> Any:
            kept.requests.append((kind, arguments, options))
            return await ask(*arguments, **options)

        return kept_ask

    for kind in KINDS:
        setattr(engine, kind, keeps(kind))
    try:
        yield kept
    finally:
        for kind in KINDS:
            delattr(engine, kind)
