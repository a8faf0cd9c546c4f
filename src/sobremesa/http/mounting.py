"""Mounting: a site under a path of another ASGI application, such as `/chat`.

The outer application puts the prefix into `root_path`. The parts of the site see paths without it, and write the paths
that they return to clients with it.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, unquote

_prefix: ContextVar[str] = ContextVar("prefix", default="")


def mount_prefix() -> str:
    """Return the path that the site is mounted at in the current request; empty at the root."""
    return _prefix.get()


@contextmanager
def inside_mount(scope: MutableMapping[str, Any]) -> Iterator[MutableMapping[str, Any]]:
    """Yield the scope of a request with paths as the site knows them; `mount_prefix` returns the rest inside."""
    prefix = scope["root_path"].rstrip("/")
    path = scope["path"]
    if path.startswith(f"{prefix}/"):  # servers and older frameworks may have removed it
        path = path[len(prefix) :]
    raw_path = _raw_end(scope.get("raw_path") or b"", path)
    # Two slashes at the start of a link would make the next segment a host.
    token = _prefix.set(quote("/" + prefix.lstrip("/")) if prefix else "")
    try:
        yield {**scope, "path": path, "raw_path": raw_path, "root_path": ""}
    finally:
        _prefix.reset(token)


def _raw_end(raw_path: bytes, path: str) -> bytes:
    """Return the end of a raw path that decodes to this path; the path encoded, if there is none.

    The prefix cannot be removed by comparing it, since clients may encode the same prefix in several ways.
    """
    segments: list[str] = []
    missing = len(path)
    for segment in reversed(raw_path.decode("latin-1").split("/")):
        if missing <= 0:
            break
        segments.append(segment)
        missing -= len("/" + unquote(segment))
    end = "".join(f"/{segment}" for segment in reversed(segments))
    return (end if unquote(end) == path else quote(path)).encode("latin-1")
