"""Large requests: those that read everything about a user run one at a time for each user and process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sobremesa.core.actor import UserId
from sobremesa.core.errors import TooMany

RETRY_SECONDS = 2


class LargeRequestRunning(TooMany):
    """Another large request of this user is still running."""

    code = "heavy_work_running"
    default_detail = "Another large request is still running. Try again when it has finished."


class LargeRequests:
    """The users with a large request running in this process."""

    def __init__(self) -> None:
        self._users: set[UserId] = set()

    @contextmanager
    def one_at_a_time(self, user_id: UserId) -> Iterator[None]:
        """Run one large request of a user; LargeRequestRunning while there is another."""
        if user_id in self._users:
            raise LargeRequestRunning(retry_after=RETRY_SECONDS)
        self._users.add(user_id)
        try:
            yield
        finally:
            self._users.discard(user_id)
