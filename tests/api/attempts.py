"""What the authorization matrix is made of: requests, prepared for each caller, by the name of their line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import aiohttp

from api.calling import Caller


class Attempt(NamedTuple):
    """One request: what stands in the path's places, what goes with it, and who makes it if not the usual caller."""

    places: dict[str, str] = {}
    body: Any = None
    query: dict[str, Any] = {}
    caller: Caller | None = None


class Environment(Protocol):
    """Where a line of the table is tried: all callers, and what was built there for a part of the API."""

    http: aiohttp.ClientSession
    callers: dict[str, Caller]
    built: dict[str, Any]


Prepare: TypeAlias = Callable[[Any, str], Awaitable[Attempt]]
PREPARED: dict[str, Prepare] = {}
USERS = ("owner", "admin", "moderator", "member", "removed", "stranger", "victim")
INSIDE = ("member", "moderator", "admin", "owner")


def prepares(*names: str) -> Callable[[Prepare], Prepare]:
    def keep(prepare: Prepare) -> Prepare:
        PREPARED.update(dict.fromkeys(names, prepare))
        return prepare

    return keep
