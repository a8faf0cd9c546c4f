"""Calls: the endpoints over an open socket, with the same types, errors, limits and permissions as over HTTP.

A call names its endpoint (`channels.sendMessage`) and passes path parameters, query and body as the fields of one
object; or it is a request line (`POST /v1/channels/ID/messages`) and passes only the body, or the query where there is
no body.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
import structlog

from sobremesa.core.actor import Actor
from sobremesa.core.errors import Invalid, NotFound, TooBig
from sobremesa.http.deadlines import Deadlines
from sobremesa.http.decoding import (
    MAX_KEY_CHARACTERS,
    decoded_body,
    decoded_query,
    path_arguments,
)
from sobremesa.http.endpoints import PREFIX, Answer, Encoded, Endpoint, camel
from sobremesa.http.limits import Limits
from sobremesa.http.logs import log_request
from sobremesa.http.metrics import Metrics
from sobremesa.http.problems import MalformedRequest, Problem, problem_of
from sobremesa.http.router import Router

MAX_PARAMS_BYTES = 32 * 1024
KEY_FIELD = "idempotencyKey"

_NOT_CALLABLE = Problem(
    status=415, code="not_callable", detail="Upload and download files over HTTP, not over the gateway."
)

_encode = msgspec.json.Encoder().encode
_decode_params = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_log = structlog.get_logger("sobremesa.http")


class Caller(NamedTuple):
    """The actor and the address of a call."""

    actor: Actor
    address: str
    name: str
    """The name of this connection in the log."""


class Outcome(NamedTuple):
    """The result of a call: a status and a body, as over HTTP."""

    status: int
    body: bytes


class Call(NamedTuple):
    """A call with its endpoint and its input."""

    endpoint: Endpoint
    path_values: list[str]
    fields: dict[str, msgspec.Raw]

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing, so that its order does not matter."""
        return self.endpoint.method == "GET"


class Calls:
    """All endpoints, by name and by request line."""

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        limits: Limits,
        metrics: Metrics,
        *,
        request_seconds: float,
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._by_name = {endpoint.name: endpoint for endpoint in self._endpoints}
        self._router = Router(self._endpoints)
        self._limits = limits
        self._metrics = metrics
        self._deadlines = Deadlines(request_seconds)

    def find(self, method: str, params: bytes) -> Call:
        """Return the call of a method; NotFound if it is unknown, TooBig or MalformedRequest for bad parameters."""
        if len(params) > MAX_PARAMS_BYTES:
            raise TooBig(f"The parameters may have at most {MAX_PARAMS_BYTES} bytes.", limit=MAX_PARAMS_BYTES)
        try:
            fields = {} if params == b"null" else _decode_params(params)
        except msgspec.ValidationError:
            raise Invalid(errors=[{"in": "params", "pointer": "#", "detail": "Expected `object`"}]) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise MalformedRequest("The parameters are not valid JSON.") from None
        if " " in method:
            return self._by_request_line(method, fields)
        endpoint = self._by_name.get(method)
        if endpoint is None:
            raise NotFound
        return Call(endpoint, [_path_value(fields, name) for name in endpoint.path_fields], fields)

    async def run(self, caller: Caller, call: Call) -> Outcome:
        """Run a call, and return its outcome, also for errors."""
        started_at = perf_counter()
        endpoint = call.endpoint
        code = None
        try:
            outcome = await self._deadlines.run(self._invoke(caller, call))
        except TimeoutError:
            problem = Problem(
                status=504, code="timed_out", detail="The request timed out; it may still have been processed."
            )
            outcome, code = Outcome(problem.status, problem.body), problem.code
        except Exception as error:  # the boundary: every error becomes a response
            problem = problem_of(error)
            if problem.status >= 500:
                _log.error("call failed", connection=caller.name, route=endpoint.route, exc_info=error)
            outcome, code = Outcome(problem.status, problem.body), problem.code
        seconds = perf_counter() - started_at
        self._metrics.record(endpoint.route, endpoint.method, outcome.status, seconds)
        log_request(
            endpoint.method,
            endpoint.route,
            outcome.status,
            code,
            round(seconds * 1000, 2),
            caller.name,
            caller.actor.name,
        )
        return outcome

    async def _invoke(self, caller: Caller, call: Call) -> Outcome:
        endpoint, path_values, fields = call
        if not endpoint.returns_json or endpoint.takes_upload:
            return Outcome(_NOT_CALLABLE.status, _NOT_CALLABLE.body)
        actor = caller.actor
        if endpoint.scope:
            actor.require_scope(endpoint.scope, *endpoint.also_scopes)
        await self._limits.consume(endpoint.limit, actor.name if endpoint.takes_actor else f"address:{caller.address}")

        arguments = path_arguments(endpoint, path_values)
        if endpoint.takes_actor:
            arguments["actor"] = actor
        if endpoint.takes_idempotency_key:
            arguments["idempotency_key"] = _idempotency_key(fields)
        if endpoint.takes_address:
            arguments["address"] = caller.address
        if endpoint.query is not None:
            names = fields if endpoint.body is None else endpoint.query.__struct_encode_fields__
            given = {name: msgspec.json.decode(fields.pop(name)) for name in list(fields) if name in names}
            arguments["query"] = decoded_query(endpoint, given)
        if endpoint.body is not None:
            raw = b"{%b}" % b",".join(b"%b:%b" % (_encode(name), value) for name, value in fields.items())
            arguments["body"] = decoded_body(endpoint, raw)
        elif fields and endpoint.query is None:
            unknown = next(iter(fields))
            detail = f"Object contains unknown field `{unknown}`"
            raise Invalid(errors=[{"in": "params", "pointer": f"#/{unknown}", "detail": detail}])

        result = await endpoint.handler(**arguments)
        status = endpoint.status
        if type(result) is Answer:
            status, result = result.status, result.value
        if result is None:
            return Outcome(status, b"")
        return Outcome(status, result.json if type(result) is Encoded else _encode(result))

    def _by_request_line(self, line: str, fields: dict[str, msgspec.Raw]) -> Call:
        method, _, path = line.partition(" ")
        by_method, path_values = self._router.find(quote(path, safe="/%").removeprefix(PREFIX))
        endpoint = by_method.get(method.upper())
        if endpoint is None:
            raise NotFound
        return Call(endpoint, path_values, fields)


def _path_value(fields: dict[str, msgspec.Raw], field: str) -> str:
    """Return the value of a path parameter; Invalid if it is missing or has the wrong type."""
    name = camel(field)
    raw = fields.pop(name, None)
    value: Any = None if raw is None else msgspec.json.decode(raw)
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    detail = f"Object missing required field `{name}`" if raw is None else "Expected `str`"
    raise Invalid(errors=[{"in": "params", "pointer": f"#/{name}", "detail": detail}])


def _idempotency_key(fields: dict[str, msgspec.Raw]) -> str | None:
    raw = fields.pop(KEY_FIELD, None)
    key: Any = None if raw is None else msgspec.json.decode(raw)
    if key is None:
        return None
    if not (isinstance(key, str) and 1 <= len(key) <= MAX_KEY_CHARACTERS and key.isascii()):
        detail = f"Expected 1 to {MAX_KEY_CHARACTERS} ASCII characters"
        raise Invalid(errors=[{"in": "params", "pointer": f"#/{KEY_FIELD}", "detail": detail}])
    return key
