"""The site: all endpoints and pages as one ASGI application.

/v1/...                     the endpoints
/v1/gateway                 the WebSocket
/docs, /openapi.json        the API documentation
/healthz, /readyz           liveness and readiness (/health and /livez are the same as /healthz)
everything else             the web client, if there is one

A separate port for operators, if configured, serves only /metrics (for Prometheus) and health.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, Self, TypeAlias

import msgspec
import structlog
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from sobremesa.core.errors import NotFound
from sobremesa.http import docs_page, openapi
from sobremesa.http.asgi import App, Receive, Scope, Send
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import PREFIX
from sobremesa.http.metrics import CONTENT_TYPE, Metrics
from sobremesa.http.middleware import PAGE_POLICY, RequestMiddleware
from sobremesa.http.mounting import inside_mount, mount_prefix
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.schemas import Json
from sobremesa.http.trace import trace_of

Step: TypeAlias = Callable[[], Awaitable[Any]]
"""A callback on start or stop, or a readiness check."""

METRICS = "/metrics"
READY_WITHIN_SECONDS = 2.0
NO_SUCH_SOCKET = 4404
NOT_STARTED_SOCKET = 1013
"""Try again later: a standard code, so that clients reconnect."""
NOT_STARTED = Problem(
    status=503,
    code="not_started",
    detail="The site was not started. An application that mounts it must run `async with site.started():` in its "
    "lifespan function.",
)
REQUEST_ORIGIN = "http://origin.invalid"
"""Placeholder in the documentation for the origin of the request, if no public URL is set."""
CORS_HEADERS = ("authorization", "content-type", "idempotency-key", "if-none-match", "x-request-id")
CORS_EXPOSED = ("ratelimit", "ratelimit-policy", "retry-after", "etag", "x-request-id")
CORS_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

_PLAIN_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
"""Hosts that are safe in a page: a name or an address, and a port."""

_log = structlog.get_logger("sobremesa.http")


class Gateway(Protocol):
    """The application of WebSockets."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def drain(self) -> None:
        """Ask all clients to reconnect to another node."""
        ...


