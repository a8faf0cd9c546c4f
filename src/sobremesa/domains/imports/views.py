"""What a client receives of an import."""

from __future__ import annotations

from sobremesa.http.endpoints import Output


class LineProblem(Output, omit_defaults=True):
    """A line that was not imported, and why."""

    line: int
    code: str
    detail: str
    nonce: str | None = None


class ImportSummary(Output):
    """The last line: how many messages were imported, were there before, and how many lines failed."""

    imported: int = 0
    repeated: int = 0
    failed: int = 0
    rooms: int = 0
    """The lines with servers and rooms, created now or before."""
