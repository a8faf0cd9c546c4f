"""Serving: with which headers bytes go out, so that no browser takes them for something that runs."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

from sobremesa.domains.attachments.inspection import PICTURES, PLAYABLE

SHOWN = frozenset({*PICTURES, *PLAYABLE})
"""What a browser may show in its place."""
SAVED = frozenset({"application/pdf"})
"""What goes out under its own type, to be saved."""
UNKNOWN = "application/octet-stream"
POLICY = "sandbox; default-src 'none'"
CACHE = "private, max-age=300"
PUBLIC_CACHE = "private, max-age=21600, immutable"
"""Of a public picture: the bytes of a file never change, and neither does its address for as long."""

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})").fullmatch


class Manner(NamedTuple):
    """How a file goes out."""

    mime: str
    disposition: str
    cache: str


def manner_of(mime: str, name: str, *, public: bool = False) -> Manner:
    """The type that is told, and whether it is shown or saved."""
    told = mime if mime in SHOWN or mime in SAVED else UNKNOWN
    how = "inline" if mime in SHOWN else "attachment"
    disposition = f"{how}; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return Manner(told, disposition, PUBLIC_CACHE if public else CACHE)


def headers_of(manner: Manner, start: int, end: int, size: int) -> dict[str, str]:
    """The headers of these bytes of a file."""
    headers = {
        "content-type": manner.mime,
        "content-length": str(end - start),
        "content-disposition": manner.disposition,
        "content-security-policy": POLICY,
        "cache-control": manner.cache,
        "accept-ranges": "bytes",
    }
    if end - start < size:
        headers["content-range"] = f"bytes {start}-{end - 1}/{size}"
    return headers


def asked_range(byte_range: str | None, size: int) -> tuple[int, int]:
    """From where up to where; all of it for what is no single range that can be given."""
    asked = _RANGE(byte_range) if byte_range else None
    if asked is None or asked[1] == asked[2] == "":
        return 0, size
    if not asked[1]:
        start, end = max(0, size - int(asked[2])), size
    else:
        start, end = int(asked[1]), min(size, int(asked[2]) + 1) if asked[2] else size
    return (start, end) if start < end else (0, size)
