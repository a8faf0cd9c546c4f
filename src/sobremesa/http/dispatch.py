"""Dispatch of requests to endpoints.

Each request takes the same steps: find the endpoint, authenticate, apply the rate limits, decode the input, call the
handler, encode the result. This is plain ASGI, since the request object of a framework would cost more than all of
these.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, MutableMapping
from typing import Any, NamedTuple, TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound, Unauthenticated
from sobremesa.http.deadlines import Deadlines
from sobremesa.http.decoding import body_of, idempotency_key, is_json, path_arguments, query_of, read_body, upload_of
from sobremesa.http.endpoints import PREFIX, Answer, Content, Encoded, Endpoint, Lines
from sobremesa.http.limits import LimitReached, Limits, network_of
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.router import Router
from sobremesa.http.trace import Trace, trace_of
from sobremesa.table import measure

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]
Authenticate: TypeAlias = Callable[[str], Awaitable[Actor]]
"""Returns the actor of a bearer token; Unauthenticated if it is not valid."""

JSON = (b"content-type", b"application/json")
JSON_LINES = (b"content-type", b"application/x-ndjson")
UPLOAD_SECONDS = 300.0
"""The timeout of uploads, which slow connections need."""
WITHOUT_BODY = (204, 304)
"""Statuses whose responses have no body, not even an empty one."""

_encode = msgspec.json.Encoder().encode
_log = structlog.get_logger("sobremesa.http")


class Response(NamedTuple):
    """A response: a body, or a stream of pieces."""

    status: int
    headers: Headers
    body: bytes = b""
    pieces: AsyncGenerator[bytes, None] | None = None


class Dispatch:
    """All endpoints as one ASGI application, under `/v1`."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        authenticate: Authenticate,
        limits: Limits,
        *,
        max_body_bytes: int,
        request_seconds: float,
        show_units: bool = False,
    ) -> None:
        self.endpoints = tuple(endpoints)
        self._router = Router(self.endpoints)
        self._authenticate = authenticate
        self._limits = limits
        self._max_body_bytes = max_body_bytes
        self._deadlines = Deadlines(request_seconds)
        self._upload_deadlines = Deadlines(max(request_seconds, UPLOAD_SECONDS))
        self._show_units = show_units

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        trace = trace_of(scope)
        try:
            response = await self._respond_measured(scope, receive, trace)
        except Exception as error:  # the boundary: every error becomes a response
            response = _error_response(error, trace)
        await _send(response, scope, send)

    async def _respond_measured(self, scope: Scope, receive: Receive, trace: Trace) -> Response:
        if not self._show_units:
            return await self._respond_in_time(scope, receive, trace)
        with measure() as measured:
            try:
                response = await self._respond_in_time(scope, receive, trace)
            except Exception as error:
                response = _error_response(error, trace)
        units = f"read={measured.read:g}; write={measured.write:g}; calls={measured.calls}"
        response.headers.append((b"sobremesa-units", units.encode()))
        return response

    async def _respond_in_time(self, scope: Scope, receive: Receive, trace: Trace) -> Response:
        by_method, path_values = self._router.find(scope["raw_path"].decode("latin-1").removeprefix(PREFIX))
        method = scope["method"]
        endpoint = by_method.get("GET" if method == "HEAD" else method)
        if endpoint is None:
            return _no_endpoint(by_method, trace)
        trace.route = endpoint.route
        deadlines = self._upload_deadlines if endpoint.takes_upload else self._deadlines
        try:
            return await deadlines.run(self._invoke(endpoint, path_values, scope, receive, trace))
        except TimeoutError:
            _log.warning("request timed out", request_id=trace.request_id, route=trace.route)
            problem = Problem(
                status=504, code="timed_out", detail="The request timed out; it may still have been processed."
            )
            return _problem_response(problem, trace)

    async def _invoke(
        self, endpoint: Endpoint, path_values: list[str], scope: Scope, receive: Receive, trace: Trace
    ) -> Response:
        headers = dict(scope["headers"])
        address = network_of(scope["client"][0] if scope.get("client") else "unknown")

        actor = await self._actor(endpoint, headers, address, trace)
        allowance = await self._limits.consume(endpoint.limit, actor.name if actor else f"address:{address}")

        arguments = path_arguments(endpoint, path_values)
        if actor is not None:
            arguments["actor"] = actor
        if endpoint.query is not None:
            arguments["query"] = query_of(endpoint, scope["query_string"])
        if endpoint.takes_idempotency_key:
            arguments["idempotency_key"] = idempotency_key(headers)
        if endpoint.takes_address:
            arguments["address"] = address
        if endpoint.takes_range:
            arguments["byte_range"] = headers.get(b"range", b"").decode("latin-1") or None
        if endpoint.max_upload is not None and not _is_json_upload(endpoint, headers):
            arguments["upload"] = upload_of(receive, headers, endpoint.max_upload)
        elif endpoint.body is not None:
            limit = endpoint.max_body or self._max_body_bytes
            arguments["body"] = body_of(endpoint, headers, await read_body(receive, headers, limit))

        response = await _response(endpoint, await endpoint.handler(**arguments), headers)
        response.headers.extend(allowance.headers)
        return response

    async def _actor(self, endpoint: Endpoint, headers: dict[bytes, bytes], address: str, trace: Trace) -> Actor | None:
        if not endpoint.takes_actor:
            return None
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        try:
            if scheme.lower() != "bearer" or not token:
                raise Unauthenticated
            actor = await self._authenticate(token.strip())
        except Unauthenticated:
            # Requests with bad tokens have no actor: they count for their address.
            await self._limits.consume(endpoint.limit, f"address:{address}")
            raise
        trace.actor = actor.name
        if endpoint.scope:
            actor.require_scope(endpoint.scope, *endpoint.also_scopes)
        else:
            actor.user_id  # noqa: B018 - refuses a server key where a user is required
        return actor