class Site:
    """The ASGI application of the process."""

    def __init__(
        self,
        dispatch: Dispatch,
        *,
        version: str,
        public_url: str | None,
        ready: Step,
        metrics: Metrics,
        cors_origins: Sequence[str] = (),
        client: App | None = None,
        gateway: Gateway | None = None,
        webhooks: Sequence[openapi.WebhookEvent] = (),
        on_start: Sequence[Step] = (),
        on_stop: Sequence[Step] = (),
    ) -> None:
        self._version = version
        self._server_url = public_url or REQUEST_ORIGIN
        self.start_error: Exception | None = None
        """Why it did not start: ASGI passes only a text to the server."""
        self.metrics_port: int | None = None
        """The port of the operators, which should not be public."""
        self._is_started = False
        self._is_draining = False
        self._dispatch = dispatch
        self._ready = ready
        self._metrics = metrics
        self.gateway = gateway
        self._webhooks = webhooks
        self._on_start = on_start
        self._on_stop = on_stop
        self._pages = Router(self._page_routes(), redirect_slashes=False, default=client or _not_found)
        self._paths = {route.path for route in self._pages.routes if isinstance(route, Route)}
        self._http: App = RequestMiddleware(_with_cors(self._serve, cors_origins), metrics)
        self._operator_pages = Router(self._operator_routes(), redirect_slashes=False, default=_not_found)
        self._operators: App = RequestMiddleware(self._serve_operators, metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope.get("root_path"):
            with inside_mount(scope) as inner:
                await self._answer(inner, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            app = self._operators if self._is_for_operators(scope) else self._http
            await app(scope, receive, send)
        elif self.gateway is None or self._is_for_operators(scope):
            await _close(receive, send, NO_SUCH_SOCKET)
        elif not self._is_started:
            _log.error(NOT_STARTED.detail)
            await _close(receive, send, NOT_STARTED_SOCKET, "The site was not started.")
        else:
            await self.gateway(scope, receive, send)

    @asynccontextmanager
    async def started(self) -> AsyncIterator[Self]:
        """Start the site, and stop it at the end of the block.

        A server does this through the lifespan protocol. An application that mounts the site receives those events
        itself and does not pass them on: call this in its own lifespan function.
        """
        if self._is_started:
            raise RuntimeError("the site is already started")
        for step in self._on_start:
            await step()
        self._is_started, self._is_draining = True, False
        try:
            yield self
        finally:
            await self._stop()

    def document(self) -> Json:
        """Build the OpenAPI document, which is slower than everything else at startup."""
        return openapi.document(
            self._dispatch.endpoints,
            title="Sobremesa",
            version=self._version,
            server_url=self._server_url,
            webhooks=self._webhooks,
        )

    def drain(self) -> None:
        """Report as not ready, and ask gateway clients to reconnect to another node."""
        if self.gateway is not None and not self._is_draining:
            self.gateway.drain()
        self._is_draining = True

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_started:
            _log.error(NOT_STARTED.detail)
            await _problem_response(scope, NOT_STARTED)(scope, receive, send)
            return
        if scope["path"].startswith(PREFIX + "/"):
            await self._dispatch(scope, receive, send)
            return
        await self._serve_page(self._pages, scope, receive, send)

    async def _serve_operators(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._serve_page(self._operator_pages, scope, receive, send)

    def _is_for_operators(self, scope: Scope) -> bool:
        """Return whether a request came to the port of the operators, whatever its headers are."""
        if self.metrics_port is None:
            return False
        server = scope.get("server")
        return server is not None and server[1] == self.metrics_port

    async def _serve_page(self, pages: Router, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in self._paths:
            trace_of(scope).route = scope["path"]
        scope["app"] = self  # so that the router raises instead of sending its own response
        try:
            await pages(scope, receive, send)
        except HTTPException as error:
            problem = Problem(status=405, code="method_not_allowed", detail="Allowed methods: GET, HEAD.")
            await _problem_response(scope, problem, error.headers)(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Run the callbacks when the server starts and stops."""
        await receive()
        running = self.started()
        try:
            await running.__aenter__()
        except Exception as error:
            self.start_error = error
            await send({"type": "lifespan.startup.failed", "message": ""})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            await running.__aexit__(None, None, None)
        except Exception:  # already logged
            await send({"type": "lifespan.shutdown.failed"})
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def _stop(self) -> None:
        """Run every callback, also after one has failed; raise the last error."""
        self.drain()
        self._is_started = False
        failed: Exception | None = None
        for step in self._on_stop:
            try:
                await step()
            except Exception as error:
                failed = error
                _log.error("shutdown callback failed", exc_info=error)
        if failed is not None:
            raise failed

    def _page_routes(self) -> list[Route]:
        document = _cacheable(lambda: msgspec.json.encode(self.document()), "application/json")
        docs = _cacheable(lambda: docs_page.page(self.document()).encode(), "text/html; charset=utf-8", PAGE_POLICY)
        style = _cacheable(lambda: docs_page.STYLE, "text/css; charset=utf-8")
        return [
            Route("/openapi.json", document),
            Route("/docs", docs),
            Route(docs_page.STYLE_PATH, style),
            *self._health_routes(),
            # Otherwise the web client would serve its page here, as for every unknown path.
            Route(METRICS, _answer_not_found),
        ]

    def _operator_routes(self) -> list[Route]:
        return [*self._health_routes(), Route(METRICS, self._answer_metrics)]

    def _health_routes(self) -> list[Route]:
        living = [Route(path, self._answer_healthz) for path in ("/healthz", "/livez", "/health")]
        return [*living, Route("/readyz", self._answer_readyz)]

    async def _answer_healthz(self, _request: Request) -> Response:
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def _answer_readyz(self, request: Request) -> Response:
        problem = await self._why_not_ready()
        if problem is None:
            return Response(b'{"status":"ready"}', media_type="application/json")
        return _problem_response(request.scope, problem)

    async def _why_not_ready(self) -> Problem | None:
        if self._is_draining:
            return Problem(status=503, code="stopping", detail="The service is stopping.")
        try:
            async with asyncio.timeout(READY_WITHIN_SECONDS):
                await self._ready()
        except Exception as error:
            _log.warning("not ready", why=f"{type(error).__name__}: {error}")
            return Problem(status=503, code="not_ready", detail="The store is not available for reads or writes.")
        return None

    async def _answer_metrics(self, _request: Request) -> Response:
        return Response(self._metrics.text(), headers={"content-type": CONTENT_TYPE})


def _with_cors(app: App, origins: Sequence[str]) -> App:
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=CORS_METHODS,
        allow_headers=CORS_HEADERS,
        expose_headers=CORS_EXPOSED,
    )


def _cacheable(
    build: Callable[[], bytes], content_type: str, policy: str | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a page that never changes while the process runs, apart from the origin of the request.

    It is built once in a thread, on the first request, so that it does not delay the start.
    """
    built: list[_BuiltPage] = []
    building = asyncio.Lock()

    async def answer(request: Request) -> Response:
        if not built:
            async with building:
                if not built:
                    built.append(_BuiltPage(await asyncio.to_thread(build), content_type, policy))
        return built[0].answer(request)

    return answer


class _BuiltPage:
    def __init__(self, body: bytes, content_type: str, policy: str | None) -> None:
        self._body = body
        self._content_type = content_type
        self._has_origin = REQUEST_ORIGIN.encode() in body
        self._digest = hashlib.blake2b(body, digest_size=12).hexdigest()
        self._headers = {"cache-control": "no-cache"}
        if self._has_origin:
            self._headers["vary"] = "host"
        if policy is not None:
            self._headers["content-security-policy"] = policy

    def answer(self, request: Request) -> Response:
        origin = _origin_of(request) + mount_prefix() if self._has_origin else ""
        tag = f'"{self._digest}{origin and "." + hashlib.blake2b(origin.encode(), digest_size=6).hexdigest()}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={**self._headers, "etag": tag})
        shown = self._body.replace(REQUEST_ORIGIN.encode(), origin.encode()) if self._has_origin else self._body
        return Response(shown, headers={**self._headers, "etag": tag, "content-type": self._content_type})


def _origin_of(request: Request) -> str:
    """Return scheme and host as the client sees them; the listening address if `Host` is not a plain host."""
    host = request.headers.get("host", "")
    if not _PLAIN_HOST.fullmatch(host):
        server = request.scope.get("server") or ("127.0.0.1", 80)
        host = f"{server[0]}:{server[1]}"
    return f"{request.scope['scheme']}://{host}"


async def _close(receive: Receive, send: Send, code: int, reason: str = "") -> None:
    """Close a socket; before it is accepted, servers answer the handshake with a status and show no reason."""
    await receive()
    if reason:
        await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": code, "reason": reason})


async def _answer_not_found(request: Request) -> Response:
    return _problem_response(request.scope, problem_of(NotFound()))


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    await _problem_response(scope, problem_of(NotFound()))(scope, receive, send)


def _problem_response(scope: Scope, problem: Problem, headers: Any = None) -> Response:
    trace_of(scope).code = problem.code
    problem_headers = {name.decode(): value.decode() for name, value in problem.headers}
    return Response(problem.body, problem.status, headers={**problem_headers, **(headers or {})})
