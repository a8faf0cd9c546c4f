"""Limits on the number of sockets: of one address, and of clients that have not identified."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
import structlog

from sobremesa.core.errors import TooMany
from sobremesa.core.settings import Settings
from sobremesa.http.logs import Pace

RETRY_SECONDS = 5
"""When to retry after the limits of one address."""

_OF_ALL = "max_unidentified_sockets"

_log = structlog.get_logger("sobremesa.live")


class TooManySockets(TooMany):
    """Too many sockets; the data has the time to retry after."""

    code = "too_many_sockets"
    default_detail = "Too many sockets. Wait and retry."


class MaxSockets(msgspec.Struct, frozen=True, kw_only=True):
    """The limits; None is no limit."""

    of_address: int | None = None
    unidentified: int | None = None
    unidentified_of_address: int | None = None

    @classmethod
    def of(cls, settings: Settings) -> MaxSockets:
        """Return the limits of these settings."""
        if settings.rate_limits == "off":
            return cls()
        return cls(
            of_address=settings.max_sockets_per_address,
            unidentified=settings.max_unidentified_sockets,
            unidentified_of_address=settings.max_unidentified_sockets_per_address,
        )


class SocketLimits:
    """Counts the sockets of this process, from before the handshake until they are closed."""

    def __init__(self, limits: MaxSockets, retry_after: Callable[[], float]) -> None:
        self._limits = limits
        self._retry_after = retry_after
        """Returns when the next client that is refused should come back."""
        self._of_address: Counter[str] = Counter()
        self._unidentified: Counter[str] = Counter()
        self._all_unidentified = 0
        self._pace = Pace()

    @contextmanager
    def counted(self, address: str) -> Iterator[Callable[[], None]]:
        """Count a socket during the block; raises TooManySockets. Call the result once it identifies."""
        self._require_room(address)
        self._of_address[address] += 1
        self._unidentified[address] += 1
        self._all_unidentified += 1
        is_identified = False

        def identified() -> None:
            nonlocal is_identified
            if not is_identified:
                is_identified = True
                self._all_unidentified -= 1
                _subtract(self._unidentified, address)

        try:
            yield identified
        finally:
            identified()
            _subtract(self._of_address, address)

    def _require_room(self, address: str) -> None:
        limits = self._limits
        for name, limit, count in (
            ("max_sockets_per_address", limits.of_address, self._of_address[address]),
            ("max_unidentified_sockets_per_address", limits.unidentified_of_address, self._unidentified[address]),
            (_OF_ALL, limits.unidentified, self._all_unidentified),
        ):
            if limit is not None and count >= limit:
                if self._pace.is_due():
                    _log.warning("sockets are refused", setting=name, limit=limit, address=address)
                # One address that opens too many sockets must not put off the clients of others.
                seconds = math.ceil(self._retry_after()) if name == _OF_ALL else RETRY_SECONDS
                raise TooManySockets(retry_after=seconds)


def _subtract(counter: Counter[str], address: str) -> None:
    counter[address] -= 1
    if not counter[address]:
        del counter[address]
