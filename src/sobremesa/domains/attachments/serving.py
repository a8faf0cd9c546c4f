"""The response headers of downloads, so that no browser treats a file as active content."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote

from sobremesa.domains.attachments.inspection import IMAGE_TYPES, MEDIA_TYPES

INLINE = frozenset({*IMAGE_TYPES, *MEDIA_TYPES})
"""The types that a browser may display inline."""
DOWNLOADED = frozenset({"application/pdf"})
"""The types that are sent as themselves, as a download."""
UNKNOWN = "application/octet-stream"
POLICY = "sandbox; default-src 'none'"
CACHE = "private, max-age=300"
PUBLIC_CACHE = "private, max-age=21600, immutable"
"""Of a public image: its bytes never change, and its URL stays the same for as long."""

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})").fullmatch


class FileHeaders(NamedTuple):
    """The headers that depend on the file alone."""

    mime: str
    disposition: str
    cache: str


def file_headers(mime: str, name: str, *, public: bool = False) -> FileHeaders:
    """Return the headers of a file: its type, and whether a browser displays or downloads it."""
    sent = mime if mime in INLINE or mime in DOWNLOADED else UNKNOWN
    how = "inline" if mime in INLINE else "attachment"
    disposition = f"{how}; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return FileHeaders(sent, disposition, PUBLIC_CACHE if public else CACHE)


def response_headers(file: FileHeaders, start: int, end: int, size: int) -> dict[str, str]:
    """Return the headers of a response with these bytes of a file."""
    headers = {
        "content-type": file.mime,
        "content-length": str(end - start),
        "content-disposition": file.disposition,
        "content-security-policy": POLICY,
        "cache-control": file.cache,
        "accept-ranges": "bytes",
    }
    if end - start < size:
        headers["content-range"] = f"bytes {start}-{end - 1}/{size}"
    return headers


def parse_range(byte_range: str | None, size: int) -> tuple[int, int]:
    """Return the start and end of the requested range; the whole file unless it is a single satisfiable range."""
    match = _RANGE(byte_range) if byte_range else None
    if match is None or match[1] == match[2] == "":
        return 0, size
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
    return (start, end) if start < end else (0, size)
