"""Dispatch of HTTP requests to endpoints.

This is plain ASGI, since the request object of a framework would cost more than all that a request needs.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound, Unauthenticated
from sobremesa.http.asgi import Receive, Scope, Send
from sobremesa.http.decoding import ACT_AS, act_as_of, body_of, idempotency_key, is_json, query_of, read_body, upload_of
from sobremesa.http.endpoints import PREFIX, Endpoint
from sobremesa.http.invocation import JSON, Invocations, Response, error_response, problem_response
from sobremesa.http.limits import Limits, network_of
from sobremesa.http.problems import Problem
from sobremesa.http.router import Router
from sobremesa.http.trace import Trace, trace_of
from sobremesa.http.user_references import Users
from sobremesa.table import measure

Authenticate: TypeAlias = Callable[[str], Awaitable[Actor]]
"""Returns the actor of a bearer token; Unauthenticated if it is not valid."""

WITHOUT_BODY = (204, 304)
"""Statuses whose responses have no body, not even an empty one."""


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
        users: Users | None = None,
    ) -> None:
        self.endpoints = tuple(endpoints)
        self._router = Router(self.endpoints)
        self._invocations = Invocations(limits, request_seconds=request_seconds, users=users)
        self._authenticate = authenticate
        self._max_body_bytes = max_body_bytes
        self._show_units = show_units

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._show_units:
            response = await self._respond(scope, receive)
        else:
            with measure() as measured:
                response = await self._respond(scope, receive)
            units = f"read={measured.read:g}; write={measured.write:g}; calls={measured.calls}"
            response.headers.append((b"sobremesa-units", units.encode()))
        await _send(response, scope, send)

    async def _respond(self, scope: Scope, receive: Receive) -> Response:
        trace = trace_of(scope)
        by_method, path_values = self._router.find(scope["raw_path"].decode("latin-1").removeprefix(PREFIX))
        method = scope["method"]
        endpoint = by_method.get("GET" if method == "HEAD" else method)
        if endpoint is None:
            return _no_endpoint(by_method, trace)
        headers = dict(scope["headers"])
        address = network_of(scope["client"][0] if scope.get("client") else "unknown")
        request = _Request(headers, scope["query_string"], receive, address, self._authenticate, self._max_body_bytes)
        response = await self._invocations.run(endpoint, path_values, request, trace)
        return _cacheable(response, headers) if endpoint.cacheable else response


class _Request(NamedTuple):
    """The input of an endpoint from a request."""

    headers: dict[bytes, bytes]
    query_string: bytes
    receive: Receive
    address: str
    check_token: Authenticate
    max_body_bytes: int

    @property
    def act_as(self) -> str | None:
        header = self.headers.get(ACT_AS)
        return None if header is None else act_as_of(header)

    async def authenticate(self) -> Actor:
        scheme, _, token = self.headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated
        return await self.check_token(token.strip())

    async def decode(self, endpoint: Endpoint) -> dict[str, Any]:
        headers = self.headers
        arguments: dict[str, Any] = {}
        if endpoint.query is not None:
            arguments["query"] = query_of(endpoint, self.query_string)
        if endpoint.takes_idempotency_key:
            arguments["idempotency_key"] = idempotency_key(headers)
        if endpoint.takes_range:
            arguments["byte_range"] = headers.get(b"range", b"").decode("latin-1") or None
        if endpoint.takes_headers:
            arguments["headers"] = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()}
        if endpoint.max_upload is not None and not _is_json_upload(endpoint, headers):
            arguments["upload"] = upload_of(self.receive, headers, endpoint.max_upload)
        elif endpoint.body is not None:
            limit = endpoint.max_body or self.max_body_bytes
            arguments["body"] = body_of(endpoint, headers, await read_body(self.receive, headers, limit))
        return arguments


def _is_json_upload(endpoint: Endpoint, headers: dict[bytes, bytes]) -> bool:
    return endpoint.body is not None and is_json(headers.get(b"content-type", b""))


def _no_endpoint(by_method: dict[str, Endpoint], trace: Trace) -> Response:
    if not by_method:
        return error_response(NotFound(), trace)
    trace.route = next(iter(by_method.values())).route
    allowed = ", ".join(sorted({*by_method, *(["HEAD"] if "GET" in by_method else [])}))
    problem = Problem(status=405, code="method_not_allowed", detail=f"Allowed methods: {allowed}.")
    return problem_response(problem, trace, (b"allow", allowed.encode()))


def _cacheable(response: Response, headers: dict[bytes, bytes]) -> Response:
    """Return a response with its entity tag, or 304 if the client already has this one."""
    if response.status >= 300:
        return response
    tag = b'W/"' + hashlib.blake2b(response.body, digest_size=12).hexdigest().encode() + b'"'
    cache = [(b"etag", tag), (b"cache-control", b"private, no-cache")]
    if tag not in headers.get(b"if-none-match", b""):
        response.headers.extend(cache)
        return response
    kept = [header for header in response.headers if header != JSON]
    return Response(304, [*kept, *cache])


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
