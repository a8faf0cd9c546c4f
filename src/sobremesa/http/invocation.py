"""Invocation of endpoints, the same for requests over HTTP and for calls over the gateway.

Each takes the same steps: authenticate, check the scope, apply the rate limits, decode the input, call the handler in
time, encode the result. Every error becomes a response.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, NamedTuple, Protocol

import msgspec
import structlog

from sobremesa.core.actor import Actor, UserRequired
from sobremesa.core.errors import Forbidden, Unauthenticated
from sobremesa.http.asgi import Headers
from sobremesa.http.deadlines import Deadlines
from sobremesa.http.decoding import path_arguments
from sobremesa.http.endpoints import Answer, Content, Encoded, Endpoint, Lines, camel
from sobremesa.http.limits import LimitReached, Limits
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.trace import Trace
from sobremesa.http.user_references import NoUsers, Users, resolve_users

JSON = (b"content-type", b"application/json")
JSON_LINES = (b"content-type", b"application/x-ndjson")
UPLOAD_SECONDS = 300.0
"""The timeout of uploads, which slow connections need."""

_TIMED_OUT = Problem(status=504, code="timed_out", detail="The request timed out; it may still have been processed.")

_encode = msgspec.json.Encoder().encode
_log = structlog.get_logger("sobremesa.http")


class Source(Protocol):
    """Where the input of an endpoint comes from: a request, or a call."""

    @property
    def address(self) -> str:
        """The address of the client, as limits count it."""
        ...

    @property
    def act_as(self) -> str | None:
        """The user that a server key acts as: an id, or `ext:` and an external id; None if it acts as itself."""
        ...

    async def authenticate(self) -> Actor:
        """Return the actor; Unauthenticated without a valid token."""
        ...

    async def decode(self, endpoint: Endpoint) -> dict[str, Any]:
        """Return the arguments of the handler apart from path, actor and address; a Refusal locates mistakes."""
        ...


class Response(NamedTuple):
    """A response: a body, or a stream of pieces."""

    status: int
    headers: Headers
    body: bytes = b""
    pieces: AsyncGenerator[bytes, None] | None = None


class Invocations:
    """Invokes endpoints."""

    def __init__(self, limits: Limits, *, request_seconds: float, users: Users | None = None) -> None:
        self._limits = limits
        self._users = users or NoUsers()
        self._deadlines = Deadlines(request_seconds)
        self._upload_deadlines = Deadlines(max(request_seconds, UPLOAD_SECONDS))

    async def run(self, endpoint: Endpoint, path_values: list[str], source: Source, trace: Trace) -> Response:
        """Return the response of an endpoint, also for errors."""
        trace.route = endpoint.route
        deadlines = self._upload_deadlines if endpoint.takes_upload else self._deadlines
        try:
            return await deadlines.run(self._invoke(endpoint, path_values, source, trace))
        except TimeoutError:
            _log.warning("request timed out", request_id=trace.request_id, route=trace.route)
            return problem_response(_TIMED_OUT, trace)
        except Exception as error:  # the boundary: every error becomes a response
            return error_response(error, trace)

    async def _invoke(self, endpoint: Endpoint, path_values: list[str], source: Source, trace: Trace) -> Response:
        actor = await self._authenticate(endpoint, source, trace) if endpoint.takes_actor else None
        allowance = await self._limits.consume(endpoint.limit, actor.name if actor else f"address:{source.address}")
        if actor is not None:
            actor = await self._authorize(endpoint, actor, source.act_as, trace)

        arguments = path_arguments(endpoint, path_values)
        if endpoint.admit is not None:
            arguments = {"admitted": await endpoint.admit(**arguments)}
        if actor is not None:
            arguments["actor"] = actor
        if endpoint.takes_address:
            arguments["address"] = source.address
        arguments |= await source.decode(endpoint)
        if actor is not None and endpoint.names_users:
            await resolve_users(self._users, actor.tenant, arguments, endpoint.user_fields)
        if actor is not None and endpoint.key_acts_as is not None:
            named = getattr(arguments["body"], endpoint.key_acts_as)
            arguments["actor"] = await self._for_named_user(endpoint, actor, named, trace)

        response = await _response(endpoint, await endpoint.handler(**arguments))
        response.headers.extend(allowance.headers)
        return response

    async def _authenticate(self, endpoint: Endpoint, source: Source, trace: Trace) -> Actor:
        try:
            actor = await source.authenticate()
        except Unauthenticated:
            # Requests with bad tokens have no actor: they count for their address.
            await self._limits.consume(endpoint.limit, f"address:{source.address}")
            raise
        trace.actor = actor.name
        return actor

    async def _authorize(self, endpoint: Endpoint, actor: Actor, act_as: str | None, trace: Trace) -> Actor:
        """Return the actor of the endpoint, which is a user if a server key acts as one."""
        if act_as is not None:
            for scope in endpoint.acting_scopes:
                actor.require_scope(scope)
            actor = await self._users.act_as(actor, act_as, endpoint.name, is_write=endpoint.method != "GET")
            trace.actor = f"{actor.name} as user:{actor.user}"
        if endpoint.scope:
            actor.require_scope(endpoint.scope, *endpoint.also_scopes)
        elif actor.user is None:
            if endpoint.key_scope is None:
                raise UserRequired
            actor.require_scope(endpoint.key_scope)
        return actor

    async def _for_named_user(self, endpoint: Endpoint, actor: Actor, named: str | None, trace: Trace) -> Actor:
        """Return the actor of a request whose body may name a user: a server key acts as that user."""
        if named is None:
            return actor
        if actor.user is not None:
            raise Forbidden(f"Only a server key in its own name can set {camel(endpoint.key_acts_as or '')}.")
        actor = await self._users.act_as(actor, named, endpoint.name, is_write=True)
        trace.actor = f"{actor.name} as user:{actor.user}"
        return actor


async def _response(endpoint: Endpoint, result: Any) -> Response:
    status = endpoint.status
    if type(result) is Answer:
        status, result = result.status, result.value
    if result is None:
        return Response(status, [])
    if endpoint.returns_json:
        return Response(status, [JSON], result.json if type(result) is Encoded else _encode(result))
    return await _streamed(status, result)


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


def error_response(error: Exception, trace: Trace) -> Response:
    """Return the response of an error; those of the service itself are logged."""
    problem = problem_of(error)
    if problem.status == 500:
        _log.error("request failed", request_id=trace.request_id, route=trace.route, exc_info=error)
    elif problem.status > 500:
        why = f"{type(error).__name__}: {error}"
        _log.warning("request failed temporarily", request_id=trace.request_id, route=trace.route, why=why)
    return problem_response(problem, trace, *(error.headers if isinstance(error, LimitReached) else ()))


def problem_response(problem: Problem, trace: Trace, *headers: tuple[bytes, bytes]) -> Response:
    """Return the response of a problem, and note its code."""
    trace.code = problem.code
    return Response(problem.status, [*problem.headers, *headers], problem.body)
