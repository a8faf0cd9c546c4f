"""Mounting: a site under a path of another ASGI application, such as `/chat`.

The outer application puts the prefix into `root_path`. The parts of the site see paths without it, and write the paths
that they return to clients with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, unquote

_SLASH = re.compile("/|%2F", re.IGNORECASE)

_prefix: ContextVar[str] = ContextVar("prefix", default="")


def mount_prefix() -> str:
    """Return the path that the site is mounted at in the current request; empty at the root."""
    return _prefix.get()


@contextmanager
def inside_mount(scope: MutableMapping[str, Any]) -> Iterator[MutableMapping[str, Any]]:
    """Yield the scope of a request with paths as the site knows them; `mount_prefix` returns the rest inside."""
    prefix = scope["root_path"].rstrip("/")
    path = _without_prefix(scope["path"], prefix, scope.get("app_root_path", ""))
    raw_path = _raw_end(scope.get("raw_path") or b"", path)
    # Two slashes at the start of a link would make the next segment a host.
    token = _prefix.set(quote("/" + prefix.lstrip("/")) if prefix else "")
    try:
        yield {**scope, "path": path, "raw_path": raw_path, "root_path": ""}
    finally:
        _prefix.reset(token)


def _without_prefix(path: str, prefix: str, proxy_prefix: str) -> str:
    """Return the path below the mount.

    By the ASGI specification the path starts with the whole `root_path`. Servers and older frameworks may have removed
    it. `FastAPI(root_path=...)` adds the prefix of a proxy to `root_path` although the proxy has removed it from the
    path; Starlette calls that part `app_root_path`.
    """
    for removed in (prefix, prefix.removeprefix(proxy_prefix.rstrip("/"))):
        if path == removed or path.startswith(f"{removed}/"):
            return path[len(removed) :] or "/"
    return path


def _raw_end(raw_path: bytes, path: str) -> bytes:
    """Return the end of a raw path that decodes to `path`, or `path` encoded if there is none.

    Routes are matched by the raw path, in which an encoded slash is part of a segment. The prefix cannot be removed by
    comparing it, since clients may encode the same prefix in several ways. But every spelling of the end has as many
    slashes, encoded or not, as `path`.
    """
    raw = raw_path.decode("latin-1")
    slashes = list(_SLASH.finditer(raw))
    count = path.count("/")
    end = "/" + raw[slashes[-count].end() :] if 0 < count <= len(slashes) else ""
    return (end if unquote(end) == path else quote(path)).encode("latin-1")
