"""Splits a stream of bytes into numbered lines, in batches."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sobremesa.core.errors import TooBig
from sobremesa.domains.imports.records import Line

MAX_LINE = 65_536
BATCH_LINES = 1000


async def batches_of(pieces: AsyncIterator[bytes], *, max_lines: int | None = None) -> AsyncIterator[list[Line]]:
    """Yield the lines of a stream, some at a time, without empty ones; TooBig after `max_lines`.

    At most one line is kept besides the batch. One that is too long is dropped as it arrives.
    """
    batch: list[Line] = []
    number = 0
    async for text in _texts(pieces):
        number += 1
        if text is not None and not text.strip():
            continue
        if max_lines is not None and number > max_lines:
            if batch:
                yield batch
            raise TooBig(f"At most {max_lines} lines can be imported at once.", limit=max_lines)
        batch.append(Line(number, text))
        if len(batch) >= BATCH_LINES:
            yield batch
            batch = []
    if batch:
        yield batch


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
