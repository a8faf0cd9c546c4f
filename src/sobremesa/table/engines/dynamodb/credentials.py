"""AWS credentials from botocore's usual chain, renewed off the event loop before they expire."""

from __future__ import annotations

import asyncio
import copy
import functools
import ipaddress
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import botocore.credentials
import botocore.hooks
import botocore.session

from sobremesa.table.errors import StoreFailed

CHECK_SECONDS = 10.0
"""How often temporary credentials are checked: a check costs more than a signature."""

LAST_MINUTES = 5
"""With less than this left, every request waits for the new credentials."""

LOCAL_REGION = "us-east-1"

T = TypeVar("T")


class Keys(NamedTuple):
    """The keys that sign a request."""

    access: str
    secret: str
    token: str | None


DUMMY = Keys("local", "local", None)
"""For an endpoint on this machine, which accepts any keys."""


class Credentials:
    """The current keys."""

    def __init__(self, keys: Keys, renewable: Any = None) -> None:
        self._keys = keys
        self._renewable = renewable
        self._check_at = time.monotonic() + CHECK_SECONDS
        self._renewing = asyncio.Lock()

    @classmethod
    async def find(cls, endpoint: str | None) -> Credentials:
        """Find the credentials of this process; for an endpoint on this machine, dummy keys if there are none."""
        local = endpoint is not None and is_loopback(endpoint)
        found = await _call(_search, local)
        if found is None and local:
            return cls(DUMMY)
        if found is None:
            raise StoreFailed("no AWS credentials were found: not in the environment, a profile or a role")
        keys = await _call(_freeze, found)
        renewable = isinstance(found, botocore.credentials.RefreshableCredentials)
        return cls(keys, found if renewable else None)

    async def current(self) -> Keys:
        """Return the keys for a request; raise StoreFailed if they have expired and cannot be renewed."""
        if self._renewable is None or time.monotonic() < self._check_at:
            return self._keys
        if self._renewing.locked() and not self._renewable.refresh_needed(LAST_MINUTES * 60):
            return self._keys
        async with self._renewing:
            if self._renewable.refresh_needed():
                self._keys = await _call(_freeze, self._renewable)
            self._check_at = time.monotonic() + CHECK_SECONDS
        return self._keys


async def find_region(endpoint: str | None) -> str:
    """Return the region of the environment or the profile; a custom endpoint needs none."""
    found = await _call(lambda: new_session().get_config_variable("region"))
    if found is None and endpoint is None:
        raise StoreFailed("no AWS region was given, and none was found in the environment or a profile")
    return str(found or LOCAL_REGION)


def is_loopback(endpoint: str) -> bool:
    """Return whether this address is on the same machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


async def call_botocore(what: str, call: Callable[..., T], *args: Any) -> T:
    """Call botocore off the event loop. It may raise any error, which becomes StoreFailed with what was read."""
    try:
        return await asyncio.to_thread(call, *args)
    except StoreFailed:
        raise
    except Exception as error:
        raise StoreFailed(f"{what} cannot be read: {error}") from error


async def _call(call: Callable[..., T], *args: Any) -> T:
    return await call_botocore("the AWS credentials", call, *args)


def new_session() -> Any:
    """Return a new session of botocore, which reads the current environment and profiles."""
    return botocore.session.Session(event_hooks=copy.copy(_hooks()), include_builtin_handlers=False)


@functools.cache
def _hooks() -> Any:
    """Return the handlers of every session, cached: registering them takes nine tenths of the time of a session."""
    hooks = botocore.hooks.HierarchicalEmitter()
    botocore.session.Session(event_hooks=hooks)
    return hooks


def _search(local: bool) -> Any:
    session = new_session()
    if local:
        # Asking a machine's metadata service for a role takes seconds where there is none.
        session.get_component("credential_provider").remove("iam-role")
    return session.get_credentials()


def _freeze(found: Any) -> Keys:
    frozen = found.get_frozen_credentials()
    return Keys(frozen.access_key, frozen.secret_key, frozen.token)
