"""How many connections there may be: in all, of one address, and with the files that the system lets us open.

Beyond that a connection is answered with 503 or 429 before its request is read. libuv says nothing when there are no
file descriptors left, and drops what waits; so some are kept in reserve, and running into the reserve is logged.
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
from sobremesa.http.limits import origin_of
from sobremesa.http.logs import Pace
from sobremesa.http.problems import Problem

RESERVED_FILES = 64
"""File descriptors that connections leave to the store, uploads and the like."""
MAX_REFUSED = 32
"""How many connections beyond the limit get an answer; more are closed without one."""
FEW_FILES = 4096

_FULL = Problem(status=503, code="busy", detail="There are too many connections: try again.")
_TOO_MANY_OF_ADDRESS = Problem(
    status=429, code="too_many_connections", detail="There are too many connections from this address."
)

_log = structlog.get_logger("sobremesa.http")


class MaxConnections(msgspec.Struct, frozen=True, kw_only=True):
    """The limits; None is no limit."""

    in_all: int | None = None
    of_address: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> MaxConnections:
        """The limits of these settings."""
        is_limited = settings.rate_limits == "on"
        of_address = settings.max_connections_per_address if is_limited else None
        return cls(in_all=settings.max_connections or None, of_address=of_address)


class ConnectionLimits(ServerState):
    """What uvicorn knows of its connections, and whether there may be one more."""

    def __init__(self, limits: MaxConnections, trusted_proxies: Sequence[str], max_files: int | None) -> None:
        super().__init__()
        self._limits = limits
        self._trusted = _TrustedHosts(list(trusted_proxies))
        self._usable_files = sys.maxsize if max_files is None else max_files - min(RESERVED_FILES, max_files // 2)
        self._of_address: Counter[str] = Counter()
        self._pace = Pace()

    def admit(self, transport: asyncio.Transport, host: str) -> Problem | None:
        """Count a connection that `connections` has in it already; a problem if it is one too many."""
        # The system gives the lowest free number, so a high one says that almost all are taken.
        beyond_files = _file_number(transport) - self._usable_files + 1
        beyond_limit = len(self.connections) - (self._limits.in_all or sys.maxsize)
        if beyond_files > 0 or beyond_limit > 0:
            self._warn("max_connections" if beyond_limit > 0 else "the system's limit of open files", host)
            if max(beyond_files, beyond_limit) > MAX_REFUSED:
                transport.abort()
            return _FULL
        address = origin_of(host)
        limit = self._limits.of_address
        if limit is not None and self._of_address[address] >= limit and host not in self._trusted:
            self._warn("max_connections_per_address", host)
            return _TOO_MANY_OF_ADDRESS
        self._of_address[address] += 1
        return None

    def release(self, host: str) -> None:
        """A connection that was admitted is gone."""
        address = origin_of(host)
        self._of_address[address] -= 1
        if not self._of_address[address]:
            del self._of_address[address]

    def _warn(self, limit: str, host: str) -> None:
        if self._pace.is_due():
            _log.warning("connections are refused", limit=limit, address=host, connections=len(self.connections))


def raise_file_limit() -> int | None:
    """Let this process open as many files as it is allowed to; how many that is, None where nothing says so."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (OSError, ValueError):  # some systems allow less than they say
            pass
    limit = None if soft == resource.RLIM_INFINITY else soft
    if limit is not None and limit < FEW_FILES:
        _log.warning("few files may be open, which limits connections: raise `ulimit -n`", limit=limit)
    return limit


def _file_number(transport: asyncio.Transport) -> int:
    connection = transport.get_extra_info("socket")
    return -1 if connection is None else int(connection.fileno())
