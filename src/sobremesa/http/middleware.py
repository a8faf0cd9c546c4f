"""The middleware of all requests.

It adds a request id and a trace, sets response headers, records metrics, writes one log line, and turns uncaught errors
into responses. It runs for every request, so it does as little as possible: headers are built once, and nothing is
looked up twice.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import secrets
from collections.abc import Awaitable, Iterator
from time import perf_counter

import structlog

from sobremesa.http.asgi import App, Message, Receive, Scope, Send
from sobremesa.http.logs import log_request
from sobremesa.http.metrics import Metrics
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.trace import KEY, Trace

API_POLICY = b"default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The policy of pages with a style sheet and no script."""

ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    # This keeps other origins from embedding a response. It does not affect requests that CORS allows.
    (b"cross-origin-resource-policy", b"same-origin"),
)
UNLESS_SET = ((b"content-security-policy", API_POLICY), (b"cache-control", b"no-store"))

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}").fullmatch
_NO_POLICY, _NO_CACHING = UNLESS_SET
# By whether the response sets its own policy, and its own caching.
_HEADERS = {
    (False, False): (*ALWAYS, _NO_POLICY, _NO_CACHING),
    (False, True): (*ALWAYS, _NO_POLICY),
    (True, False): (*ALWAYS, _NO_CACHING),
    (True, True): ALWAYS,
}

_log = structlog.get_logger("sobremesa.http")


class RequestMiddleware:
    """Wraps an ASGI application."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._ids = _request_ids()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started_at = perf_counter()
        trace = Trace(_given_id(scope) or next(self._ids))
        scope[KEY] = trace
        response = _ResponseSender(trace, send)
        metrics = self._metrics
        metrics.in_flight += 1
        try:
            await self._app(scope, receive, response.send)
        except asyncio.CancelledError:
            # Only a shutdown whose grace period has ended cancels requests.
            await response.refuse(_STOPPING)
            raise
        except Exception as error:
            _log.error("request failed", request_id=trace.request_id, route=trace.route, exc_info=error)
            if response.is_started:
                # Too late for another status: aborting the connection shows that the response is incomplete.
                raise
            await response.refuse(problem_of(error))
        finally:
            seconds = perf_counter() - started_at
            metrics.in_flight -= 1
            metrics.record(trace.route, scope["method"], trace.status, seconds)
            log_request(
                scope["method"],
                trace.route,
                trace.status,
                trace.code,
                round(seconds * 1000, 2),
                trace.request_id,
                trace.actor,
            )


_STOPPING = Problem(
    status=503, code="stopping", detail="The service is stopping; the request may still have been processed."
)


class _ResponseSender:
    """Sends the response, and completes its headers."""

    __slots__ = ("_send", "_trace", "is_started")

    def __init__(self, trace: Trace, send: Send) -> None:
        self._trace = trace
        self._send = send
        self.is_started = False

    def send(self, message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            self.is_started = True
            trace = self._trace
            trace.status = message["status"]
            headers = message.get("headers", ())
            has_policy = has_caching = False
            for name, _ in headers:
                if name == b"cache-control":
                    has_caching = True
                elif name == b"content-security-policy":
                    has_policy = True
            # A new list: a response that is cached and sent again must not accumulate headers.
            message["headers"] = [
                *headers,
                *_HEADERS[has_policy, has_caching],
                (b"x-request-id", trace.request_id.encode("ascii")),
            ]
        return self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Send a problem, unless a response has started."""
        if self.is_started:
            return
        self._trace.code = problem.code
        body = problem.body
        headers = [*problem.headers, (b"content-length", b"%d" % len(body))]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _given_id(scope: Scope) -> str | None:
    """Return the request id of the client, if it is safe to log."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return value.decode("ascii") if _REQUEST_ID(value) else None
    return None


def _request_ids() -> Iterator[str]:
    """Yield ids that are unique across processes: a random prefix and a counter."""
    process = secrets.token_hex(6)
    return (f"{process}-{number:x}" for number in itertools.count(1))
