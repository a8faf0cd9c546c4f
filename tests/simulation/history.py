"""The history of a run: what happened when, readable, and the same for the same seed."""

from __future__ import annotations

import asyncio
import hashlib

SHOWN = 400


class History:
    """Lines of one run, in their order, and the violations that were found."""

    def __init__(self, began: float = 0.0) -> None:
        self._began = began
        """The time of the loop that is shown as zero."""
        self.lines: list[str] = []
        self.violations: list[str] = []
        self.counts: dict[str, int] = {}

    def note(self, who: str, what: str, details: object = "") -> None:
        """Add a line."""
        self.counts[what] = self.counts.get(what, 0) + 1
        seconds = asyncio.get_running_loop().time() - self._began
        self.lines.append(f"{seconds:10.4f} {who:<12} {what:<16} {details}".rstrip())

    def violate(self, rule: str, details: str) -> None:
        """Add the violation of a property."""
        self.violations.append(f"{rule}: {details}")
        self.note("CHECK", "VIOLATION", f"{rule}: {details}")

    def digest(self) -> str:
        """Return a short hash of all lines."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:16]
