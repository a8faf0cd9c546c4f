"""Limits of connections: in total, per address, and by the number of open files.

A connection beyond a limit gets 503 or 429 before its request is read. libuv silently drops connections when no file
descriptors are left; so some are kept in reserve, and reaching the reserve is logged.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence

import msgspec
import structlog
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.server import ServerState

from sobremesa.core.settings import Settings
from sobremesa.http.limits import network_of
from sobremesa.http.logs import Pace
from sobremesa.http.problems import Problem

RESERVED_FILES = 64
"""File descriptors that are reserved for the store, uploads and the like."""
MAX_REFUSED = 32
"""The number of connections beyond the limit that get a response; more are closed without one."""
FEW_FILES = 4096

_FULL = Problem(status=503, code="busy", detail="Too many connections. Try again later.")
_TOO_MANY_OF_ADDRESS = Problem(
    status=429, code="too_many_connections", detail="Too many connections from this address."
)

_log = structlog.get_logger("sobremesa.http")


class MaxConnections(msgspec.Struct, frozen=True, kw_only=True):
    """The limits; None means unlimited."""

    total: int | None = None
    per_address: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> MaxConnections:
        """Return the limits of the settings."""
        is_limited = settings.rate_limits == "on"
        per_address = settings.max_connections_per_address if is_limited else None
        return cls(total=settings.max_connections or None, per_address=per_address)


class ConnectionLimits(ServerState):
    """uvicorn's state of its connections, with limits."""

    def __init__(self, limits: MaxConnections, trusted_proxies: Sequence[str], max_files: int | None) -> None:
        super().__init__()
        self._limits = limits
        self._trusted = _TrustedHosts(list(trusted_proxies))
        self._usable_files = sys.maxsize if max_files is None else max_files - min(RESERVED_FILES, max_files // 2)
        self._per_address: Counter[str] = Counter()
        self._pace = Pace()

    def admit(self, transport: asyncio.Transport, host: str) -> Problem | None:
        """Count a connection that `connections` already contains; return a problem if it exceeds a limit."""
        # The system assigns the lowest free number, so a high one means that almost all are in use.
        beyond_files = _file_number(transport) - self._usable_files + 1
        beyond_limit = len(self.connections) - (self._limits.total or sys.maxsize)
        if beyond_files > 0 or beyond_limit > 0:
            self._warn("max_connections" if beyond_limit > 0 else "the system's limit of open files", host)
            if max(beyond_files, beyond_limit) > MAX_REFUSED:
                transport.abort()
            return _FULL
        address = network_of(host)
        limit = self._limits.per_address
        if limit is not None and self._per_address[address] >= limit and host not in self._trusted:
            self._warn("max_connections_per_address", host)
            return _TOO_MANY_OF_ADDRESS
        self._per_address[address] += 1
        return None

    def release(self, host: str) -> None:
        """Release a connection that was admitted."""
        address = network_of(host)
        self._per_address[address] -= 1
        if not self._per_address[address]:
            del self._per_address[address]

    def _warn(self, limit: str, host: str) -> None:
        if self._pace.is_due():
            _log.warning("refusing connections", limit=limit, address=host, connections=len(self.connections))


def raise_file_limit() -> int | None:
    """Raise the limit of open files to the maximum, and return it; None if unlimited."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (OSError, ValueError):  # some systems allow less than they report
            pass
    limit = None if soft == resource.RLIM_INFINITY else soft
    if limit is not None and limit < FEW_FILES:
        _log.warning("low limit of open files: raise `ulimit -n` to allow more connections", limit=limit)
    return limit


def _file_number(transport: asyncio.Transport) -> int:
    connection = transport.get_extra_info("socket")
    return -1 if connection is None else int(connection.fileno())
