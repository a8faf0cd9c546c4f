"""Heavy work: requests that read everything about a user run one at a time for each user and process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sobremesa.core.actor import UserId
from sobremesa.core.errors import TooMany

RETRY_SECONDS = 2


class HeavyWorkRunning(TooMany):
    """Another request of this user is still reading everything."""

    code = "heavy_work_running"
    says = "Another large request of yours is still running: wait until it is done."


class HeavyWork:
    """Who has a heavy request running in this process."""

    def __init__(self) -> None:
        self._users: set[UserId] = set()

    @contextmanager
    def only_one(self, user_id: UserId) -> Iterator[None]:
        """Run one heavy request of a user; HeavyWorkRunning while there is another."""
        if user_id in self._users:
            raise HeavyWorkRunning(retry_after=RETRY_SECONDS)
        self._users.add(user_id)
        try:
            yield
        finally:
            self._users.discard(user_id)