def _is_json_upload(endpoint: Endpoint, headers: dict[bytes, bytes]) -> bool:
    return endpoint.body is not None and is_json(headers.get(b"content-type", b""))


def _no_endpoint(by_method: dict[str, Endpoint], trace: Trace) -> Response:
    if not by_method:
        return _error_response(NotFound(), trace)
    trace.route = next(iter(by_method.values())).route
    allowed = ", ".join(sorted({*by_method, *(["HEAD"] if "GET" in by_method else [])}))
    problem = Problem(status=405, code="method_not_allowed", detail=f"Allowed methods: {allowed}.")
    return _problem_response(problem, trace, (b"allow", allowed.encode()))


async def _response(endpoint: Endpoint, result: Any, headers: dict[bytes, bytes]) -> Response:
    status = endpoint.status
    if type(result) is Answer:
        status, result = result.status, result.value
    if result is None:
        return Response(status, [])
    if not endpoint.returns_json:
        return await _streamed(status, result)
    body = result.json if type(result) is Encoded else _encode(result)
    if not endpoint.cacheable:
        return Response(status, [JSON], body)
    tag = b'W/"' + hashlib.blake2b(body, digest_size=12).hexdigest().encode() + b'"'
    cache = [(b"etag", tag), (b"cache-control", b"private, no-cache")]
    if tag in headers.get(b"if-none-match", b""):
        return Response(304, cache)
    return Response(status, [JSON, *cache], body)


async def _streamed(status: int, result: Lines | Content) -> Response:
    if isinstance(result, Lines):
        return Response(status, [JSON_LINES], pieces=await _with_first_line(result))
    headers = [(name.encode("ascii"), value.encode("ascii")) for name, value in result.headers.items()]
    return Response(result.status, headers, pieces=result.pieces)


async def _with_first_line(lines: Lines) -> AsyncGenerator[bytes, None]:
    """Return the lines after computing the first one, so that an error can still set the status."""
    values = aiter(lines.values)
    nothing = object()
    first = await anext(values, nothing)

    async def encoded() -> AsyncGenerator[bytes, None]:
        if first is nothing:
            return
        try:
            yield _encode(first) + b"\n"
            async for value in values:
                yield _encode(value) + b"\n"
        finally:
            # A client that disconnects in the middle ends the work, too.
            if isinstance(values, AsyncGenerator):
                await values.aclose()

    return encoded()


def _error_response(error: Exception, trace: Trace) -> Response:
    problem = problem_of(error)
    if problem.status == 500:
        _log.error("request failed", request_id=trace.request_id, route=trace.route, exc_info=error)
    elif problem.status > 500:
        why = f"{type(error).__name__}: {error}"
        _log.warning("request failed temporarily", request_id=trace.request_id, route=trace.route, why=why)
    extra = error.headers if isinstance(error, LimitReached) else ()
    return _problem_response(problem, trace, *extra)


def _problem_response(problem: Problem, trace: Trace, *headers: tuple[bytes, bytes]) -> Response:
    trace.code = problem.code
    return Response(problem.status, [*problem.headers, *headers], problem.body)


async def _send(response: Response, scope: Scope, send: Send) -> None:
    status, headers, body, pieces = response
    if pieces is None:
        if status not in WITHOUT_BODY:
            headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
        return
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if scope["method"] != "HEAD":
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
