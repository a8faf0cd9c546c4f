"""The names of events that a webhook can receive, and the patterns that select them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from sobremesa.domains.webhooks.errors import UnknownEvents

EVERY = "*"
ANY_OF = ".*"


class EventNames:
    """All events that webhooks receive."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        parts = [name.split(".") for name in self.names]
        prefixes = {".".join(some[:length]) for some in parts for length in range(1, len(some))}
        self._known = {*self.names, EVERY, *(prefix + ANY_OF for prefix in prefixes)}

    def require_known(self, patterns: Sequence[str]) -> list[str]:
        """Return the patterns without repetitions; raise UnknownEvents if one selects no event."""
        unknown = [pattern for pattern in patterns if pattern not in self._known]
        if unknown:
            raise UnknownEvents(unknown={pattern: self._nearest(pattern) for pattern in unknown})
        return list(dict.fromkeys(patterns))

    def _nearest(self, pattern: str) -> str | None:
        return next(iter(difflib.get_close_matches(pattern, sorted(self._known), n=1)), None)


def is_selected(patterns: Iterable[str], name: str) -> bool:
    """Return whether one of the patterns selects the event: its name, a prefix such as `message.*`, or `*`."""
    return any(
        pattern in (EVERY, name) or (pattern.endswith(ANY_OF) and name.startswith(pattern.removesuffix("*")))
        for pattern in patterns
    )
