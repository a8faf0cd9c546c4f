"""Splits a stream of bytes into numbered lines, in batches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

from sobremesa.core.errors import TooBig
from sobremesa.domains.imports.records import Line

T = TypeVar("T")

MAX_LINE = 65_536
BATCH_LINES = 1000
YIELD_AFTER = 50
BATCH_BYTES = 4 * 1024 * 1024


async def batches_of(
    pieces: AsyncIterator[bytes], *, size: int = BATCH_LINES, max_lines: int | None = None
) -> AsyncIterator[list[Line]]:
    """Yield the lines of a stream, up to `size` at a time, without empty ones; TooBig after `max_lines`.

    At most one line is kept besides the batch. One that is too long is dropped as it arrives.
    """
    batch: list[Line] = []
    number = held = 0
    async for text in _texts(pieces):
        number += 1
        if text is not None and not text.strip():
            continue
        if max_lines is not None and number > max_lines:
            if batch:
                yield batch
            raise TooBig(f"At most {max_lines} lines can be imported at once.", limit=max_lines)
        batch.append(Line(number, text))
        held += len(text or b"")
        if len(batch) >= size or held >= BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


async def yielding(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield items, and let other tasks run after every few: a batch takes too long to keep the event loop."""
    for number, item in enumerate(items, start=1):
        yield item
        if number % YIELD_AFTER == 0:
            await asyncio.sleep(0)


async def _texts(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes | None]:
    """Yield each line, or None for one that is too long."""
    start, is_too_long = b"", False
    async for piece in pieces:
        *complete, rest = piece.split(b"\n")
        for text in complete:
            whole = start + text
            yield None if is_too_long or len(whole) > MAX_LINE else whole
            start, is_too_long = b"", False
        start += rest
        if len(start) > MAX_LINE:
            start, is_too_long = b"", True
    if start or is_too_long:
        yield None if is_too_long else start
