"""The trace of a request: the data of its log line and its metrics."""

from __future__ import annotations

from sobremesa.http.asgi import Scope

KEY = "sobremesa.trace"
NO_ROUTE = "(none)"


class Trace:
    """Filled in while the request is processed."""

    __slots__ = ("actor", "code", "request_id", "route", "status")

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.route = NO_ROUTE
        """The route's template, never the path: ids would make the labels of metrics unbounded."""
        self.actor: str | None = None
        self.code: str | None = None
        self.status = 500


def trace_of(scope: Scope) -> Trace:
    """Return the trace of a request; an unused one without the middleware."""
    trace: Trace | None = scope.get(KEY)
    return trace if trace is not None else Trace("-")
